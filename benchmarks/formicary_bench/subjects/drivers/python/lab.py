"""The conversation with the laboratory, for drivers in Python: JSON lines, see docs/drivers.md.

This runs in the driver's own environment, without the laboratory.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import sys
import traceback
from array import array
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import IO, Any

_PROTOCOL = 1
_SECONDS_BETWEEN_REPORTS = 0.25


class Times:
    """The round trips of one pair, in nanoseconds."""

    __slots__ = ("rtts", "start", "starts")

    def __init__(self) -> None:
        self.starts = array("q")
        self.rtts = array("q")
        self.start = 0

    def reset(self) -> None:
        """Forget all."""
        self.starts = array("q")
        self.rtts = array("q")

    def begin(self) -> None:
        """Note that a round trip begins."""
        self.start = perf_counter_ns()

    def end(self) -> None:
        """Note that it has ended."""
        self.rtts.append(perf_counter_ns() - self.start)
        self.starts.append(self.start)


@dataclass
class Part:
    """The prepared part of a driver.

    Attributes:
        go: makes all round trips of a round, given the number for each pair; called once per round.
        endpoint: how the asking driver reaches this one.
        times: the times of each pair.
    """

    go: Callable[[int], Awaitable[None]]
    endpoint: str = ""
    times: list[Times] = field(default_factory=list)


class Channel:
    """The connection to the laboratory, which has standard output for itself."""

    def __init__(self) -> None:
        self._out: IO[bytes] = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        self.orders: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._prepared = 0

    def say(self, kind: str, **values: object) -> None:
        """Send the laboratory a message."""
        self._out.write(json.dumps({"type": kind, **values}).encode() + b"\n")
        self._out.flush()

    def advance(self) -> None:
        """Report progress if preparing takes more than some seconds."""
        self._prepared += 1
        self.progress(0)

    def progress(self, trips: int) -> None:
        """Report the number of completed round trips."""
        self.say("progress", done=self._prepared + trips)

    async def listen(self) -> None:
        """Put the laboratory's messages into `orders`, and None when it is gone."""
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        async for line in reader:
            self.orders.put_nowait(json.loads(line))
        self.orders.put_nowait(None)


Prepare = Callable[[dict[str, Any], Callable[[], None]], Awaitable[Part]]
"""Prepares all agents, given the laboratory's order and a function to call on progress."""


def serve(
    hello: dict[str, object], prepare: Prepare, run: Callable[[Coroutine[Any, Any, None]], None] = asyncio.run
) -> None:
    """Be a driver until the laboratory ends it.

    Args:
        hello: the content of the driver's hello.
        prepare: prepares all agents.
        run: runs a coroutine as programs of the platform do.
    """
    run(_serve(Channel(), hello, prepare))


async def _serve(channel: Channel, hello: dict[str, object], prepare: Prepare) -> None:
    code = 0
    try:
        loop = type(asyncio.get_running_loop()).__module__.partition(".")[0]
        runtime = f"{platform.python_implementation()} {platform.python_version()}, {loop}"
        channel.say("hello", protocol=_PROTOCOL, runtime=runtime, again=True, **hello)
        await _obey(channel, prepare)
    except Exception as error:  # noqa: BLE001 -- whatever it is, the laboratory has to know
        code = 1
        traceback.print_exc()
        channel.say("failed", reason=f"{type(error).__name__}: {error}")
    os._exit(code)  # what the platform still does goes with the process; it may not want to be cancelled


async def _obey(channel: Channel, prepare: Prepare) -> None:
    listening = asyncio.create_task(channel.listen())
    part, job = Part(_nobody), {}
    while (order := await channel.orders.get()) is not None and order["type"] != "stop":
        if order["type"] == "prepare":
            job, part = order, await prepare(order, channel.advance)
            channel.say("ready", endpoint=part.endpoint)
        else:
            await _measure(channel, part, order.get("trips") or sum(job["rounds"]))
            with open(job["times"], "xb") as file:  # noqa: ASYNC230, PTH123 -- all else is over
                for times in part.times:
                    times.starts.tofile(file)
                    times.rtts.tofile(file)
            channel.say("done")
    listening.cancel()


async def _nobody(trips: int) -> None:
    del trips


async def _measure(channel: Channel, part: Part, trips: int) -> None:
    for times in part.times:
        times.reset()
    going = asyncio.ensure_future(part.go(trips))
    while not going.done():
        await asyncio.wait([going], timeout=_SECONDS_BETWEEN_REPORTS)
        channel.progress(sum(len(times.rtts) for times in part.times))
    going.result()
