"""The selections: runs that take parts of several experiments.

`quick` takes about a minute, and says most of what there is to say. Bodies are handed over by reference
within a process, so their size is varied between two only. SPADE takes part, where it is installed, in the
experiment that everything else is compared by, but with few pairs: logging in 200 of its agents takes longer
than all the rest. Of the directory there is the search in the replica and at the central one, and the rest in
the replica.

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
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.presets import FAMILY, FAMILY_CPU, LINKS, QUICK

if TYPE_CHECKING:
    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.parameters.shared import Rounds

_LONGER = 6  # times as many round trips as in the quick selection

# Measured round trips of all pairs together; the fewest and the most of each.
_TRIPS = {
    "in-process": (60_000, 600, 20_000),
    "own": (4_000, 100, 1_000),
    "xmpp": (4_000, 100, 1_000),
    "direct": (12_000, 150, 2_000),
    "auto": (12_000, 150, 2_000),
    "tcp": (12_000, 150, 2_000),
}
_SLOW = {"components": (2_000, 40, 1_000), "spade": (1_000, 30, 300)}
_LARGE = 1_000  # bytes of a body that take about as long as all the rest of a round trip
_HUGE = 5_000  # bytes from which on even the fewest round trips take long
_FEWEST = 20


def quick_rounds(draft: Draft) -> Rounds:
    """Return how many round trips each pair makes before, while and after it is measured.

    Few pairs make more of them, so that each measurement takes a part of a second, also on a slow machine.
    What comes after is long enough for the slowest pair to be measured while the fastest still sends; two
    processes and what connects them are less even than one queue, and one pair needs nothing after it.
    """
    in_all, fewest, most = _SLOW.get(draft.subject.platform) or _TRIPS[draft.carrier.route]
    load, payload, is_here = (
        draft.sizes["pairs"],
        draft.sizes["payload_bytes"],
        draft.layout.placement == SAME,
    )
    if not is_here:
        in_all //= 1 + payload // _LARGE
        fewest = max(fewest // (1 + payload // _HUGE), _FEWEST)
    measured = max(fewest, min(in_all // load, most))
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
        what: what it is for, in a few words.
        is_short: whether it takes as few round trips as say something.
    """

    name: str
    what: str
    is_short: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts, in the order of the experiments."""
        return tuple(take.of(one) for one in EXPERIMENTS.values() for take in one.selected.get(self.name, ()))


_ALL = (
    Selection(QUICK, "a bit of everything in a minute", is_short=True),
    Selection(LINKS, "cost of links between containers, by every route"),
    Selection(FAMILY, "cost of the directory, in all of its designs"),
    Selection(FAMILY_CPU, "CPU time of registering and searching, by group"),
)

SELECTIONS = {one.name: one for one in _ALL}
"""By name."""
