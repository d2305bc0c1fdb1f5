"""Sends by a schedule, whether answers come or not: what an open loop is.

The time of a message counts from when it was *due*, so one that could not be sent in time, as the system was
busy with others, is as slow as it would be to somebody who had wanted it sent then. Nothing is left out: what
is late is sent at once.
"""

from __future__ import annotations

import asyncio
from array import array
from contextlib import suppress
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary_bench.experiments.messaging.open_loop import Paced
from formicary_bench.vocabulary.values import HEAD, LATE, LATEST_US, LOST, schedule
from formicary_bench.worker.workload import PairTimes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary_bench.worker.workload import Workload

    Send = Callable[[int, str], Awaitable[None] | None]

LATE_NS = 1_000_000
"""From how many nanoseconds on a message counts as sent late."""

GRACE_SECONDS = 5.0
"""How long answers are waited for when the last message has been sent."""

_HEAD_START_NS = 20_000_000
_SLEPT_NS = 3_000_000  # event loops keep time to a millisecond: nearer than this, turns are counted instead
_AT_ONCE = 32  # messages that may be sent in one turn of the loop, when many are late


class Pacer:
    """Sends what is due, and takes the times of answers."""

    def __init__(self, work: Workload) -> None:
        paced = Paced.of(work.configuration)
        senders = len(work.senders)
        self._work = work
        # Senders take turns: message n is number n // senders of sender n % senders.
        self._plan = schedule(paced.arrivals, paced.rate, senders * work.trips, work.job.seed)
        work.times += [PairTimes() for _ in work.senders]
        self._due = [self._plan[number::senders] for number in work.senders]
        self._rtts = [array("q", [LOST]) * work.trips for _ in work.senders]
        self._rest = work.body[HEAD:]
        self._begin_ns = 0
        self._left = len(self._plan)
        self._complete = asyncio.Event()

    def answered(self, sender: int, body: str | bytes) -> None:
        """Take an answer, with the body that was sent."""
        now = perf_counter_ns()
        index = int(body[:HEAD])
        due, rtts = self._begin_ns + self._due[sender][index], self._rtts[sender]
        if rtts[index] != LOST:
            raise RuntimeError(f"message {index} of sender {sender} was answered twice")
        rtts[index] = now - due
        times = self._work.times[sender]
        times.starts.append(due)
        times.rtts.append(now - due)
        self._left -= 1
        if not self._left:
            self._complete.set()

    async def run(self, send: Send) -> None:
        """Send everything, and wait for the answers, but not for ever.

        Args:
            send: sends a body by a sender, by its number.
        """
        self._begin_ns = begin = perf_counter_ns() + _HEAD_START_NS
        senders = len(self._due)
        at_once = 0
        for number, at_ns in enumerate(self._plan):
            at_once += 1
            if perf_counter_ns() < begin + at_ns or at_once > _AT_ONCE:
                await _until(begin + at_ns)
                at_once = 0
            index, sender = divmod(number, senders)
            self._note(begin + at_ns, index)
            sent = send(sender, f"{index:0{HEAD}d}{self._rest}")
            if sent is not None:
                await sent
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._complete.wait()
        self._hand_over()

    def _note(self, due_ns: int, index: int) -> None:
        """Count a measured message that is sent late."""
        late = perf_counter_ns() - due_ns
        exchange = self._work.exchange
        if late > LATE_NS and 0 <= index - exchange.warm_up < exchange.measured:
            counters = self._work.counters
            counters[LATE] = counters.get(LATE, 0) + 1
            counters[LATEST_US] = max(counters.get(LATEST_US, 0.0), late / 1e3)

    def _hand_over(self) -> None:
        """Hand over all times in the order in which the messages were due; unanswered ones are `LOST`."""
        for times, due, rtts in zip(self._work.times, self._due, self._rtts, strict=True):
            times.starts[:] = array("q", (self._begin_ns + at_ns for at_ns in due))
            times.rtts[:] = rtts


async def _until(due_ns: int) -> None:
    """Wait until it is time; other tasks have at least one turn."""
    await asyncio.sleep(0)
    while (left := due_ns - perf_counter_ns()) > 0:  # noqa: ASYNC110 -- the clock sets no event
        await asyncio.sleep((left - _SLEPT_NS) / 1e9 if left > _SLEPT_NS else 0)
