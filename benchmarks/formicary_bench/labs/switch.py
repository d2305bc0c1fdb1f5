"""The network of a scenario, in the judge's process: delays and records what containers send.

Frames from the program's process are checked here: they may only speak for the program's own containers and
their agents.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

import msgspec

from formicary.core.quoting import shorten
from formicary.testing.memory_line import decode, domain_of
from formicary_bench.labs.exchange import Frame
from formicary_bench.labs.ports import Port, Ports
from formicary_bench.labs.programs import Broken

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.container.options import ConnectionOptions
    from formicary_bench.labs.recording import Arrow, Recorder

_MOST = 100_000  # messages in a scenario: in the largest there are some ten thousand


class _UnderWay(msgspec.Struct):
    due: float
    frame: Frame
    arrow: Arrow | None
    is_over: bool = False


class Switch:
    """Connects the containers of a scenario: `Container("c1", server=switch)`.

    From one container to another, messages arrive in the order in which they were sent.

    Attributes:
        delay: the seconds that each message takes; or a function that returns them for each, so that messages
            of different containers overtake each other.
        expected: the domains of the program's containers that are about to open.
    """

    def __init__(self, recorder: Recorder, to_program: Callable[[Frame], None]) -> None:
        self.delay: float | Callable[[], float] = 0.0
        self.expected: set[str] = set()
        self._recorder = recorder
        self._to_program = to_program
        self._ports = Ports(self._from_judge)
        self._lines: dict[tuple[str, str], deque[_UnderWay]] = {}
        self._letters = 0

    def transport(self, options: ConnectionOptions | None = None) -> Port:
        """Return the transport of a container of the judge."""
        return self._ports.transport(options)

    def _from_judge(self, frame: Frame) -> None:
        if frame.kind == "come":
            self._to_program(frame)
        elif frame.kind == "left":
            self._forget(frame.source)
            self._to_program(frame)
        else:
            self._send(frame)

    def from_program(self, frame: Frame) -> None:
        """Take a frame from a container of the program.

        Raises:
            Broken: no such container sends such a frame.
        """
        if frame.kind == "come":
            if frame.source not in self.expected:
                raise Broken(f"the program opened another container, {shorten(frame.source)}")
            self.expected.remove(frame.source)
            self._ports.take(frame)
        elif frame.source not in self._ports.there:
            if frame.source in self._ports.here:
                raise Broken(f"the program sent something as {frame.source}, which is the checker's")
        elif frame.kind == "left":
            self.crash(frame.source)
        elif frame.kind == "lost":
            raise Broken("the program reported a message as lost that was not")
        else:
            self._send(frame)

    def crash(self, domain: str) -> None:
        """Remove a container of the program, with everything in transit from and to it."""
        if domain in self._ports.there:
            self._forget(domain)
            self._ports.take(Frame("left", domain))

    def _send(self, frame: Frame) -> None:
        arrow = self._checked(frame) if frame.kind == "letter" else None
        if not self._ports.has(frame.target):
            if arrow is not None:
                arrow.lost = f"no container for {frame.receiver} is on the memory network"
            return
        loop = asyncio.get_running_loop()
        line = self._lines.setdefault((frame.source, frame.target), deque())
        due = loop.time() + (self.delay() if callable(self.delay) else self.delay)
        if line:
            due = max(due, line[-1].due)
        line.append(under_way := _UnderWay(due, frame, arrow))
        loop.call_at(due, self._arrive, line, under_way)

    def _checked(self, frame: Frame) -> Arrow:
        """Return the arrow of a message whose sender is of the container that it comes from."""
        self._letters += 1
        if self._letters > _MOST:
            raise Broken(f"there were more than {_MOST} messages: does every answer cause another answer?")
        try:
            message = decode(frame.data)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise Broken(f"the program sent something that is not a message: {error}") from error
        if domain_of(message.sender or "") != frame.source:
            raise Broken(f"the program sent a message in the name of {shorten(message.sender or '')}")
        return self._recorder.sent(message, frame.receiver)

    def _arrive(self, line: deque[_UnderWay], until: _UnderWay) -> None:
        """Deliver what is due, in order: timers due at the same time fire in any order."""
        while not until.is_over:
            first = line.popleft()
            first.is_over = True
            if first.arrow is not None:
                first.arrow.arrived = asyncio.get_running_loop().time()
            self._deliver(first.frame)

    def _deliver(self, frame: Frame) -> None:
        if frame.target in self._ports.here:
            self._ports.take(frame)
        else:
            self._to_program(frame)

    def _forget(self, domain: str) -> None:
        """Drop what is in transit from and to a container, and tell the senders."""
        reason = f"container {domain} has left the memory network"
        for ends, line in self._lines.items():
            if domain not in ends:
                continue
            for under_way in line:
                under_way.is_over = True
                if under_way.arrow is not None:
                    under_way.arrow.lost = reason
                    if domain == ends[1]:
                        frame = under_way.frame
                        self._deliver(Frame("lost", domain, ends[0], frame.receiver, frame.data, reason))
            line.clear()
