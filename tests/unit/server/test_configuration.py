"""What Prosody is told: text that stays inside its strings, loopback only, and all that makes it fast."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from formicary.server.configuration import (
    MODULES,
    STANZA_LIMIT,
    ServerConfiguration,
    advice,
    container_lines,
    lua_string,
    render,
)
from formicary.server.folder import StateFolder
from formicary.transport.link.frames import NAMESPACE

SECRET = "a-secret"


def rendered(**changes):
    values = {
        "platform": "lab.localhost",
        "port": 1111,
        "client_port": 2222,
        "tls_port": 3333,
        "secret": SECRET,
        **changes,
    }
    return render(ServerConfiguration(StateFolder(Path("/state")), **values))


def read_lua_string(literal):
    """What Lua makes of a double-quoted literal that has decimal escapes only."""
    assert literal[0] == literal[-1] == '"'
    inside = literal[1:-1]
    assert '"' not in inside
    data = re.sub(rb"\\(\d{3})", lambda found: bytes([int(found[1])]), inside.encode("ascii"))
    assert b"\\" not in re.sub(rb"\\\d{3}", b"", inside.encode())
    return data.decode("utf-8", "surrogateescape")


@given(st.text(st.characters(codec="utf-8")))
@example('"; os.execute("x") --')
@example("back\\slash\nand line\0")
@example("\udcff not UTF-8")
def test_a_lua_string_holds_any_text_and_nothing_gets_out(text):
    assert read_lua_string(lua_string(text)) == text


def test_every_interface_is_loopback():
    interfaces = re.findall(r"(\w*interfaces) = \{ (.*?) \}", rendered())
    assert {name for name, _ in interfaces} >= {"interfaces", "component_interfaces", "c2s_interfaces"}
    assert {value for _, value in interfaces} == {'"127.0.0.1"'}


def test_other_hosts_reach_the_port_with_tls_alone_and_only_if_that_is_said():
    interfaces = dict(re.findall(r"(\w*interfaces) = \{ (.*?) \}", rendered(listen="192.0.2.7")))
    assert interfaces.pop("formicary_tls_interfaces") == '"127.0.0.1", "192.0.2.7"'
    assert set(interfaces.values()) == {'"127.0.0.1"'}


@pytest.mark.parametrize(
    "setting",
    [
        'gc = { mode = "generational" }',
        'network_backend = "epoll"',
        "network_settings = { nagle = false, min_wait = 0 }",
        "network_default_read_size = 65536",
        f"component_stanza_size_limit = {STANZA_LIMIT}",
        f"c2s_stanza_size_limit = {STANZA_LIMIT}",
    ],
)
def test_what_makes_it_fast_is_in_both_configurations(setting):
    assert setting in rendered().splitlines()
    assert setting in advice("lab.example", ["c1"], SECRET).splitlines()


def test_our_own_traffic_is_not_limited():
    enabled = re.search(r"^modules_enabled = \{(.*?)\}", rendered(), re.MULTILINE)[1]
    assert '"limits"' not in enabled
    assert '"admin_shell"' in enabled


def test_clients_are_held_back_where_containers_need_the_server():
    enabled = re.search(r"^modules_enabled = \{(.*?)\}", rendered(), re.MULTILINE)[1]
    assert '"formicary_share", "formicary_nobody"' in enabled


def test_what_containers_send_each_other_is_known_by_its_namespace():
    text = (MODULES / "mod_formicary_share.lua").read_text()
    beginning = re.search(r'^local FRAME = "<frame xmlns=\'(.*)";', text, re.MULTILINE)[1]
    assert NAMESPACE.startswith(beginning)


def test_root_is_mentioned_only_where_root_starts_it():
    assert "run_as_root = true" in rendered(as_root=True)
    assert "run_as_root" not in rendered(as_root=False)


def test_a_container_has_its_domain_and_no_secret_of_its_own():
    assert container_lines("c1", "lab.localhost") == 'Component "c1.lab.localhost"\n'


def test_the_secret_does_not_show_in_the_repr():
    configuration = ServerConfiguration(StateFolder(Path("/state")), "lab.localhost", 1, 2, 3, SECRET)
    assert SECRET not in repr(configuration)


def test_advice_names_every_container_and_says_how_to_connect():
    text = advice("lab.example", ["c1", "lobby"], SECRET)
    for name in ("c1", "lobby"):
        assert f'Component "{name}.lab.example"\n    component_secret = "{SECRET}"' in text
    assert f"stanza_limit={STANZA_LIMIT}" in text
    assert "limits" in text
    assert '"formicary_share"' in text
