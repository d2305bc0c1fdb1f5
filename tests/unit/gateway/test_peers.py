"""Addresses of other platforms."""

import pytest

from formicary.errors import UsageError
from formicary.gateway.acl_message import AgentIdentifier
from formicary.gateway.peers import AllowedHosts, Peer, Peers

JADE = "http://127.0.0.1:7779/acc"
FAR = "http://jade.example:7779/acc"


def test_configured_addresses_override_learned_ones():
    peers = Peers(takes_strangers=True)
    peers.learn(AgentIdentifier("Seller@JADE", ("http://evil.example:1/acc",)))
    peers.name("Jade", [JADE])
    peers.learn(AgentIdentifier("Seller@JADE", ("http://evil.example:1/acc",)))
    assert peers.find("seller%jade") == AgentIdentifier("Seller@JADE", (JADE,))
    assert peers.find("other%jade") == AgentIdentifier("other@jade", (JADE,))


def test_strangers_addresses_are_learned_from_their_messages():
    peers = Peers(takes_strangers=True)
    assert peers.accepts("jade")
    assert peers.find("seller%jade").addresses == ()
    peers.learn(AgentIdentifier("Seller@Jade", ("IOR:000", FAR, "ftp://h/", "http://a:b@h/", "http://h:x/")))
    assert peers.find("seller%jade") == AgentIdentifier("Seller@Jade", (FAR,))
    assert peers.find("other%jade") == AgentIdentifier("other@jade", (FAR,))
    peers.learn(AgentIdentifier("seller@jade"))
    assert peers.find("seller%jade") == AgentIdentifier("seller@jade", (FAR,))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.255.0.1", "127.1", "2130706433", "0x7f.1", "a.0x7f000001",
        "017700000001", "0.0.0.0", "10.1.2.3", "192.168.1.7", "172.16.0.1", "169.254.169.254",
        "100.64.0.1", "224.0.0.1", "255.255.255.255", "[::1]", "[::]", "[::ffff:10.0.0.1]", "[fe80::1]",
        "[fe80::1%25eth0]", "[fc00::1]", "[fec0::1]", "[ff02::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
        "[::7f00:1]", "8.8.8.8%2e", "%31%32%37.0.0.1", "127.0.0.1\\.example", "bücher.example",
    ],
)  # fmt: skip
def test_private_addresses_are_not_learned(host):
    peers = Peers(takes_strangers=True)
    peers.learn(AgentIdentifier("seller@jade", (f"http://{host}:80/acc",)))
    assert peers.find("seller%jade").addresses == ()
    assert peers.find("other%jade").addresses == ()


@pytest.mark.parametrize("host", ["192.0.3.1", "[2606:4700::1]", "jade.example", "a_b-c.example"])
def test_public_addresses_are_learned(host):
    peers = Peers(takes_strangers=True)
    peers.learn(AgentIdentifier("seller@jade", (address := f"http://{host}:80/acc",)))
    assert peers.find("seller%jade").addresses == (address,)


def test_without_strangers_only_configured_peers_are_known():
    peers = Peers(takes_strangers=False)
    peers.name("lab.example", [JADE])
    peers.learn(AgentIdentifier("seller@jade", ("http://127.0.0.1:1/acc",)))
    assert not peers.accepts("jade")
    assert peers.find("seller%jade").addresses == ()
    assert peers.accepts("c1.lab.example")  # a container of the platform
    assert peers.find("seller%c1.lab.example").addresses == (JADE,)
    assert not peers.accepts("xlab.example")


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr("formicary.gateway.peers._REMEMBERED", 10)
    peers = Peers(takes_strangers=True)
    for number in range(100):
        peers.learn(AgentIdentifier(f"Agent{number}@p{number}", (FAR,)))
    assert peers.find("agent99%p99") == AgentIdentifier("Agent99@p99", (FAR,))
    assert peers.find("agent0%p0") == AgentIdentifier("agent0@p0")
    assert (len(peers._agents), len(peers._platforms)) == (10, 10)


@pytest.mark.parametrize(
    ("platform", "addresses"),
    [
        ("jade", []),
        ("", [JADE]),
        ("a@jade", [JADE]),
        ("jade", ["127.0.0.1:7778"]),
        ("jade", ["file:///etc/passwd"]),
        ("jade", ["http:///acc"]),
        ("jade", ["http://h ost/acc"]),
        ("jade", ["http://h:99999/acc"]),
        ("jade", ["http://[::1/acc"]),
    ],
)
def test_invalid_peers_are_refused(platform, addresses):
    with pytest.raises(UsageError, match=r"as http://127.0.0.1:7778/acc|jade-platform and http"):
        Peers(takes_strangers=True).name(platform, addresses)


@pytest.mark.parametrize(
    ("remote", "may_send"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("192.0.2.1", True),
        ("::ffff:192.0.2.1", True),
        ("192.0.2.2", False),
        ("", False),
        (None, False),
    ],
)
async def test_only_its_own_host_and_this_one_speak_for_a_platform(remote, may_send):
    assert await AllowedHosts().may_send(Peer("jade", ("http://192.0.2.1:7778/acc",)), remote) is may_send
