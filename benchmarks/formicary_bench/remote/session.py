"""All hosts of a run: connections and host agents, with a thread that serves them.

    with Session(hosts, progress=print) as session:
        with session.worker_hosts["b"].worker() as worker:
            ...
        machine = session.ask("b", Describe())

The event loop has a thread of its own, so that signs of life go both ways while the runner is busy.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar

from formicary.processes.requests import request_nothing
from formicary_bench.remote import HostError, together
from formicary_bench.remote.host_agent.link import Link
from formicary_bench.remote.host_agent.protocol import Kill, SendOrder, Start
from formicary_bench.remote.launchers.ssh import SshLauncher
from formicary_bench.remote.workers import RemoteHost, RemoteWorker
from formicary_bench.worker.interruption import allow_interrupts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
    from concurrent.futures import Future

    from formicary_bench.remote.clocks import Offset
    from formicary_bench.remote.host_agent.protocol import ControllerMessage, Question
    from formicary_bench.remote.inventory import Host
    from formicary_bench.remote.launchers.launcher import Launcher

_SECONDS_TO_END = 5.0
_SECONDS_TO_CLOSE = 3.0
_SECONDS_TO_TELL_THE_TIME = 5.0

T = TypeVar("T")


class Session:
    """Connected hosts, each with a host agent, for the time of a `with` block.

    Entering it raises a HostError with the problems of all hosts. Leaving it ends all that was started on the
    hosts, within some seconds.

    Args:
        hosts: the hosts.
        launcher: starts host agents there; None for SSH.
        progress: called in another thread with a sentence when a host goes missing, comes back or is lost.

    Attributes:
        worker_hosts: where workers can be started, by the hosts' names.
    """

    def __init__(
        self,
        hosts: Iterable[Host],
        *,
        launcher: Launcher | None = None,
        progress: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._hosts = {host.name: host for host in hosts}
        self._launcher = launcher or SshLauncher(self._hosts.values())
        self._progress = progress
        self._links: dict[str, Link] = {}
        self._opening: asyncio.Task[None] | None = None
        self._numbers = itertools.count(1)
        self.worker_hosts = {name: RemoteHost(host, self) for name, host in self._hosts.items()}

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        # A daemon: if the controller is interrupted while it ends, host agents end by themselves.
        self._thread = threading.Thread(target=self._loop.run_forever, name="hosts", daemon=True)
        try:
            self._thread.start()
            self._do(self._open(), may_interrupt=True)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()

    @property
    def missing(self) -> set[str]:
        """The hosts that do not answer."""
        return {name for name, link in self._links.items() if link.is_missing}

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user on how hosts are reached."""
        return tuple(self._launcher.notes)

    def address(self, name: str) -> str:
        """Return the IP address of a host for the others; raise a HostError if it is unknown."""
        return self._launcher.address(self._hosts[name])

    def clock(self, name: str) -> Offset | None:
        """Return how far a host's clock is ahead of ours; None if it does not answer."""
        return self._do(self._links[name].clock(_SECONDS_TO_TELL_THE_TIME))

    def ask(self, name: str, question: Question[T]) -> T:
        """Ask a host agent a question, and return the answer.

        Raises:
            HostError: it refuses, is lost, or does not answer in time.
        """
        return self._do(self._links[name].ask(question))

    def ask_all(self, questions: Mapping[str, Question[T]]) -> dict[str, T]:
        """Ask host agents at once, and return all answers by the hosts' names; raises as `ask` does."""
        asked = (self._links[name].ask(question) for name, question in questions.items())
        return dict(zip(questions, self._do(self._together(asked), may_interrupt=True), strict=True))

    def ask_nobody(self, name: str, question: Question[Any]) -> None:
        """Send a host agent a question, and ignore the answer."""
        self._send(self._links[name], request_nothing(question))

    def revive(self, name: str) -> None:
        """Try once to connect again to a host, if it was lost; raise a HostError if that fails."""
        if self._links[name].lost:
            self._do(self._connect_again(name), may_interrupt=True)

    def next_number(self) -> int:
        """Return a number that is unique in the session."""
        return next(self._numbers)

    def start_worker(self, name: str) -> RemoteWorker:
        """Begin to start a worker, after `revive`."""
        self.revive(name)
        link = self._links[name]
        number = self.next_number()
        worker = RemoteWorker(
            name,
            lambda order: self._send(link, SendOrder(number, order)),
            lambda: self._send(link, Kill(number)),
        )
        self._loop.call_soon_threadsafe(link.add, number, worker.take)
        self._send(link, Start(number))
        return worker

    def _send(self, link: Link, message: ControllerMessage) -> None:
        with suppress(RuntimeError):  # the session is over
            self._loop.call_soon_threadsafe(link.send, message)

    def _do(self, what: Coroutine[object, object, T], *, may_interrupt: bool = False) -> T:
        """Run a coroutine in the session's thread, and return its result; interrupts end only the waiting."""
        doing = asyncio.run_coroutine_threadsafe(what, self._loop)
        with allow_interrupts() if may_interrupt else nullcontext():
            return doing.result()

    async def _together(self, doing: Iterable[Awaitable[T]]) -> list[T]:
        """Return the results of all; raise one error for all hosts with problems."""
        done: list[T] = []
        problems: list[HostError] = []
        for one in await asyncio.gather(*doing, return_exceptions=True):
            if isinstance(one, HostError):
                problems.append(one)
            elif isinstance(one, BaseException):
                raise one
            else:
                done.append(one)
        if problems:
            raise together(problems, len(self._hosts))
        return done

    async def _open(self) -> None:
        self._opening = asyncio.current_task()
        await self._together(map(self._connect, self._hosts))

    async def _connect(self, name: str) -> None:
        link = Link(self._hosts[name], self._launcher, self._progress)
        await link.start()
        self._links[name] = link

    async def _connect_again(self, name: str) -> None:
        before = self._links[name].lost
        try:
            await self._connect(name)
        except HostError as error:
            raise HostError(f"{before}, and it cannot be connected to again: {error}") from error
        self._progress(f"host {name} is connected to again")

    def _leave(self) -> None:
        closing = asyncio.run_coroutine_threadsafe(self._close(), self._loop)
        interruption = _wait(closing, _SECONDS_TO_END + _SECONDS_TO_CLOSE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_SECONDS_TO_CLOSE)
        if not self._thread.is_alive():
            self._loop.close()
        if interruption is not None:
            raise interruption

    async def _close(self) -> None:
        """End all host agents, then the launcher and remaining tasks."""
        if self._opening is not None:
            self._opening.cancel()
        links = self._links.values()
        await asyncio.gather(*(link.end(_SECONDS_TO_END) for link in links), return_exceptions=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_CLOSE / 2):
                await self._launcher.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)


def _wait(future: Future[None], seconds: float) -> KeyboardInterrupt | None:
    """Wait in spite of interrupts, and return the last."""
    interruption = None
    until = time.monotonic() + seconds
    while True:
        try:
            future.result(max(0.0, until - time.monotonic()))
        except KeyboardInterrupt as error:
            interruption = error
        except TimeoutError:
            return interruption
        else:
            return interruption
