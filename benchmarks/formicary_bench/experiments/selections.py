"""The selections: runs that take parts of several experiments.

`quick` decides: few configurations, each measured often enough for verdicts, and each time for long enough
to tell. A single pair between two processes is kept on one core.

`tour` has a bit of everything. Bodies are handed over by reference within a process, so their size is varied
between two only. SPADE takes part, where it is installed, in the experiment that everything else is compared
by, but with few pairs: logging in 200 of its agents takes longer than all the rest. Of the directory there is
the search in the replica and at the central one, and the rest in the replica.

`links` says what links between containers cost: every route, each beside the same without agents. The
routes are held against bare sockets (with TLS where the link has TLS), bare components of the same server,
stock SPADE agents with accounts there, and links that neither number nor acknowledge; messages of 100 kB, at
which copying is all, against bare sockets.

`directory` says what the directory costs, in all of its designs, beside what a message costs on the same way.
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

# Measured round trips that take 0.2 s or more: of one pair, and of many together.
_TRIPS = {
    "in-process": (150_000, 100_000),
    "own": (2_000, 6_000),
    "xmpp": (2_000, 24_000),
    "direct": (5_000, 50_000),
    "auto": (5_000, 50_000),
    "tcp": (10_000, 30_000),
}
_OF_PLATFORMS = {"callbacks": (350_000, 300_000), "components": (2_000, 6_000), "spade": (300, 1_000)}
_LARGE = 1_000  # bytes of a body that take about as long as all the rest of a round trip
_FEWEST = 20


def quick_rounds(draft: Draft) -> Rounds:
    """Return how many round trips each pair makes before, while and after it is measured.

    What comes after is long enough for the slowest pair to be measured while the fastest still sends; two
    processes and what connects them are less even than one queue, and one pair needs nothing after it.
    """
    alone, together = _OF_PLATFORMS.get(draft.subject.platform) or _TRIPS[draft.carrier.route]
    load, is_here = draft.sizes["pairs"], draft.layout.placement == SAME
    times = 1 if is_here else 1 + draft.sizes["payload_bytes"] // _LARGE
    measured = max((alone if load == 1 else min(together // load, alone)) // times, _FEWEST)
    after = measured // 2 if is_here else measured
    return measured // 4, measured, 0 if load == 1 else after


def longer_rounds(draft: Draft) -> Rounds:
    """Return as many round trips as links need, whose times scatter more."""
    warm_up, measured, cool_down = quick_rounds(draft)
    return warm_up * _LONGER, measured * _LONGER, cool_down * _LONGER


@dataclass(frozen=True)
class Selection:
    """Parts of several experiments in one run; each experiment says what is taken of it.

    Attributes:
        name: as on the command line.
        what: what it is for and how long it takes, in a few words.
        is_short: whether it takes as few round trips as say something.
        repeat: how often each configuration is measured; as usual if None.
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
