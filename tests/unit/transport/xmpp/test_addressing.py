"""How containers are addressed at a server: as components, or as resources of one account."""

from __future__ import annotations

import pytest

from formicary.server import AccountAddress, ServerAddress
from formicary.transport.xmpp.addressing import domain_of, frame_head

LAB = AccountAddress("lab@example.org", "secret")
SERVER = ServerAddress("127.0.0.1", 5347, "secret", "lab.localhost")


def test_frames_go_to_the_full_address_of_the_receiver():
    head = frame_head(LAB, "c1.lab.account.example.org", "c2.lab.account.example.org")
    assert head.startswith(b"<message type='groupchat' to='lab@example.org/c2' ")


@pytest.mark.parametrize(
    ("origin", "domain"),
    [
        ("lab@example.org/c2", "c2.lab.account.example.org"),
        ("lab@example.org", None),
        ("lab@example.org/", None),
        ("lab@example.org/Psi.4711", None),
        ("lab@example.org/c2/x", None),
        ("lab@example.org/localhost", None),
        ("mallory@example.org/c2", None),
        ("lab@example.org.evil.org/c2", None),
        ("c2.lab.account.example.org", None),
        ("", None),
    ],
)
def test_only_the_accounts_own_resources_are_containers(origin, domain):
    assert domain_of(LAB, origin) == domain


def test_of_a_component_the_domain_itself_is_the_address():
    head = frame_head(SERVER, "c1.lab.localhost", "c2.lab.localhost")
    assert head.startswith(b"<message from='c1.lab.localhost' to='c2.lab.localhost' ")
    assert domain_of(SERVER, "c2.lab.localhost") == "c2.lab.localhost"
    assert [domain_of(SERVER, origin) for origin in ("a@c2.lab.localhost", "c2.example.org", "")] == [
        None
    ] * 3
