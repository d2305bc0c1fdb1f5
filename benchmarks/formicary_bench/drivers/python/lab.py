"""The conversation with the laboratory, for drivers in Python: JSON lines, see docs/drivers.md.

This runs in an environment of the driver's own, which has nothing of the laboratory.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
from array import array
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_PROTOCOL = 1
_SECONDS_BETWEEN_REPORTS = 0.25


class Times:
    """The round trips of one pair, in nanoseconds."""

    __slots__ = ("rtts", "start", "starts")

    def __init__(self) -> None:
        self.starts = array("q")
        self.rtts = array("q")
        self.start = 0

    def begin(self) -> None:
        """Note that a round trip begins."""
        self.start = perf_counter_ns()

    def end(self) -> None:
        """Note that it has ended."""
        self.rtts.append(perf_counter_ns() - self.start)
        self.starts.append(self.start)


@dataclass
class Part:
    """What a driver has prepared.

    Attributes:
        go: makes all round trips.
        endpoint: what the driver that asks has to know to reach this one.
        times: of each pair.
    """

    go: Callable[[], Awaitable[None]]
    endpoint: str = ""
    times: list[Times] = field(default_factory=list)


class Channel:
    """The line to the laboratory; standard output is for nobody else."""

    def __init__(self) -> None:
        self._out: IO[bytes] = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        self.orders: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    def say(self, kind: str, **values: object) -> None:
        """Tell the laboratory something."""
        self._out.write(json.dumps({"type": kind, **values}).encode() + b"\n")
        self._out.flush()

    async def listen(self) -> None:
        """Put what the laboratory says into `orders`, and None when it is gone."""
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        async for line in reader:
            self.orders.put_nowait(json.loads(line))
        self.orders.put_nowait(None)


def serve(hello: dict[str, object], prepare: Callable[[dict[str, Any]], Awaitable[Part]]) -> None:
    """Be a driver until the laboratory says that it is over.

    Args:
        hello: what to say of the platform.
        prepare: has all agents ready, given what the laboratory wants.
    """
    channel = Channel()
    try:
        asyncio.run(_serve(channel, hello, prepare))
    except Exception as error:  # noqa: BLE001 -- whatever it is, the laboratory has to know
        traceback.print_exc()
        channel.say("failed", reason=f"{type(error).__name__}: {error}")
        os._exit(1)
    os._exit(0)  # what the platform still has open goes with the process


async def _serve(
    channel: Channel, hello: dict[str, object], prepare: Callable[[dict[str, Any]], Awaitable[Part]]
) -> None:
    channel.say("hello", protocol=_PROTOCOL, **hello)
    listening = asyncio.create_task(channel.listen())
    while (job := await channel.orders.get()) is not None and job["type"] == "prepare":
        part = await prepare(job)
        channel.say("ready", endpoint=part.endpoint)
        order = await channel.orders.get()
        if order is None or order["type"] != "go":
            break
        await _measure(channel, part)
        with open(job["times"], "wb") as file:  # noqa: ASYNC230, PTH123 -- all else is over
            for times in part.times:
                times.starts.tofile(file)
                times.rtts.tofile(file)
        channel.say("done")
    listening.cancel()


async def _measure(channel: Channel, part: Part) -> None:
    going = asyncio.ensure_future(part.go())
    while not going.done():
        await asyncio.wait([going], timeout=_SECONDS_BETWEEN_REPORTS)
        channel.say("progress", done=sum(len(times.rtts) for times in part.times))
    going.result()
