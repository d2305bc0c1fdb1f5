"""Containers that share an account at an ejabberd: the same as at a Prosody."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from tests.integration.xmpp.test_account_stream import CHAT, bodies, heard, online, send
from tests.plugins.missing import leave_out
from tests.plugins.ports import unused_port

from formicary.server.account import AccountAddress
from formicary.transport.xmpp.stream import ReplacedError

pytestmark = [pytest.mark.ejabberd, pytest.mark.accounts]

LIBRARIES = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"]
SECONDS_TO_START = 150
CONFIGURATION = """\
hosts: ["lab.example"]
loglevel: info
listen:
  - port: {port}
    ip: "127.0.0.1"
    module: ejabberd_c2s
    max_stanza_size: 262144
access_rules: {{register: {{allow: all}}}}
registration_timeout: infinity
auth_method: internal
auth_password_format: scram
modules:
  mod_register: {{access: register, ip_access: all}}
  mod_offline: {{}}
  mod_carboncopy: {{}}
  mod_mam: {{default: always}}
  mod_ping: {{}}
  mod_stream_mgmt: {{}}
"""
OPEN = (
    "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
    "to='lab.example' version='1.0'>"
)
REGISTER = (
    "<iq type='set' id='r'><query xmlns='jabber:iq:register'><username>lab</username>"
    "<password>secret</password></query></iq>"
)


@pytest.fixture
def ejabberd(tmp_path):
    """Run one, without a node's name: then nothing of Erlang's own listens; give its port for clients."""
    if not Path("/usr/sbin/ejabberdctl").exists():
        leave_out("ejabberd is not installed: docs/ejabberd.md says what to do before that")
    port, config, log = unused_port(), tmp_path / "ejabberd.yml", tmp_path / "ejabberd.log"
    config.write_text(CONFIGURATION.format(port=port))
    environment = {
        **os.environ,
        "EJABBERD_CONFIG_PATH": str(config),
        "EJABBERD_LOG_PATH": str(log),
        "ERL_CRASH_DUMP_BYTES": "0",
        "ERL_LIBS": ":".join(path for path in LIBRARIES if Path(path).is_dir()),
        "HOME": str(tmp_path),
    }
    command = [shutil.which("erl"), "-noinput", "-mnesia", "dir", f'"{tmp_path}/spool"', "-s", "ejabberd"]
    with (tmp_path / "output").open("w") as output:
        process = subprocess.Popen(
            command, env=environment, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        deadline = time.monotonic() + SECONDS_TO_START
        while not (log.exists() and "Start accepting TCP" in log.read_text()):
            assert process.poll() is None, (tmp_path / "output").read_text()
            assert time.monotonic() < deadline, (tmp_path / "output").read_text()
            time.sleep(0.02)
        yield port
    finally:
        process.kill()  # it would take a second to say goodbye
        process.wait()


async def register(port):
    """Make the account (XEP-0077)."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(OPEN.encode())
    await reader.readuntil(b"</stream:features>")
    writer.write(REGISTER.encode())
    assert b"type='result'" in await reader.readuntil(b">")
    writer.close()
    await writer.wait_closed()
    return AccountAddress("lab@lab.example", "secret", host="127.0.0.1", port=port, insecure=True, tls=False)


async def test_frames_reach_their_receiver_or_come_back_and_nothing_else(ejabberd, connected):
    address = await register(ejabberd)
    async with connected(address, "c1", "c2", "phone") as (c1, c2, phone):
        await online(phone)
        send(address, c1, "c2", b"B" * 200_000)
        await c2.until(lambda: c2.frames)
        assert c2.frames == [(f"{address.jid}/c1", b"B" * 200_000)]
        await c2.stream.close()
        send(address, c1, "c2")
        await c1.until(lambda: c1.stanzas)
        assert (c1.stanzas[0].get("type"), c1.stanzas[0].get("from")) == ("error", f"{address.jid}/c2")
        await heard(phone, address)
        assert phone.frames == []
        assert [stanza for stanza in phone.stanzas if stanza.find(".//{*}frame") is not None] == []
        c1.stream.write(CHAT.format(f"{address.jid}/c2").encode())
        await phone.until(lambda: bodies(phone))  # so this test would see what goes astray
        phone.stanzas.clear()
        phone.stream.write(b"<iq type='set' id='a'><query xmlns='urn:xmpp:mam:2'/></iq>")
        await phone.until(lambda: any(stanza.get("id") == "a" for stanza in phone.stanzas))
        assert [stanza for stanza in phone.stanzas if stanza.find(".//{*}frame") is not None] == []
        assert bodies(phone)
        async with connected(address, "c1"):
            assert isinstance(await c1.lost, ReplacedError)
