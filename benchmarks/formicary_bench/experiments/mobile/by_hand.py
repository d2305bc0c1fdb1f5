"""Hops without agents: two processes with a TCP connection between them.

The state of a traveller is encoded, sent and decoded, and a new task continues with it.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.mobile.loops import Loops
from formicary_bench.subjects.baselines import tcp
from formicary_bench.vocabulary.names import MESSENGER
from formicary_bench.vocabulary.places import ECHO
from formicary_bench.worker.workload import Countdown, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from formicary_bench.worker.workload import Workload


class Carried(msgspec.Struct, array_like=True):
    """What goes from place to place: a name, the hops left, and the payload."""

    name: str
    left: int
    data: bytes


_encode, _decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Carried).decode


class Place(tcp.Framed):
    """One end of the connection."""

    def __init__(self) -> None:
        super().__init__()
        self.expected = Countdown()
        self._task: asyncio.Task[None] | None = None  # the loop keeps no reference to it

    def send(self, carried: Carried) -> None:
        """Send the traveller to the other end."""
        content = _encode(carried)
        self.transport.write(tcp.LENGTH.pack(len(content)) + content)

    def received(self, frame: bytes) -> None:
        """Start a task for the traveller that has arrived."""
        self._task = asyncio.create_task(self._travel(_decode(frame[tcp.LENGTH.size :])))

    async def _travel(self, carried: Carried) -> None:
        """Send it on, unless this was its last hop."""
        if not carried.left:
            self.expected.count()
            return
        carried.left -= 1
        self.send(carried)


class Hand(Loops):
    """Makes the loops from the first place."""

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        self.place = Place()

    async def operate(self, count: int) -> None:
        """Make a loop of hops, or of round trips."""
        hops = 2 * count if self.work.configuration.experiment == MESSENGER else count
        arrival = self.place.expected.expect(1)
        self.place.send(Carried("traveller", hops - 1, self.work.body.encode()))
        await arrival


def connected(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up the place of a worker's process."""
    return _echo(work) if work.job.role == ECHO else _ask(work)


@asynccontextmanager
async def _echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the second place."""
    async with tcp.listening(work, Place) as endpoint:
        yield PreparedRole(endpoint)


@asynccontextmanager
async def _ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the first place, which makes the loops."""
    hand = Hand(work)
    async with tcp.connected([hand.place], work.job.peer):
        yield PreparedRole(measure=hand.make_all)
