"""An agent roams a ring under fire, and returns while earlier messages are still in transit."""

from __future__ import annotations

import asyncio

from hypothesis import example, given
from hypothesis import strategies as st
from tests.property.mobility.forwarding.mesh import Mesh
from tests.property.mobility.forwarding.roamers import PLACES, Ring
from tests.property.searches import at_first

from formicary.testing import run_virtual

HOUR = 3600

place = st.integers(0, PLACES - 1)
trails = st.one_of(
    st.integers(1, 3).map(lambda laps: [0, 1, 2, 3] * laps),
    st.integers(1, 5).map(lambda laps: [0, 1] * laps),
    st.integers(1, 4).map(lambda laps: [0, 2, 1] * laps),
    st.lists(place, max_size=12),
)
fires = st.lists(
    st.tuples(place, st.sampled_from(((1, 0.001), (3, 0.002), (1, 0.05)))), min_size=1, max_size=3
)
stays = st.sampled_from((0.0, 0.001, 0.02))  # s in each place
limits = st.sampled_from((20, 1000))  # of mailboxes
turns = st.sampled_from((0.0, 0.02, 0.1))  # s between two times that containers read

# Lost once: a message that waited for a clear path when the agent left again in that turn.
LAPS = (0, [0, 1] * 4, 0.02)


async def play(network, limit, journey, fires):
    """Return the sent, the received, and the reasons for failures."""
    home, trail, stay = journey
    async with Ring(network, limit) as ring:
        await ring.start(home)
        for where, how in fires:
            await ring.open_fire(where, *how)
        async with asyncio.timeout(HOUR):
            await ring.roam(trail, stay)
        sent, received = await ring.cease()
        return sent, received, ring.reasons()


@at_first(5, 15)
@given(st.integers(0, 1000), turns, limits, st.tuples(place, trails, stays), fires)
@example(6, 0.02, 1000, LAPS, [(0, (3, 0.002))])
def test_each_message_comes_once_and_in_order(seed, turn, limit, journey, fires):
    mesh = Mesh(seed)
    mesh.turn = turn
    sent, received, why = run_virtual(play(mesh, limit, journey, fires))
    assert why == []
    assert received == sent
