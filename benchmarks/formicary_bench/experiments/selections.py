"""The selections: runs that measure parts of several experiments.

`quick` reaches verdicts: few configurations, each measured often enough and long enough each time. A single
pair between two processes is kept on one core.

`tour` measures a bit of everything. Within a process bodies are passed by reference, so their size is varied
only between two. SPADE, if installed, takes part in the main experiment, but with few pairs: logging in 200
of its agents takes longer than all the rest. Of the directory it measures searching in the replica and at the
central directory, and everything else in the replica.

`links` measures what links between containers cost: every route beside the same exchange without agents. The
routes are compared with bare sockets (with TLS where the link has TLS), bare components of the same server,
stock SPADE agents with accounts there, and links that neither number nor acknowledge messages; messages of
100 kB, where copying dominates, are compared with bare sockets.

`directory` measures what the directory costs in all of its designs, beside a message on the same route.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.vocabulary.names import FAMILY, FAMILY_CPU, LINKS, QUICK, TOUR
from formicary_bench.vocabulary.places import SAME

if TYPE_CHECKING:
    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.parameters.shared import Rounds

_LONGER = 3  # times as many round trips as in the quick selection

# Measured round trips that take 0.2 s or more, for one pair and for many together.
_TRIPS = {
    "in-process": (150_000, 100_000),
    "own": (2_000, 6_000),
    "xmpp": (2_000, 24_000),
    "direct": (5_000, 50_000),
    "auto": (5_000, 50_000),
    "tcp": (10_000, 30_000),
}
_OF_PLATFORMS = {"callbacks": (350_000, 300_000), "components": (2_000, 6_000), "spade": (300, 1_000)}
_LARGE = 1_000  # bytes of a body that cost about as much as the rest of a round trip
_FEWEST = 20


def quick_rounds(draft: Draft) -> Rounds:
    """Return how many round trips each pair makes during the warm-up, the measurement and the cool-down.

    The cool-down is long enough for the slowest pair to be measured while the fastest still sends. Two
    connected processes are less even than one queue, and a single pair needs no cool-down.
    """
    alone, together = _OF_PLATFORMS.get(draft.subject.platform) or _TRIPS[draft.carrier.route]
    load, is_here = draft.sizes["pairs"], draft.layout.placement == SAME
    times = 1 if is_here else 1 + draft.sizes["payload_bytes"] // _LARGE
    measured = max((alone if load == 1 else min(together // load, alone)) // times, _FEWEST)
    after = measured // 2 if is_here else measured
    return measured // 4, measured, 0 if load == 1 else after


def longer_rounds(draft: Draft) -> Rounds:
    """Return more round trips, as links need them: their times scatter more."""
    warm_up, measured, cool_down = quick_rounds(draft)
    return warm_up * _LONGER, measured * _LONGER, cool_down * _LONGER


@dataclass(frozen=True)
class Selection:
    """Parts of several experiments in one run; each experiment declares its part.

    Attributes:
        name: its name on the command line.
        what: its purpose and duration, in a few words.
        is_short: whether it makes as few round trips as it can.
        repeat: how many times each configuration is measured; the default if None.
    """

    name: str
    what: str
    is_short: bool = False
    repeat: int | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts, in the order of the experiments."""
        return tuple(take.of(one) for one in EXPERIMENTS.values() for take in one.selected.get(self.name, ()))


_ALL = (
    Selection(
        QUICK,
        "cost of messages, links, agents and searches, in two minutes",
        is_short=True,
        repeat=7,
    ),
    Selection(TOUR, "a bit of everything, in a few minutes", is_short=True),
    Selection(LINKS, "cost of links between containers, by every route"),
    Selection(FAMILY, "cost of the directory, in all of its designs"),
    Selection(FAMILY_CPU, "CPU time of registering and searching, by group"),
)

SELECTIONS = {one.name: one for one in _ALL}
"""By name."""
