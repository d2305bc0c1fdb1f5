"""An account's address: what it is derived from, whom it belongs to, and what is refused."""

from __future__ import annotations

import pytest

from formicary.errors import InvalidNameError, UsageError
from formicary.server import account as module
from formicary.server.account import AccountAddress

LAB = AccountAddress("lab@example.org", "secret")


@pytest.mark.parametrize(
    ("jid", "platform"),
    [
        ("lab@example.org", "lab.account.example.org"),
        ("ana.lab_1@localhost", "ana-lab-1.account.localhost"),
        ("-lab-@example.org", "lab.account.example.org"),
        (f"{'a' * 62}--b@example.org", f"{'a' * 62}.account.example.org"),
    ],
)
def test_the_platform_is_the_accounts_own(jid, platform):
    assert AccountAddress(jid, "secret").platform == platform


def test_a_platform_can_be_given():
    assert AccountAddress("日本@example.org", "secret", platform="lab.localhost").platform == "lab.localhost"


@pytest.mark.parametrize(
    ("jid", "options", "kind", "says"),
    [
        ("lab", {}, InvalidNameError, "'lab' is not a valid account address"),
        ("lab@example.org/c1", {}, InvalidNameError, "write it without a resource"),
        ("Lab@example.org", {}, InvalidNameError, "write 'lab'"),
        ("lab@ex ample", {}, InvalidNameError, "is not a valid platform domain"),
        ("日本@example.org", {}, InvalidNameError, "pass a platform"),
        ("lab@example.org", {"platform": "A"}, InvalidNameError, "is not a valid platform domain"),
        ("lab@example.org", {"port": 5222}, UsageError, "a port needs a host"),
        ("lab@example.org", {"tls": False}, UsageError, "insecure=True"),
    ],
)
def test_what_does_not_go_together_is_refused(jid, options, kind, says):
    with pytest.raises(kind, match=says):
        AccountAddress(jid, "secret", **options)


def test_the_password_is_not_shown():
    assert "secret" not in f"{LAB!r} {LAB}"


def test_it_names_the_server_in_sentences():
    assert str(LAB) == "the XMPP server of example.org"
    there = AccountAddress("lab@example.org", "secret", host="10.0.0.1", port=5333)
    assert str(there) == "the XMPP server of example.org at 10.0.0.1:5333"


@pytest.mark.parametrize("missing", [{"scramp"}, {"dns"}, {"aioxmpp", "slixmpp"}])
def test_a_missing_extra_is_one_sentence(monkeypatch, missing):
    monkeypatch.setattr(module, "find_spec", lambda name: None if name in missing else object())
    with pytest.raises(UsageError, match=r"pip install 'formicary\[accounts\]'"):
        module.require_extra()


@pytest.mark.parametrize("missing", ["aioxmpp", "slixmpp"])
def test_one_library_is_enough(monkeypatch, missing):
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == missing else object())
    module.require_extra()
