"""A real Prosody: what it listens on, who gets in, and what survives what."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from tests.plugins.ports import unused_port

from formicary import server
from formicary.errors import InvalidNameError, ServerError
from formicary.server import ManagedServer, ServerAddress, add_container, process
from formicary.server.configuration import MODULES, STANZA_LIMIT, advice, lua_string
from formicary.server.federate import federate
from formicary.server.federation import parse_member
from formicary.server.state import read_state

pytestmark = pytest.mark.server


def test_it_listens_on_loopback_alone(prosody):
    asyncio.run(add_container(prosody.address, "later"))
    sockets = psutil.Process(prosody.pid).net_connections(kind="inet")
    listening = {
        (found.laddr.ip, found.laddr.port) for found in sockets if found.status == psutil.CONN_LISTEN
    }
    ports = {prosody.address.port, prosody.tls_address.port, prosody.client_port}
    assert listening == {("127.0.0.1", port) for port in ports}
    assert {found.laddr.ip for found in sockets} == {"127.0.0.1"}


def test_everything_it_keeps_is_private_and_the_secret_is_in_no_command_line(prosody, connect):
    assert connect(prosody.address, "c1").connected
    assert prosody.address.secret not in " ".join(psutil.Process(prosody.pid).cmdline())
    assert prosody.address.secret not in prosody.folder.log.read_text()
    open_to_others = [
        path
        for path in (prosody.folder.path, *prosody.folder.path.rglob("*"))
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert open_to_others == []


def test_a_container_known_from_the_start_gets_in_and_a_wrong_secret_does_not(prosody, connect):
    assert connect(prosody.address, "c1").connected
    refused = connect(prosody.address, "c1", secret="wrong")
    assert not refused.connected
    assert "not-authorized" in refused.seen


def test_a_second_container_of_a_name_is_refused_and_the_first_stays(prosody, connect):
    first, second = connect(prosody.address, "c1"), connect(prosody.address, "c1")
    second.read_until("<conflict")
    assert not second.connected
    first.send(f"<message to='{first.domain}' from='a@{first.domain}'><body>still here</body></message>")
    first.read_until("still here")


def test_any_name_can_be_added_while_it_runs(prosody, connect):
    stranger = connect(prosody.address, "lobby")
    assert "host-unknown" in stranger.seen
    asyncio.run(add_container(prosody.address, "lobby"))
    asyncio.run(add_container(prosody.address, "lobby"))
    assert connect(prosody.address, "lobby").connected


def test_many_names_added_at_once_all_get_in_and_survive_a_crash(prosody, connect):
    wanted = [f"n{number}" for number in range(20)]

    async def add_all():
        await asyncio.gather(*(add_container(prosody.address, name) for name in wanted * 2))

    asyncio.run(add_all())
    assert all(connect(prosody.address, name).connected for name in wanted)
    address = prosody.address
    prosody.kill()
    assert not prosody.running
    prosody.restart()
    assert prosody.address == address
    assert all(connect(address, name).connected for name in wanted)


def test_adding_disturbs_no_container_that_is_connected(prosody, connect):
    first = connect(prosody.address, "c1")
    asyncio.run(add_container(prosody.address, "c2"))
    second = connect(prosody.address, "c2")
    first.send(f"<message to='b@{second.domain}' from='a@{first.domain}'><body>hello</body></message>")
    second.read_until("hello")


def test_a_name_that_is_none_is_refused_and_nothing_is_written(prosody):
    before = sorted(prosody.folder.path.rglob("*"))
    with pytest.raises(InvalidNameError):
        asyncio.run(add_container(prosody.address, '../x"'))
    assert sorted(prosody.folder.path.rglob("*")) == before


def test_a_server_that_is_not_ours_is_left_alone():
    address = ServerAddress("127.0.0.1", 1, "secret", "lab.example")
    asyncio.run(add_container(address, "c1"))
    assert address.folder is None


def test_adding_to_a_server_that_is_gone_says_so(prosody):
    prosody.kill()
    with pytest.raises(ServerError, match=r"is not running .*formicary server start"):
        asyncio.run(add_container(prosody.address, "c2"))


def test_a_stanza_far_beyond_prosodys_default_arrives(prosody, connect):
    asyncio.run(add_container(prosody.address, "c2"))
    first, second = connect(prosody.address, "c1"), connect(prosody.address, "c2")
    body = "x" * (STANZA_LIMIT - 1000)
    first.send(f"<message to='b@{second.domain}' from='a@{first.domain}'><body>{body}</body></message>")
    assert len(second.read_until("<body>.*</body>")) == len("<body></body>") + len(body)


def test_a_stanza_beyond_the_limit_closes_the_connection(prosody, connect):
    first = connect(prosody.address, "c1")
    # The server closes while we are still sending.
    with contextlib.suppress(ConnectionError):
        first.send(f"<message to='{first.domain}'><body>{'x' * (prosody.address.stanza_limit * 2)}")
    with pytest.raises((AssertionError, ConnectionError)):
        first.read_until("never")


def test_an_account_logs_in_without_tls_and_a_stranger_does_not(prosody, log_in):
    password = 'quo"te \\ and ünïcode'
    assert prosody.create_account("bob", password) == "bob@lab.localhost"
    assert log_in(prosody.address, prosody.client_port, "bob", password) == "success"
    assert log_in(prosody.address, prosody.client_port, "bob", "guess") == "failure"
    assert log_in(prosody.address, prosody.client_port, "eve", password) == "failure"
    with pytest.raises(ServerError, match=r"the account bob@lab\.localhost already exists"):
        prosody.create_account("bob", "other")


def test_a_client_that_insists_on_tls_can_verify_the_server(prosody):
    context = ssl.create_default_context(cafile=prosody.folder.certificates / "lab.localhost.crt")
    for domain in ("lab.localhost", "localhost"):
        with socket.create_connection(("127.0.0.1", prosody.client_port), timeout=30) as connection:
            connection.sendall(
                f"<stream:stream to='{domain}' version='1.0' xmlns='jabber:client' "
                "xmlns:stream='http://etherx.jabber.org/streams'>"
                "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>".encode()
            )
            seen = b""
            while b"<proceed" not in seen:
                data = connection.recv(4096)
                assert data, seen
                seen += data
            with context.wrap_socket(connection, server_hostname=domain) as encrypted:
                assert encrypted.version() == "TLSv1.3"


def test_an_account_may_be_at_localhost(prosody):
    assert prosody.create_account("bob", "secret", "localhost") == "bob@localhost"
    with pytest.raises(ServerError, match=r"no accounts on elsewhere\.example, only on"):
        prosody.create_account("bob", "secret", "elsewhere.example")


def test_accounts_survive_a_restart_and_keep_no_password_in_the_clear(prosody, log_in):
    prosody.create_account("bob", "in-the-clear")
    kept = "".join(path.read_text() for path in prosody.folder.data.rglob("*.dat"))
    assert "stored_key" in kept
    assert "in-the-clear" not in kept
    prosody.restart()
    assert log_in(prosody.address, prosody.client_port, "bob", "in-the-clear") == "success"


def test_a_restart_insists_on_its_port(prosody):
    prosody.kill()
    with (
        socket.create_server(("127.0.0.1", prosody.address.port)),
        pytest.raises(ServerError, match="cannot be used"),
    ):
        prosody.restart()
    prosody.restart()
    assert prosody.running


def test_the_folder_may_have_any_name(tmp_path, connect):
    folder = tmp_path / 'we"ird ü'
    address = server.start(folder, containers=["c1"])
    try:
        assert connect(address, "c1").connected
    finally:
        assert server.stop(folder)


def test_it_is_gone_after_the_block_even_if_that_fails():
    seen = []

    def fail_inside():
        with ManagedServer() as running:
            seen.extend([running.pid, running.folder.path])
            raise KeyError

    with pytest.raises(KeyError):
        fail_inside()
    pid, folder = seen
    assert not psutil.pid_exists(pid)
    assert not folder.exists()


@pytest.fixture
def temporary():
    with tempfile.TemporaryDirectory(prefix="t-") as folder:  # whose path is short, for sockets are below it
        yield Path(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_it_does_not_outlive_a_parent_that_is_killed(temporary):
    script = (
        "from formicary.server import ManagedServer\n"
        "with ManagedServer() as running:\n"
        "    print(running.pid, flush=True)\n"
        "    input()\n"
    )
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        prosody = psutil.Process(int(parent.stdout.readline()))
        assert "prosody" in " ".join(prosody.cmdline())
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while not process.is_gone(prosody.pid):
        assert time.monotonic() < deadline
    assert len(list(temporary.glob("formicary-*/server/prosody.cfg.lua"))) == 1
    subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        input="\n",
        stdout=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    assert list(temporary.iterdir()) == []


def test_another_process_with_the_remembered_number_is_not_touched(folder):
    server.start(folder)
    state = server.status(folder).state
    process.end(state.pid, kill=True)
    with subprocess.Popen(["sleep", "60"]) as innocent:
        file = server.status(folder).folder.state
        file.write_text(re.sub(r'"pid": \d+', f'"pid": {innocent.pid}', file.read_text()))
        assert server.status(folder).state.pid == innocent.pid
        assert not server.status(folder).running
        assert not server.stop(folder)
        assert innocent.poll() is None
        innocent.kill()


def test_a_server_that_crashed_is_noticed_and_started_again_with_the_same_address(folder, connect):
    address = server.start(folder, containers=["c1"])
    process.end(server.status(folder).state.pid, kill=True)
    assert not server.status(folder).running
    with pytest.raises(ServerError, match="the server is no longer running in"):
        ServerAddress.load(folder)
    assert server.start(folder) == address == ServerAddress.load(folder)
    assert connect(address, "c1").connected


def test_two_commands_that_start_it_at_once_start_one(folder):
    with ThreadPoolExecutor(4) as pool:
        addresses = list(pool.map(server.start, [folder] * 4))
    assert len(set(addresses)) == 1
    config = str(server.status(folder).folder.config)
    assert (
        len([found for found in psutil.process_iter(["cmdline"]) if config in (found.info["cmdline"] or [])])
        == 1
    )


def test_a_server_moves_if_its_last_port_is_taken(folder):
    address = server.start(folder)
    server.stop(folder)
    with socket.create_server(("127.0.0.1", address.port)):
        assert server.start(folder).port != address.port


def test_the_advice_makes_a_prosody_of_ones_own_work(tmp_path, connect):
    port = unused_port()
    (tmp_path / "data").mkdir()
    config = tmp_path / "prosody.cfg.lua"
    config.write_text(
        f'data_path = "{tmp_path}/data"\ncertificates = "{tmp_path}/data"\n'
        'run_as_root = true\nlog = "*console"\ninterfaces = { "127.0.0.1" }\n'
        'modules_disabled = { "c2s", "s2s" }\n'
        + advice("lab.example", ["c1"], "a-secret").replace("5347", str(port))
        + '\nVirtualHost "lab.example"\n'
    )
    log = tmp_path / "log"
    pid = process.launch(process.find_program("prosody"), config, log, die_with_parent=True)
    try:
        while f"Activated service 'component' on [127.0.0.1]:{port}" not in (
            log.read_text() if log.exists() else ""
        ):
            assert not process.is_gone(pid), log.read_text()
        assert connect(ServerAddress("127.0.0.1", port, "a-secret", "lab.example"), "c1").connected
        assert re.findall(r"\b(?:warn|error)\t.*", log.read_text()) == []
    finally:
        process.end(pid, kill=True)


def test_the_advice_lets_a_prosody_of_ones_own_into_a_federation(tmp_path, connect):
    members = [
        parse_member(f"a=c1@127.0.0.2:{unused_port()}"),
        parse_member(f"b=c2@127.0.0.3:{unused_port()}"),
    ]
    a, b = (made.folder for made in federate("lab.example", members, tmp_path / "federation"))
    port = unused_port()
    text = (a.path / "addition.cfg.lua").read_text().replace("5347", str(port))
    text = text.replace('"/etc/prosody/formicary"', lua_string(MODULES))
    text = text.replace("/etc/prosody/formicary", str(a.path))
    config = tmp_path / "prosody.cfg.lua"
    config.write_text(
        f'data_path = "{a.path}/data"\ncertificates = "{a.path}/certificates"\n'
        'run_as_root = true\nlog = "*console"\ninterfaces = { "127.0.0.1" }\n'
        'modules_enabled = { "tls", "saslauth", "formicary_peers" }\nmodules_disabled = { "c2s" }\n'
        + text
        + '\nVirtualHost "a.lab.example"\n'
    )
    log = tmp_path / "log"
    pid = process.launch(process.find_program("prosody"), config, log, die_with_parent=True)
    try:
        theirs = server.start(b.path)
        while not (log.exists() and f"'component' on [127.0.0.1]:{port}" in log.read_text()):
            assert not process.is_gone(pid), log.read_text()
        secret = read_state(a).secret
        c1 = connect(ServerAddress("127.0.0.1", port, secret, "lab.example"), "c1")
        c2 = connect(theirs, "c2")
        c1.send("<message to='b@c2.lab.example' from='a@c1.lab.example'><body>hello</body></message>")
        c2.read_until("hello")
        c2.send("<message to='a@c1.lab.example' from='b@c2.lab.example'><body>hello</body></message>")
        c1.read_until("hello")
    finally:
        process.end(pid, kill=True)
        server.stop(b.path)


HOLD_A_PLACE = """
import socket, sys, time
sys.path[:0] = sys.argv[3:]
from tests.integration.server.conftest import Component
from formicary.server import ServerAddress
component = Component(ServerAddress.load(sys.argv[1]), sys.argv[2])
print(component.connected, flush=True)
time.sleep(60)
"""


def test_the_place_of_a_container_that_was_killed_is_free_at_once(prosody, connect):
    arguments = [str(prosody.folder.path), "c1", *sys.path]
    command = [sys.executable, "-c", HOLD_A_PLACE, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "True\n"
        assert not connect(prosody.address, "c1").connected
        holder.kill()
    assert connect(prosody.address, "c1").connected
