"""Where the CPU time goes while all pairs are in T2 together: repetitions with `--profile`, and `.../cpu`.

The sampler and the clocks begin when the worker says that T2 has begun, and end when it says that T2 ends.
How fast it went before, in the later part of T1, says what the sampler costs: the same processes, without it.
"""

from __future__ import annotations

from contextlib import ExitStack
from time import perf_counter_ns
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import ProfilingError, TracingError
from formicary.profiling.window import Window
from formicary_bench.engine.errors import RepetitionError
from formicary_bench.engine.network import Marks, counters
from formicary_bench.engine.repetition import measure
from formicary_bench.engine.unsampled import Unsampled

if TYPE_CHECKING:
    from formicary.profiling.model import Profile
    from formicary_bench.engine.messages import Mark
    from formicary_bench.engine.repetition import Task, Watcher
    from formicary_bench.results.model import Repetition
    from formicary_bench.results.raw import AnyRaw

_SETTLED = 0.3  # part of T1 after which its rate counts
_FEWEST_S = 0.2  # a shorter window says nothing


class Sampling(Marks):
    """Opens a window on each worker when T2 begins, and closes it when T2 ends.

    Args:
        server: the process id of the XMPP server, if one takes part.
        undo: closes what is still open when the repetition breaks.
    """

    def __init__(self, server: int, undo: ExitStack) -> None:
        super().__init__()
        self.profiles: dict[str, Profile] = {}
        self.before: list[tuple[int, int]] = []
        self.during: list[tuple[int, int]] = []
        self._server = server
        self._undo = undo
        self._pids: dict[str, int] = {}
        self._windows: dict[str, Window | Unsampled] = {}
        self._opened_ns = 0

    def begin(self, processes: dict[str, int]) -> None:
        """Keep whom to look at."""
        self._pids = processes

    def advance(self, done: int, at_ns: int) -> None:
        """Keep how far they have come, and when."""
        if not self.kept:
            self.before.append((done, at_ns))
        # What was said while the sampler started has waited in the pipe; all clocks of a host are one.
        elif self._opened_ns and not self.profiles and at_ns >= self._opened_ns:
            self.during.append((done, at_ns))

    def mark(self, mark: Mark) -> None:
        """Open the windows, or close them."""
        self.advance(mark.done, mark.at_ns)
        super().mark(mark)
        if mark.begins:
            for place, (role, pid) in enumerate(self._pids.items()):
                self._windows[role] = self._open(pid, (self._server,) if self._server and not place else ())
            self._opened_ns = perf_counter_ns()
        else:
            self.profiles = {role: window.end() for role, window in self._windows.items()}

    def _open(self, pid: int, servers: tuple[int, ...]) -> Window | Unsampled:
        try:
            return self._undo.enter_context(Window(pid, servers=servers))
        except TracingError as error:
            return Unsampled(pid, servers, str(error))


def measure_profiled(task: Task, watcher: Watcher) -> tuple[Repetition, AnyRaw, dict[str, Profile]]:
    """Measure once, in fresh processes, which are gone when this returns.

    Args:
        task: what to measure.
        watcher: told of the progress.

    Returns:
        What is known of the repetition, its raw values, and where the CPU time of each worker went.

    Raises:
        RepetitionError: nothing came of it; says what happened.
    """
    with ExitStack() as undo:
        sampling = Sampling(task.server.pid if task.server else 0, undo)
        try:
            known, data = measure(task, watcher, observer=sampling)
        except ProfilingError as error:
            raise RepetitionError(str(error).rstrip(".")) from error
    windows = [profile.window_s for profile in sampling.profiles.values()]
    if not windows or min(windows) < _FEWEST_S:
        raise RepetitionError(
            "T2 was too short to see where the CPU time goes; take larger --rounds, as in 10000,50000,10000"
        )
    counted = counters(sampling.kept) | _rates(sampling)
    return replace(known, counters=counted), data, sampling.profiles


def _rates(sampling: Sampling) -> dict[str, float]:
    """Return the round trips per second before and while the sampler was there, as far as they are known."""
    before = sampling.before
    if before:
        last_ns, first_ns = before[-1][1], before[0][1]
        before = [one for one in before if one[1] >= first_ns + (last_ns - first_ns) * _SETTLED]
    found = {"rate_before": before, "rate_during": sampling.during}
    return {name: rate for name, looks in found.items() if (rate := _rate(looks))}


def _rate(looks: list[tuple[int, int]]) -> float:
    if len(looks) < 2 or looks[-1][1] == looks[0][1]:  # noqa: PLR2004 -- a difference
        return 0.0
    return (looks[-1][0] - looks[0][0]) * 1e9 / (looks[-1][1] - looks[0][1])
