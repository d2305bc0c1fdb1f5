"""The controller's side of a host agent, in the session's event loop."""

from __future__ import annotations

import asyncio
import itertools
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from formicary.errors import FormicaryError
from formicary.processes.messages import Stop
from formicary.processes.requests import Answer, Refusal, Request, Requests
from formicary_bench.remote import HostError
from formicary_bench.remote.clocks import Clock, Sample
from formicary_bench.remote.host_agent import protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.remote.clocks import Offset
    from formicary_bench.remote.host_agent.program import HostProgram
    from formicary_bench.remote.inventory import Host
    from formicary_bench.remote.launchers.launcher import Launcher

T = TypeVar("T")

LOST_SECONDS = protocol.ORPHANED_SECONDS + 2
"""The silence after which a host is given up."""

_LOST = 255  # exit code of a worker whose host is lost, as `ssh` has it
_FIRST_BEATS = 8  # in quick succession, to know the clock from the beginning
_SECONDS_BETWEEN_FIRST = 0.02


class Link:
    """A host agent, from its start to its end.

    Args:
        host: its host.
        launcher: starts it.
        notify: called with a sentence when the host goes missing, comes back or is lost.

    Attributes:
        name: the host's name.
        is_missing: whether it has not answered for a while.
        lost: why it is gone, a sentence without a full stop; empty while it is there.
    """

    def __init__(self, host: Host, launcher: Launcher, notify: Callable[[str], object]) -> None:
        self.name = host.name
        self.is_missing = False
        self.lost = ""
        self._clock = Clock()
        self._host = host
        self._launcher = launcher
        self._notify = notify
        self._workers: dict[int, Callable[[protocol.WorkerMessage], None]] = {}
        self._requests: Requests[protocol.Question[Any], msgspec.Raw] = Requests(self.send)
        self._is_ending = False
        self._is_timed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._program: HostProgram | None = None

    async def start(self) -> None:
        """Start the host agent; raises as `Launcher.launch` does."""
        self._program = await self._launcher.launch(self._host)
        if environment := self._host.environment:
            self.send(protocol.Use(environment))
        self._tasks = [
            asyncio.create_task(self._listen(self._program)),
            asyncio.create_task(self._beat()),
        ]

    def send(self, message: protocol.ControllerMessage | Request[protocol.Question[Any]]) -> None:
        """Send the host agent a message; do nothing if it is gone."""
        if self._program is not None and not self.lost:
            self._program.line.send(message)

    def add(self, number: int, take: Callable[[protocol.WorkerMessage], None]) -> None:
        """Call a function with all messages about a worker."""
        self._workers[number] = take
        if self.lost:
            self._hand_on(protocol.Ended(number, _LOST, self.lost))

    async def ask(self, question: protocol.Question[T]) -> T:
        """Ask the host agent a question; raises as `Session.ask` does."""
        if self.lost:
            raise HostError(self.lost)
        what = type(question).__name__
        try:
            async with asyncio.timeout(question.seconds):
                answer: T = msgspec.json.decode(await self._requests.ask(question), type=question.answer)
        except TimeoutError as error:
            sentence = f"no answer to {what} within {question.seconds:g} s; is it overloaded?"
            raise self._error(sentence) from error
        except msgspec.DecodeError as error:
            raise self._error(f"the answer to {what} cannot be understood ({error}); try again") from error
        except HostError:
            raise
        except FormicaryError as error:
            raise self._error(str(error)) from error
        return answer

    async def clock(self, seconds: float) -> Offset | None:
        """Return how far the host's clock is ahead of ours; None if still unknown after these seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_timed.wait()
        return self._clock.offset(time.time_ns())

    async def end(self, seconds: float) -> None:
        """End the host agent with all that it has started, within these seconds."""
        self._is_ending = True
        self.send(Stop())
        if self._program is not None and not self.lost:
            await self._program.end(seconds)
        self._lose("the session is over")
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _error(self, sentence: str) -> HostError:
        return HostError(f"host {self.name}: {sentence}")

    async def _listen(self, program: HostProgram) -> None:
        try:
            while (message := await program.receive()) is not None:
                self._take(message)
            cause = await program.how_it_ended()
        except HostError as error:
            cause = str(error)
        self._lose(f"the connection to host {self.name} was lost ({cause})")

    def _take(self, message: protocol.AgentMessage) -> None:
        match message:
            case protocol.Beaten(sent_ns, at_ns):
                self._clock.add(Sample(sent_ns, at_ns, time.time_ns()))
                self._is_timed.set()
            case Answer() | Refusal():
                self._requests.settle(message)
            case _:
                self._hand_on(message)

    def _hand_on(self, message: protocol.WorkerMessage) -> None:
        if isinstance(message, protocol.Ended):
            take = self._workers.pop(message.worker, None)
        else:
            take = self._workers.get(message.worker)
        if take is not None:  # else nobody wants to know any more
            take(message)

    async def _beat(self) -> None:
        """Send signs of life, and check those of the host agent."""
        for count in itertools.count():
            self.send(protocol.Beat(time.time_ns()))
            await asyncio.sleep(_SECONDS_BETWEEN_FIRST if count < _FIRST_BEATS else protocol.BEAT_SECONDS)
            if self._program is None:
                return
            silence = time.monotonic() - self._program.line.heard
            if silence > LOST_SECONDS:
                self._lose(f"the connection to host {self.name} was lost (no answer for {LOST_SECONDS:g} s)")
                await self._program.kill()
                return
            self._note(is_missing=silence > protocol.MISSING_SECONDS)

    def _note(self, *, is_missing: bool) -> None:
        if is_missing != self.is_missing:
            self.is_missing = is_missing
            news = (
                f"is missing: no answer for {protocol.MISSING_SECONDS:g} s"
                if is_missing
                else "is there again"
            )
            self._notify(f"host {self.name} {news}")

    def _lose(self, sentence: str) -> None:
        """Note that the host agent is gone, and fail everything that waits for it."""
        if self.lost:
            return
        self.lost = sentence
        self.is_missing = True
        self._is_timed.set()
        if not self._is_ending:
            self._notify(sentence)
        for number in [*self._workers]:
            self._hand_on(protocol.Ended(number, _LOST, sentence))
        self._requests.fail(HostError(sentence))
        if self._program is not None:
            self._program.close()
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()
