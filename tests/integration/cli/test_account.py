"""`formicary server account` as it is typed: passwords at a prompt, from standard input, or made up."""

from __future__ import annotations

import io
import json
import os
import pty
import sys

import psutil
import pytest
from tests.integration.cli.platforms import COMMAND

from formicary.cli import main
from formicary.server import ManagedServer

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def server():
    with ManagedServer() as running:
        yield running


@pytest.fixture
def account(server, monkeypatch, capsys):
    """Run the command; give its exit code, and what it prints."""

    def call(*arguments, given="", where=server.folder.path):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        with pytest.raises(SystemExit) as ended:
            main(["server", "account", *arguments, "--folder", str(where)])
        return ended.value.code or 0, *capsys.readouterr()

    return call


def test_accounts_are_added_listed_and_removed(account):
    assert account("add", "alice", given="secret\n") == (0, "added alice@lab.localhost\n", "")
    assert account("add", "bob@localhost", given="secret") == (0, "added bob@localhost\n", "")
    assert account("list") == (0, "alice@lab.localhost\nbob@localhost\n", "")
    code, out, _ = account("list", "--json")
    assert (code, json.loads(out)) == (0, {"accounts": ["alice@lab.localhost", "bob@localhost"]})
    assert account("remove", "alice@lab.localhost") == (0, "removed alice@lab.localhost\n", "")
    assert account("remove", "bob@localhost") == (0, "removed bob@localhost\n", "")
    assert account("list") == (0, "", "")


def test_a_password_is_made_up_and_shown_once(account, server):
    code, out, _ = account("add", "carol", "--generate")
    said, password = out.rstrip("\n").rsplit(" ", 1)
    assert (code, said) == (0, "added carol@lab.localhost with password")
    assert len(password) == 24
    kept = "".join(path.read_text() for path in server.folder.path.rglob("*") if path.is_file())
    assert password not in kept


@pytest.mark.parametrize(
    ("arguments", "given", "code", "sentence"),
    [
        (["add", "dave"], "", 2, "no password on standard input; provide one, or use --generate"),
        (["add", "dave"], "\n", 2, "the password must not be empty"),
        (["add", "Dave"], "secret", 2, "write 'dave'"),
        (["add", "dave@far.example"], "secret", 1, "no accounts on far.example, only on lab.localhost and"),
        (["remove", "dave"], "", 1, "no account dave@lab.localhost; list accounts with: form"),
    ],
)
def test_what_cannot_be_is_one_sentence(account, arguments, given, code, sentence):
    ended, out, err = account(*arguments, given=given)
    assert (ended, out, err.count("\n"), sentence in err) == (code, "", 1, True), err


def test_without_a_server_it_says_so_before_it_asks(account, tmp_path):
    for arguments in (["add", "alice", "--generate"], ["remove", "alice"], ["list"]):
        code, out, err = account(*arguments, where=tmp_path)
        assert (code, out) == (3, "")
        how = f"start one with: formicary server start --folder {tmp_path}"
        assert err == f"formicary: no server is running in {tmp_path}; {how}\n"


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        ([b"sesame\n", b"sesame\n"], 0, b"added erin@lab.localhost"),
        ([b"sesame\n", b"barley\n"], 2, b"the passwords do not match, so nothing was changed"),
        ([b"\x04"], 2, b"no password was entered, so nothing was changed"),
        ([b"\x03"], 130, b""),
    ],
)
def test_at_a_terminal_it_asks_without_an_echo(server, account, typed, code, said):
    command = [*COMMAND, "server", "account", "add", "erin", "--folder", str(server.folder.path)]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    shown = b""
    try:
        for keys in typed:
            while not shown.endswith(b": "):
                shown += os.read(terminal, 1024)
            assert b"sesame" not in " ".join(psutil.Process(pid).cmdline()).encode()
            os.write(terminal, keys)
            shown += os.read(terminal, 1)
        while True:
            shown += os.read(terminal, 1024)
    except OSError:  # it has ended
        pass
    finally:
        os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert (os.waitstatus_to_exitcode(status), b"sesame" in shown, said in shown) == (code, False, True), (
        shown
    )
    if code == 0:
        account("remove", "erin")
