"""The template for Prosody: it starts, is what `formicary server config` advises, and refuses strangers."""

from __future__ import annotations

import re

import psutil
import pytest
from tests.integration.deploy.conftest import SECRET, TEMPLATE

from formicary import Container
from formicary.errors import FormicaryError
from formicary.server.configuration import advice

pytestmark = pytest.mark.server

# What the template takes from its first lines, and the advice has as text.
FILLED_IN = {
    'component_interfaces = { "127.0.0.1" }': "component_interfaces = { address }",
    "component_ports = { 5347 }": "component_ports = { port }",
    f'component_secret = "{SECRET}"': "component_secret = secret",
}


def settings(text):
    """Give the lines that set something, without what comes after them."""
    lines = (re.sub(r"\s+-- .*", "", line).strip() for line in text.splitlines())
    return {line for line in lines if line and not line.startswith("--")}


def test_it_is_what_the_command_prints():
    advised = settings(advice("lab.example", ["c1", "c2"], SECRET))
    assert {'Component "c1.lab.example"', 'Component "c2.lab.example"'} < advised
    wanted = {FILLED_IN.get(line, line) for line in advised if not line.startswith("Component ")}
    assert len(wanted) > 8
    assert wanted - settings(TEMPLATE.read_text(encoding="utf-8")) == set()


async def test_its_containers_connect_and_others_are_refused(make_server):
    server = make_server()
    with server.running() as process:
        async with Container("c1", server=server.address), Container("c2", server=server.address):
            pass
        with pytest.raises(FormicaryError, match="c3"):
            async with Container("c3", server=server.address):
                pass
        listening = {
            one.laddr.port for one in psutil.Process(process.pid).net_connections() if one.status == "LISTEN"
        }
        addresses = {one.laddr.ip for one in psutil.Process(process.pid).net_connections()}
    assert listening == {server.port}
    assert addresses == {"127.0.0.1"}
    assert SECRET not in server.said()


@pytest.mark.parametrize("secret", ["", "short\n"])
def test_without_a_real_secret_it_does_not_start(make_server, secret):
    server = make_server()
    server.secret.write_text(secret)
    assert server.start().wait(timeout=60) != 0
    assert "has no secret of at least 16 characters" in server.said()
