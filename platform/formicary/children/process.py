"""The process of a container, as the program that started it sees it: orders, answers, its end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from typing import TYPE_CHECKING, Final

from formicary.children.orders import Ended, Gone, Order, Report
from formicary.core.errors import ContainerLostError
from formicary.processes.child import Child
from formicary.processes.lines import Line, LineError
from formicary.processes.messages import Stop
from formicary.processes.requests import Requests, request_nothing
from formicary.processes.words import signal_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.processes.requests import Request

_ENDS_WITHIN: Final = 2.0  # s for a launcher's command to end what it started
_WORKER: Final = (sys.executable, "-P", "-m", "formicary.local.worker")


class ContainerProcess:
    """A process for one container.

    Args:
        name: the container's.
        on_gone: called with the names of agents that ended there.
        on_lost: called when it ended by itself; `loss` says how.
        before: the command that starts it elsewhere and passes on its standard input and output; none for a
            child of this process.
    """

    def __init__(
        self,
        name: str,
        on_gone: Callable[[list[str]], None],
        on_lost: Callable[[], None],
        before: Sequence[str] = (),
    ) -> None:
        self._name = name
        self._before = before
        self._on_gone = on_gone
        self._on_lost = on_lost
        self._process: Child | None = None
        self._line: Line[Report] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._requests: Requests[Order, list[str]] = Requests(self._send)
        self._is_closing = False
        self.report: Ended | None = None
        """Its last report, if it ended in order."""
        self.loss: str | None = None
        """How it ended by itself, as a sentence."""

    @property
    def pid(self) -> int:
        """The process ID.

        Raises:
            ContainerLostError: it was never started.
        """
        if self._process is None:
            raise ContainerLostError(
                f"container {self._name} was never started; use `async with container.spawn(...)`"
            )
        return self._process.pid

    async def start(self) -> None:
        """Start the process.

        Raises:
            ContainerLostError: the system refuses.
        """
        try:
            self._line = await (self._start_elsewhere() if self._before else self._start_here())
        except OSError as error:
            advice = f"is {self._before[0]} installed?" if self._before else "ask for fewer containers"
            raise ContainerLostError(
                f"the process of container {self._name} cannot be started ({error.strerror}); {advice}"
            ) from error
        self._reading = asyncio.create_task(self._read(), name=f"listens to container {self._name}")

    async def _start_here(self) -> Line[Report]:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = Child([*_WORKER, str(theirs.fileno())], pass_fds=[theirs.fileno()])
            except OSError:
                ours.close()
                raise
        return await Line.open(ours, Report)

    async def _start_elsewhere(self) -> Line[Report]:
        self._process = Child([*self._before, *_WORKER], is_piped=True)
        return await self._process.line(Report)

    # -- reports --------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        assert self._line is not None
        assert self._process is not None
        try:
            while (report := await self._line.receive()) is not None:
                match report:
                    case Gone(names):
                        self._on_gone(names)
                    case Ended():
                        self.report = report
                    case _:
                        self._requests.settle(report)
        except LineError:  # an agent wrote to this socket; nothing that follows can be decoded
            self._process.kill()
        await self._has_ended(self._process)

    async def _has_ended(self, process: Child) -> None:
        how = f"container {self._name} (process {process.pid}) {self._how(await process.ended())}"
        self._requests.fail(ContainerLostError(how))
        if not self._is_closing:
            self.loss = how
            self._on_lost()

    def _how(self, code: int) -> str:
        if self.report is not None:
            return "ended because one of its agents ended it"
        if code == -signal.SIGKILL:
            return "was killed (SIGKILL: by a user, or by the system if memory ran out)"
        if code < 0:
            return f"was killed ({signal_name(-code)})"
        return f"ended with exit code {code}"

    # -- orders ---------------------------------------------------------------------------------------------

    async def order(self, order: Order) -> list[str]:
        """Send an order and return the names in the answer.

        Raises:
            ContainerLostError: the process is not running.
            FormicaryError: the order failed.
        """
        if self._line is None or self._reading is None or self._reading.done():
            raise ContainerLostError(self.loss or f"container {self._name} is not open")
        return await self._requests.ask(order)

    def _send(self, said: Request[Order]) -> None:
        assert self._line is not None
        self._line.send(said)

    # -- the end --------------------------------------------------------------------------------------------

    async def end(self, seconds: float) -> bool:
        """End the process; kill it if it does not end in time, or if this is cancelled.

        Returns:
            Whether it ended in time.
        """
        self._is_closing = True
        if self._line is None or self._reading is None:
            return True
        self._line.send(request_nothing(Stop()))
        try:
            _, late = await asyncio.wait([self._reading], timeout=seconds)
            return not late
        finally:
            await self.kill()

    async def kill(self) -> None:
        """Kill the process."""
        self._is_closing = True
        if self._process is not None:
            if self._before:  # if killed, it could not end what it started elsewhere
                self._process.terminate()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._process.ended(), _ENDS_WITHIN)
            if self._process.poll() is None:
                self._process.kill()
            self._process.wait()
        if self._line is not None:
            self._line.close()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])
