"""Accounts at a managed server: made, listed, removed, and what cannot be."""

from __future__ import annotations

import pytest

from formicary.errors import AccountError, InvalidNameError, ServerError, UsageError
from formicary.server import accounts

pytestmark = pytest.mark.server


def test_accounts_come_and_go_while_the_server_runs(prosody, log_in):
    folder = prosody.folder.path
    assert accounts.known(folder) == []
    assert accounts.add("bob", "secret", folder) == "bob@lab.localhost"
    assert accounts.add("alice@lab.localhost", "hidden", folder) == "alice@lab.localhost"
    assert accounts.add("bob@localhost", "secret", folder) == "bob@localhost"
    assert accounts.known(folder) == ["alice@lab.localhost", "bob@lab.localhost", "bob@localhost"]
    assert log_in(prosody.address, prosody.client_port, "alice", "hidden") == "success"
    assert accounts.remove("alice", folder) == "alice@lab.localhost"
    assert log_in(prosody.address, prosody.client_port, "alice", "hidden") == "failure"
    assert accounts.known(folder) == ["bob@lab.localhost", "bob@localhost"]
    assert "hidden" not in prosody.folder.log.read_text()


def test_what_cannot_be_is_said(prosody):
    folder = prosody.folder.path
    accounts.add("bob", "secret", folder)
    for act in (lambda name: accounts.add(name, "other", folder), lambda name: accounts.check(name, folder)):
        with pytest.raises(AccountError, match=r"the account bob@lab[.]localhost already exists; choose"):
            act("bob")
        with pytest.raises(AccountError, match=r"no accounts on far[.]example, only on lab[.]localhost and"):
            act("bob@far.example")
    with pytest.raises(AccountError, match=r"no account eve@lab[.]localhost; list accounts"):
        accounts.remove("eve", folder)
    for name in ("", "Bob", "b@b@b", "bob@", "b\x1bb", 'x") os.exit("'):
        for act in (accounts.remove, accounts.check):
            with pytest.raises(InvalidNameError):
                act(name, folder)
    for password in ("", "two\nlines", "x" * 1024):
        with pytest.raises(UsageError, match=r"password"):
            accounts.add("eve", password, folder)
    assert accounts.known(folder) == ["bob@lab.localhost"]


@pytest.mark.parametrize("end", ["never", "killed"])
def test_where_no_server_runs_that_is_said(prosody, tmp_path, end):
    folder = tmp_path if end == "never" else prosody.folder.path
    if end == "killed":
        prosody.kill()
    for act in (accounts.known, lambda at: accounts.add("a", "b", at), lambda at: accounts.remove("a", at)):
        with pytest.raises(ServerError, match=r"in .*; start one with: formicary server start --folder"):
            act(folder)
