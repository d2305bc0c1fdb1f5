"""Watches event loops for what blocks them, from a thread that looks at them twenty times a second.

Nothing is timed or counted on the way of a message: the thread compares which turn of a container's queue
runs, and which step of it, with what it saw before. Only what it sees again and again for 0.1 s is named.
While nothing happens in any container the thread sleeps; the next turn of a queue wakes it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import time
import weakref
from typing import TYPE_CHECKING, NamedTuple

from formicary.core.logs import get_logger
from formicary.core.scheduler import Scheduler
from formicary.core.tracebacks import is_of_users, place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from formicary.core.blockers import Blockers

logger = get_logger("formicary")

THREAD = "watches event loops"
"""The name of the thread."""

_EVERY = 0.05  # s between two looks
_TOO_LONG = 0.1  # s; what blocks for 0.2 s is seen for certain, and never what takes less than this
_IDLE = 20  # looks at nothing, before the thread sleeps
# Without the lock, a frame may end and be freed while another thread looks at it.
_SEES_FRAMES = getattr(sys, "_is_gil_enabled", lambda: True)()

_BATCHES = {Scheduler._run_strands.__code__, Scheduler._run_micro.__code__}  # noqa: SLF001 -- its steps are seen there


class _Step(NamedTuple):
    """A sample of a loop: two are equal if the loop has not continued between them."""

    turn: int
    batch: tuple[int, int]
    number: object  # of the step in its batch
    name: str


class _Times:
    """A thread's running time, and its time waiting for a processor, if the system tells."""

    def __init__(self, native_id: int) -> None:
        self._files: tuple[int, ...] = ()
        self._latest = 0.0, 0.0
        with contextlib.suppress(OSError):
            self._files += (os.open(f"/proc/self/task/{native_id}/schedstat", os.O_RDONLY),)
            self._files += (os.open(f"/proc/self/task/{native_id}/stat", os.O_RDONLY),)
            self._latest = self._read()

    def passed(self) -> tuple[float, float]:
        """Return the seconds of both since the last call; 0 where they are not known."""
        before, self._latest = self._latest, self._read()
        return self._latest[0] - before[0], self._latest[1] - before[1]

    def _read(self) -> tuple[float, float]:
        if not self._files:  # not Linux
            return self._latest
        with contextlib.suppress(OSError, ValueError, IndexError):
            ran, waited, *_ = os.pread(self._files[0], 80, 0).split()
            return int(ran) / 1e9, int(waited) / 1e9
        return self._latest

    def wants_processor(self) -> bool:
        """Return whether the thread runs now, or waits for a processor; False where that is not known."""
        if not self._files:
            return False
        with contextlib.suppress(OSError, IndexError):
            return os.pread(self._files[1], 500, 0).rpartition(b")")[2].split()[0] == b"R"
        return False

    def close(self) -> None:
        """Close the files."""
        files, self._files = self._files, ()
        for file in files:
            os.close(file)


class _Watched:
    """A container's scheduler, and its latest samples."""

    def __init__(self, scheduler: Scheduler, blockers: Blockers, forget: Callable[[object], object]) -> None:
        self.scheduler = weakref.ref(scheduler, forget)
        self.blockers = blockers
        self.thread = threading.get_ident()
        self.times = _Times(threading.get_native_id())
        self._turn: list[float] = []  # kept, so that no other one gets its place in memory
        self._at: object = None  # what can be seen without a look at the thread's frames
        self._step: _Step | None = None
        self._stood = 0.0  # s for which the step has kept the loop, as far as that was seen
        self._looked = 0.0
        self._is_counted = False

    def look(self, now: float, late_since: float | None) -> bool:
        """Look once; return whether anything has happened since the last look.

        Args:
            now: the time.
            late_since: when the look should have been, where it comes late; else None.
        """
        scheduler = self.scheduler()
        if scheduler is None:
            return False
        turn, is_busy = scheduler.turn, scheduler.awake
        ran, waited = self.times.passed()
        passed, self._looked = now - self._looked, now
        before, self._at = self._at, (id(turn), scheduler.resumed, id(scheduler.current)) if is_busy else None
        stood = 0.0
        if late_since is not None:
            if ran >= (now - late_since) / 2:
                stood = min(ran, now - late_since)  # it has run all the time, and has kept Python's lock
            else:
                self._stood = ran = passed = 0.0  # the whole process stood still
        # Most looks end here: a loop that goes on is elsewhere each time.
        may_stand = is_busy and (self._at == before or stood > 0)
        step = self._see(scheduler, turn) if may_stand else None
        if step is None or step != self._step:
            self._step, self._stood = step, stood
            self._is_counted = False
        # A crowded machine is not its fault. How long a thread waits for a processor is only known once it
        # has got one: until then, what counts is how long it ran.
        elif self.times.wants_processor():
            self._stood += ran
        else:
            self._stood += max(ran, passed - waited)
        if step is not None:
            self._judge(step, now)
        has_gone_on = turn is not self._turn
        self._turn = turn
        return has_gone_on or is_busy

    def _judge(self, step: _Step, now: float) -> None:
        seconds = self._stood
        if seconds < _TOO_LONG:
            return
        if self._is_counted:
            self.blockers.lengthen(step.name, seconds)
            self.blockers.say(step.name, self._where(), seconds, now)
        else:
            self._is_counted = True
            self.blockers.add(step.name, self._where(), seconds, now)

    def _where(self) -> str:
        return _place(sys._current_frames().get(self.thread)) if _SEES_FRAMES else ""  # noqa: SLF001 -- as below

    def _see(self, scheduler: Scheduler, turn: list[float]) -> _Step | None:
        """Return what the loop does now; None if that is nothing."""
        batch = scheduler.resumed, scheduler.handled
        strand = scheduler.current
        name = "" if strand is None else strand.owner.strand_name()
        number: object = id(strand)
        if not _SEES_FRAMES:
            return _Step(id(turn), batch, number, name) if strand is not None else None
        top = sys._current_frames().get(self.thread)  # noqa: SLF001 -- there is no other way to see them
        if scheduler.is_running:
            found = next((frame for frame in _frames(top) if frame.f_code in _BATCHES), None)
            if found is None:
                return None
            values = found.f_locals
            number = values.get("number", 0), id(values.get("message"))
            if strand is None:
                agent = getattr(values.get("handle"), "__self__", None)
                name = f"{agent.name}/handle" if agent is not None else "the scheduler"
        else:  # it is ready to run, and the loop does something else
            number = id(scheduler.next_turn)
            name = _name_of_other(scheduler.loop, top)
        return _Step(id(turn), batch, number, name) if name else None


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _place(top: FrameType | None) -> str:
    """Return where in the users' code a thread is: the innermost place."""
    for frame in _frames(top):
        if is_of_users(frame.f_code):
            return place(frame.f_code, frame.f_lineno)
    return ""


