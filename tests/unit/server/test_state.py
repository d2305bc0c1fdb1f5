"""The state folder: private, whole or not at all, and clear words where something is wrong with it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from formicary import server
from formicary.errors import ServerError
from formicary.server.address import ServerAddress
from formicary.server.folder import StateFolder, default_path, prepare
from formicary.server.state import ServerState, read_state, write_state

STATE = ServerState("lab.localhost", 1111, 2222, "a-secret", 4096, "0.12.3", pid=None)


@pytest.fixture
def folder(tmp_path):
    made = StateFolder(tmp_path / "state")
    prepare(made)
    return made


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_state_is_read_as_it_was_written_by_its_user_alone(folder):
    write_state(folder, STATE)
    assert read_state(folder) == STATE
    assert mode(folder.state) == 0o600
    assert mode(folder.path) == 0o700


def test_secrets_do_not_show_in_reprs():
    assert "a-secret" not in repr(STATE)
    assert "a-secret" not in repr(STATE.address(StateFolder(Path("/state"))))


def test_no_state_is_no_error(tmp_path):
    assert read_state(StateFolder(tmp_path / "never")) is None


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"port": "x"}', "\x00", "{}"])
def test_damaged_state_is_said_in_one_sentence_by_every_command(folder, damage):
    folder.state.touch(mode=0o600)
    folder.state.write_text(damage)
    for command in (server.start, server.stop, server.status, ServerAddress.load):
        with pytest.raises(ServerError, match=r"server\.json is damaged .*delete the file") as caught:
            command(folder.path)
        assert "\n" not in str(caught.value)
    assert folder.state.read_text() == damage


def test_state_of_a_later_version_is_refused(folder):
    write_state(folder, STATE)
    folder.state.write_text(json.dumps({**json.loads(folder.state.read_text()), "format": 2}))
    with pytest.raises(ServerError, match="another version of Formicary"):
        read_state(folder)


def test_without_a_server_the_address_says_how_to_start_one(tmp_path, monkeypatch):
    with pytest.raises(ServerError, match=f"formicary server start --folder {tmp_path}$"):
        ServerAddress.load(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(
        ServerError, match=r"no server is running in .*formicary/server; .*: formicary server start$"
    ):
        ServerAddress.load()
    assert list(tmp_path.iterdir()) == []


def test_the_default_folder_follows_xdg(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere")
    assert default_path() == Path("/somewhere/formicary/server")
    monkeypatch.delenv("XDG_STATE_HOME")
    assert default_path() == Path.home() / ".local/state/formicary/server"


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    tmp_path.chmod(0o755)
    with pytest.raises(ServerError, match="contains other files"):
        server.start(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    assert mode(tmp_path) == 0o755


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError, match=r"cannot be written .*--folder"):
        server.start(tmp_path / "file" / "state")


def test_a_path_too_long_for_a_socket_is_said_before_anything_is_made(tmp_path):
    with pytest.raises(ServerError, match="too long"):
        server.start(tmp_path / ("x" * 100))
    assert list(tmp_path.iterdir()) == []
