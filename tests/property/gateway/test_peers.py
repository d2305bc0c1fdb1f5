"""Addresses that strangers announce, whatever they write."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from formicary.gateway.acl_message import AgentIdentifier
from formicary.gateway.peers import Peers, ip_of, is_public

pytestmark = pytest.mark.gateway
HOSTS = st.one_of(
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map("[{}]".format),
    st.ip_addresses(v=4).map("[::ffff:{}]".format),
    st.text("0179afx.:[]@%\\/#?-_ \t", max_size=20),
    st.text(max_size=20),
)


@given(HOSTS, HOSTS, st.sampled_from(["", ":80", "/acc", "@", ":", "%2e", "\\", "#", "?"]))
@example("127.0.0.1", "jade.example", "\\@")
@example("8.8.8.8", "127.0.0.1", "%2e")
def test_what_is_learned_is_a_name_or_a_public_address_also_to_who_writes_to_it(one, other, between):
    from yarl import URL  # as aiohttp reads them

    peers = Peers(takes_strangers=True)
    peers.learn(
        AgentIdentifier("seller@jade", tuple(f"http://{host}" for host in (one, one + between + other)))
    )
    for address in peers.find("seller%jade").addresses:
        host = URL(address).host
        assert host
        assert is_public(host) if ip_of(host) else host.rstrip(".").rpartition(".")[2][0].isalpha()