def _name_of_other(loop: asyncio.AbstractEventLoop, top: FrameType | None) -> str:
    """Return a name for what a loop runs that is no agent's: a task, or a callback."""
    task = asyncio.current_task(loop)
    if task is not None:
        return f"{getattr(task.get_coro(), '__qualname__', task.get_name())}()"
    user = next((frame for frame in _frames(top) if is_of_users(frame.f_code)), None)
    return "" if user is None else f"{user.f_code.co_qualname}()"


class LoopWatch:
    """The thread that samples the loops of a process, while there are containers."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._watched: dict[int, _Watched] = {}  # by the scheduler's identity
        self._thread: _Looking | None = None

    def add(self, scheduler: Scheduler, blockers: Blockers) -> None:
        """Watch this thread's loop, where `scheduler` runs, from its next turn on."""
        number = id(scheduler)
        watched = _Watched(scheduler, blockers, lambda _: self._remove(number))
        with self._lock:
            self._watched = {**self._watched, number: watched}
        scheduler.unwatched = self._wake

    def remove(self, scheduler: Scheduler) -> None:
        """Stop watching; the thread ends after the last one."""
        scheduler.unwatched = None
        if (thread := self._remove(id(scheduler))) is not None:
            thread.join(1.0)

    def _remove(self, number: int) -> _Looking | None:
        with self._lock:
            watched = dict(self._watched)
            if (gone := watched.pop(number, None)) is not None:
                gone.times.close()
            self._watched = watched
            thread = self._thread
            if watched or thread is None:
                return None
            self._thread = None
        thread.end()
        return thread

    def _wake(self) -> None:
        """Called by a turn of a queue while the thread sleeps, or there is none yet."""
        with self._lock:
            for scheduler in self._schedulers():
                scheduler.unwatched = None
            if self._thread is None:
                self._thread = _Looking(self)
                try:
                    self._thread.start()
                except RuntimeError as error:  # there are as many threads as there can be
                    self._thread = None
                    logger.warning("cannot watch for agents that block the event loop: %s", error)
            else:
                self._thread.wakes.set()

    def sleep(self) -> bool:
        """Make the next turn wake the thread; return False if one already does."""
        for scheduler in self._schedulers():
            scheduler.unwatched = self._wake
        return not any(scheduler.awake for scheduler in self._schedulers())

    def watched(self) -> list[_Watched]:
        """Return the loops that are watched."""
        return list(self._watched.values())

    def _schedulers(self) -> Iterator[Scheduler]:
        for each in self.watched():
            if (scheduler := each.scheduler()) is not None:
                yield scheduler


class _Looking(threading.Thread):
    """Looks again and again, until `end`."""

    def __init__(self, watch: LoopWatch) -> None:
        super().__init__(name=THREAD, daemon=True)
        self.wakes = threading.Event()
        self._watch = watch
        self._is_over = False

    def end(self) -> None:
        """End; for any thread."""
        self._is_over = True
        self.wakes.set()

    def run(self) -> None:
        """Look, wait, and look again."""
        times = _Times(threading.get_native_id())
        try:
            while not self._is_over:
                self._look_until_idle(times)
                if self._watch.sleep() and not self._is_over:
                    self.wakes.wait()
                self.wakes.clear()
        finally:
            times.close()

    def _look_until_idle(self, times: _Times) -> None:
        idle = 0
        while idle < _IDLE and not self._is_over:
            due = time.monotonic() + _EVERY
            if self.wakes.wait(_EVERY):  # it was to wake up just when it had not gone to sleep, or it is over
                self.wakes.clear()
            now, (_, waited) = time.monotonic(), times.passed()
            # A look that is late because it had no processor knows nothing of what happened meanwhile.
            late_since = due if now - due >= _TOO_LONG and waited < (now - due) / 2 else None
            idle += 1
            for each in self._watch.watched():
                try:
                    if each.look(now, late_since):
                        idle = 0
                except Exception:
                    logger.exception("checking an event loop failed; please report this")


LOOP_WATCH = LoopWatch()
"""That of this process."""
