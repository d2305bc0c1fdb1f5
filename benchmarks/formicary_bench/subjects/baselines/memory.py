"""The lower bound between two processes: memory that both map and poll for each other's messages.

Each side polls all pairs and never waits in the system, so it needs two cores and keeps both busy. A pair
has a slot for the request and one for the answer, each with its length and a number that is written last.
"""

from __future__ import annotations

import asyncio
import mmap
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary.core.scratch import scratch_folder
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from formicary_bench.worker.workload import Workload

_ROUNDS = 1000  # rounds over all pairs before other tasks get a turn
_HEAD = 2  # words before a body: number and length
_WORD = 4  # bytes


class Places:
    """The slots of all pairs in memory: by number, one for the request and one for the answer of each.

    Args:
        memory: the memory.
        places: the number of slots.
        room: bytes of the largest body.
    """

    def __init__(self, memory: memoryview, places: int, room: int) -> None:
        heads = _HEAD * _WORD * places
        self.words = memory[:heads].cast("I")
        self._bodies = memory[heads:]
        self._room = room

    @staticmethod
    def size(places: int, room: int) -> int:
        return places * (_HEAD * _WORD + room)

    def write(self, place: int, body: bytes, number: int) -> None:
        """Write a body, and then its number."""
        begin = place * self._room
        self._bodies[begin : begin + len(body)] = body
        self.words[_HEAD * place + 1] = len(body)
        self.words[_HEAD * place] = number

    def number(self, place: int) -> int:
        return self.words[_HEAD * place]

    def read(self, place: int) -> bytes:
        begin = place * self._room
        return bytes(self._bodies[begin : begin + self.words[_HEAD * place + 1]])

    def close(self) -> None:
        self.words.release()
        self._bodies.release()


@contextmanager
def _mapped(path: Path, work: Workload, mode: str) -> Iterator[Places]:
    """Map the memory of a file, opened in a mode."""
    places, room = 2 * work.exchange.pairs, work.exchange.payload_bytes
    with path.open(mode) as file:
        file.truncate(Places.size(places, room))
        with mmap.mmap(file.fileno(), 0) as mapped, memoryview(mapped) as memory:
            here = Places(memory, places, room)
            try:
                yield here
            finally:
                here.close()


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Answer in shared memory."""
    with scratch_folder() as folder:
        path = Path(folder, "places")
        with _mapped(path, work, "w+b") as places:
            answering = asyncio.create_task(_answer(places, work.exchange.pairs))
            try:
                yield PreparedRole(str(path))
            finally:
                answering.cancel()
                await asyncio.gather(answering, return_exceptions=True)


async def _answer(places: Places, pairs: int) -> None:
    answered = [0] * pairs
    while True:
        for _ in range(_ROUNDS):
            for pair, before in enumerate(answered):
                if (number := places.number(2 * pair)) != before:
                    places.write(2 * pair + 1, places.read(2 * pair), number)
                    answered[pair] = number
        await asyncio.sleep(0)


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    work.times += [PairTimes() for _ in work.senders]
    with _mapped(Path(work.job.peer), work, "r+b") as places:

        async def measure() -> None:
            await _ask(places, work)

        yield PreparedRole(measure=measure)


async def _ask(places: Places, work: Workload) -> None:
    """Make all round trips of all pairs.

    Raises:
        RuntimeError: an answer differs from its request.
    """
    body, last = work.body.encode(), work.trips
    begun = [perf_counter_ns() for _ in work.times]
    for pair in range(len(begun)):
        places.write(2 * pair, body, 1)
    active = dict.fromkeys(range(len(begun)), 1)  # for each pair, the number of its request
    while active:
        for _ in range(_ROUNDS):
            for pair, number in list(active.items()):
                if places.number(2 * pair + 1) != number:
                    continue
                answer = places.read(2 * pair + 1)
                now, times = perf_counter_ns(), work.times[pair]
                if answer != body:
                    raise RuntimeError(f"pair {pair} was answered {answer!r:.200}")
                times.rtts.append(now - begun[pair])
                times.starts.append(begun[pair])
                if number == last:
                    del active[pair]
                    continue
                active[pair] = number + 1
                begun[pair] = perf_counter_ns()
                places.write(2 * pair, body, number + 1)
        await asyncio.sleep(0)
