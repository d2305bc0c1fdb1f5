"""Workers and windows on another host, as the runner sees them: see `runner.execution.worker_hosts`.

The session's thread tells what happens to a worker; the runner's thread asks.
"""

from __future__ import annotations

import signal
import socket
import tempfile
import threading
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from formicary.errors import ProfilingError
from formicary.processes.lines import LineError, Lines, encode
from formicary.processes.messages import Failed
from formicary_bench.remote import HostError
from formicary_bench.remote.host_agent import protocol
from formicary_bench.worker.interruption import allow_interrupts
from formicary_bench.worker.messages import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary.profiling.model.profile import Profile
    from formicary_bench.remote.inventory import Host
    from formicary_bench.remote.session import Session
    from formicary_bench.worker.messages import Order

LARGEST_HANDOVER = 1 << 32
"""The most bytes of raw values of a worker."""

_MOST_UNREAD = 1 << 26  # bytes of reports
_SECONDS_TO_START = 15.0
_SECONDS_TO_END = 5.0


class RemoteWorker:
    """A worker on another host."""

    def __init__(self, name: str, send: Callable[[Order], None], kill: Callable[[], None]) -> None:
        self._name = name
        self._send = send
        self._kill = kill
        self._unread = bytearray()
        self._lines: Lines[Report] = Lines(Report)
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._theirs.setblocking(False)
        self._values = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by `close`
        self._size = 0
        self._started: Future[int] = Future()
        self._ended: Future[tuple[int, str]] = Future()
        self._lock = threading.Lock()  # so that nothing is written to what is closed

    # For the runner.

    @property
    def pid(self) -> int:
        """The id of its process, on its host."""
        return self._started.result(0)

    def fileno(self) -> int:
        """Return a descriptor that becomes readable with its reports and its end."""
        return self._ours.fileno()

    def send(self, order: Order) -> None:
        """Send it an order; do nothing if it has ended."""
        self._send(order)

    def read(self) -> list[Report] | None:
        """Return its new reports; None if it has ended."""
        with suppress(BlockingIOError):
            self._ours.recv(1 << 16)
        has_ended = self._ended.done()  # first: its reports come before that
        with self._lock:
            said = bytes(self._unread)
            self._unread.clear()
        if not said:
            return None if has_ended else []
        reports: list[Report] = []
        try:
            reports.extend(self._lines.feed(said))  # keeps the reports before an error
        except LineError as error:
            reports.append(Failed(f"it said {error}"))
        return reports

    def wait(self, seconds: float) -> int:
        """Wait for its end, kill it after these seconds, and return its exit code."""
        with suppress(TimeoutError):
            return self._ended.result(seconds)[0]
        self._kill()
        with suppress(TimeoutError):
            return self._ended.result(_SECONDS_TO_END)[0]
        return -signal.SIGKILL

    def last_words(self) -> str:
        """Return the last line of its standard error, or why its host is lost."""
        return self._ended.result(0)[1] if self._ended.done() else ""

    def raw_values(self) -> int:
        """Return the descriptor of its raw values, complete after `Done`."""
        return self._values.fileno()

    def wait_for_start(self) -> None:
        """Wait until its process has started; raise a HostError if it does not."""
        try:
            with allow_interrupts():
                self._started.result(_SECONDS_TO_START)
        except TimeoutError as error:
            waited = f"no worker has started within {_SECONDS_TO_START:g} s"
            raise HostError(f"host {self._name}: {waited}; is it overloaded?") from error

    def close(self) -> None:
        """End it, and forget its reports and raw values."""
        if not self._ended.done():
            self._kill()
            with suppress(TimeoutError):
                self._ended.result(_SECONDS_TO_END)
        with self._lock:
            for each in (self._values, self._ours, self._theirs):
                each.close()

    # For the session.

    def take(self, message: protocol.WorkerMessage) -> None:
        """Take a message of its host agent."""
        match message:
            case protocol.Started(_, pid):
                if not self._started.done():
                    self._started.set_result(pid)
            case protocol.Said(_, report):
                self._said(bytes(report))
            case protocol.Data(_, part):
                self._keep(part)
            case protocol.Ended(_, code, last_words):
                self._end(code, last_words)

    def _said(self, report: bytes) -> None:
        with self._lock:
            if len(self._unread) + len(report) > _MOST_UNREAD:
                report = encode(Failed("it prints too much"))
                self._unread.clear()
            self._unread += report + b"\n"
            self._wake()

    def _keep(self, part: bytes) -> None:
        """Write the next part of its raw values."""
        with self._lock:
            if self._values.closed or self._ended.done():
                return
            self._size += len(part)
            reason = f"it is more than {LARGEST_HANDOVER >> 20} MiB" if self._size > LARGEST_HANDOVER else ""
            try:
                self._values.write(part if not reason else b"")
                self._values.flush()
            except OSError as error:
                reason = error.strerror or str(error)
        if reason:
            self._said(encode(Failed(f"its results cannot be stored here: {reason}")))
            self._kill()

    def _end(self, code: int, last_words: str) -> None:
        if self._ended.done():
            return
        self._ended.set_result((code, last_words))
        if not self._started.done():
            why = last_words or f"exit code {code}"
            self._started.set_exception(HostError(f"host {self._name}: no worker can be started: {why}"))
        with self._lock:
            self._theirs.close()  # readable from now on

    def _wake(self) -> None:
        with suppress(OSError):  # full: already readable; closed: no longer read
            self._theirs.send(b"\0")


class RemoteWindow:
    """A profile of a process on another host; `refused` says why it is not sampled, if so."""

    def __init__(self, name: str, number: int, session: Session, refused: str) -> None:
        self.refused = refused
        self._name = name
        self._number = number
        self._session = session
        self.is_over = False

    def end(self) -> Profile:
        """Return the profile; raise a ProfilingError if there is none."""
        self.is_over = True
        try:
            return self._session.ask(self._name, protocol.CloseWindow(self._number))
        except HostError as error:
            raise ProfilingError(str(error)) from error


class RemoteHost:
    """Another host where workers run."""

    def __init__(self, host: Host, session: Session) -> None:
        self.name = host.name
        self.host = host
        self._session = session

    @contextmanager
    def worker(self) -> Iterator[RemoteWorker]:
        """Start a fresh worker, after trying once to connect again to a lost host.

        Raises:
            HostError: it cannot be started, or the host is gone.
        """
        worker = self._session.start_worker(self.name)
        try:
            worker.wait_for_start()
            yield worker
        finally:
            worker.close()

    @contextmanager
    def window(self, pid: int, servers: tuple[int, ...] = ()) -> Iterator[RemoteWindow]:
        """Profile a process; leaving the block without `end` discards the profile.

        Raises:
            ProfilingError: the process or the host is gone.
        """
        number = self._session.next_number()
        try:
            refused = self._session.ask(self.name, protocol.OpenWindow(number, pid, servers))
        except HostError as error:
            raise ProfilingError(str(error)) from error
        window = RemoteWindow(self.name, number, self._session, refused)
        try:
            yield window
        finally:
            if not window.is_over:
                self._session.ask_nobody(self.name, protocol.CloseWindow(number))

    def look(self, pids: tuple[int, ...] = ()) -> protocol.Looked:
        """Read the host's counters; raise a HostError if it does not answer."""
        return self._session.ask(self.name, protocol.Look(pids))
