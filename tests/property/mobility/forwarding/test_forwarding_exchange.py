"""Roaming agents write to each other: messages arrive once and in order."""

from __future__ import annotations

import asyncio

from hypothesis import example, given
from hypothesis import strategies as st
from tests.property.mobility.forwarding.exchange import PLACES, Meeting
from tests.property.mobility.forwarding.mesh import Mesh
from tests.property.searches import at_first

from formicary.testing import run_virtual

HOUR = 3600

place = st.integers(0, PLACES - 1)
hows = st.tuples(
    st.sampled_from((1, 3, 5)),  # messages at once
    st.sampled_from((0.0, 0.002, 0.005)),  # seconds that it takes for each that comes
    st.sampled_from((0.01, 0.02, 0.1)),  # seconds between two times
)
stays = st.sampled_from((0.0, 0.001, 0.02))  # s in each place
limits = st.sampled_from((5, 20, 1000))  # of mailboxes
delays = st.sampled_from((0.002, 0.02))  # s on the way, about
ways = st.lists(st.tuples(place, hows, st.lists(place, max_size=10), stays), min_size=2, max_size=3)


async def play(mesh, limit, ways):
    """Return the sent, the received, and the reasons for failures."""
    async with Meeting(mesh, limit) as meeting:
        addresses = await meeting.start([way[:2] for way in ways])
        async with asyncio.timeout(HOUR), asyncio.TaskGroup() as journeys:
            for address, (_, _, trail, stay) in zip(addresses, ways, strict=True):
                journeys.create_task(meeting.roam(address, trail, stay))
        sent, got = await meeting.cease()
        return sent, got, meeting.reasons()


# What was seen out of order once: messages of agents that were at a destination before what came along.
SLOW, FAST, EAGER = (1, 0.002, 0.02), (5, 0.005, 0.02), (5, 0.002, 0.02)
FOUND = (
    (
        31,
        (0, (3, 0.002, 0.02), [0, 1, 0, 1, 1, 1, 0, 0, 1, 1], 0.02),
        (3, FAST, [1, 0, 0, 0, 3, 2, 1, 1, 2, 3], 0.001),
        (1, SLOW, [3, 0, 0, 1, 2, 1, 1, 1, 3, 0], 0.0),
    ),
    (
        77,
        (1, SLOW, [0, 2, 3, 1, 1, 0, 2, 0, 3, 1], 0.0),
        (3, (1, 0.005, 0.02), [2, 0, 0, 2, 3, 1, 1, 1, 0, 0], 0.0),
        (3, EAGER, [0, 1, 2, 0, 0, 3, 0, 0, 2, 3], 0.02),
    ),
    (  # and here of one that had come while older ones of its own waited for room
        11,
        (3, EAGER, [1, 3, 1, 0, 3, 2, 1, 0, 0, 3], 0.001),
        (1, EAGER, [0, 0, 0, 1, 1, 0, 3, 2, 3, 1], 0.02),
        (1, FAST, [3, 0, 0, 3, 2, 3, 0, 2, 2, 1], 0.02),
    ),
)


@at_first(4, 20)  # of half a second each
@given(st.integers(0, 1000), delays, limits, ways)
@example(FOUND[0][0], 0.002, 1000, FOUND[0][1:])
@example(FOUND[1][0], 0.002, 1000, FOUND[1][1:])
@example(FOUND[2][0], 0.002, 5, FOUND[2][1:])
def test_what_roamers_write_to_each_other_comes_once_and_in_order(seed, delay, limit, ways):
    mesh = Mesh(seed)
    mesh.delay = delay
    sent, got, why = run_virtual(play(mesh, limit, ways))
    assert why == []
    assert got == sent
