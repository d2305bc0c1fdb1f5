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

from typing import TYPE_CHECKING

from formicary_bench.experiments import create
from formicary_bench.experiments.compute import speed_up
from formicary_bench.experiments.directory import (
    SERVICES,
    churn,
    cpu_register,
    cpu_search,
    deregister,
    propagation,
    register,
    search,
)
from formicary_bench.experiments.experiment import Part, Selection
from formicary_bench.experiments.grid import swap
from formicary_bench.experiments.messaging import BY_ALL, DIRECTLY, OURS, many_to_one, pairs, size
from formicary_bench.experiments.mobile import create_remote, dispatch, messenger, roam, wake, web_shop
from formicary_bench.experiments.protocols import auction, contract_net, request
from formicary_bench.experiments.service import mediated
from formicary_bench.experiments.traffic import ring
from formicary_bench.vocabulary.placements import APART, SAME
from formicary_bench.vocabulary.routes import DIRECT, TCP, Carrier
from formicary_bench.vocabulary.shop import SHOPPING

if TYPE_CHECKING:
    from formicary_bench.experiments.experiment import Point, Rounds
    from formicary_bench.subjects.subject import Subject

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


def quick_rounds(subject: Subject, point: Point) -> Rounds:
    """Return how many round trips each pair makes before, while and after it is measured.

    Few pairs make more of them, so that each measurement takes a part of a second, also on a slow machine.
    What comes after is long enough for the slowest pair to be measured while the fastest still sends; two
    processes and what connects them are less even than one queue, and one pair needs nothing after it.
    """
    in_all, fewest, most = _SLOW.get(subject.platform) or _TRIPS[point.carrier.route]
    if point.placement != SAME:
        in_all //= 1 + point.payload // _LARGE
        fewest = max(fewest // (1 + point.payload // _HUGE), _FEWEST)
    measured = max(fewest, min(in_all // point.load, most))
    after = measured // 2 if point.placement == SAME else measured
    return measured // 4, measured, 0 if point.load == 1 else after


def longer_rounds(subject: Subject, point: Point) -> Rounds:
    """Return as many round trips as links need, whose times scatter more."""
    warm_up, measured, cool_down = quick_rounds(subject, point)
    return warm_up * _LONGER, measured * _LONGER, cool_down * _LONGER


_REPLICA, _CENTRAL = ("formicary-replica",), ("formicary-central",)
_HERE, _BETWEEN, _DIRECT = (SAME,), (APART,), (Carrier(DIRECT),)

A_MESSAGE = Part(pairs.EXPERIMENT, subjects=(OURS,), pairs=(1,))
"""The message and its answer that the directory is held against."""

QUICK = Selection(
    "quick",
    "a minute with some of all",
    (
        Part(
            pairs.EXPERIMENT,
            subjects=(OURS, "formicary-micro", "tasks", "callbacks"),
            pairs=(1, 10, 100),
            placements=_HERE,
        ),
        Part(pairs.EXPERIMENT, subjects=(OURS, "tcp", "components"), pairs=(1, 10, 100), placements=_BETWEEN),
        Part(pairs.EXPERIMENT, subjects=("spade",), pairs=(1, 10), placements=_BETWEEN),
        Part(many_to_one.EXPERIMENT, subjects=(OURS, "tasks", "tcp"), pairs=(100,), carriers=DIRECTLY),
        Part(
            size.EXPERIMENT,
            subjects=(OURS, "tcp", "components"),
            pairs=(10,),
            payloads=(10, 1000, 10_000),
            placements=_BETWEEN,
        ),
        Part(create.EXPERIMENT, placements=_HERE),
        Part(search.EXPERIMENT, subjects=_REPLICA, services=(0, 1000), placements=_HERE),
        Part(search.EXPERIMENT, subjects=_CENTRAL, services=(1000,), placements=_HERE),
        Part(search.EXPERIMENT, subjects=_CENTRAL, services=(1000,), placements=_BETWEEN, carriers=_DIRECT),
        Part(register.EXPERIMENT, subjects=_REPLICA, services=(1000,), placements=_HERE),
        Part(deregister.EXPERIMENT, subjects=_REPLICA, services=(1000,), placements=_HERE),
        Part(
            propagation.EXPERIMENT,
            subjects=_REPLICA,
            services=(0,),
            containers=(3,),
            placements=_BETWEEN,
            carriers=_DIRECT,
        ),
        Part(churn.EXPERIMENT, subjects=_REPLICA, agents=(5_000,), placements=_BETWEEN, carriers=_DIRECT),
        *(
            Part(one.EXPERIMENT, subjects=(OURS, "tcp"), loops=(20,), placements=_BETWEEN, carriers=DIRECTLY)
            for one in (create_remote, dispatch, messenger, roam)
        ),
        Part(wake.EXPERIMENT, subjects=(OURS, "tasks"), loops=(50,), placements=_HERE),
        Part(
            mediated.EXPERIMENT, subjects=mediated.EXPERIMENT.subjects, requests=(10_000,), placements=_HERE
        ),
        *(
            Part(one.EXPERIMENT, subjects=one.EXPERIMENT.subjects, pairs=(10,), placements=_HERE)
            for one in (request, contract_net, auction)
        ),
        Part(
            swap.EXPERIMENT,
            subjects=("formicary-micro", "callbacks"),
            dimensions=(10,),
            swaps=(400,),
            placements=_HERE,
        ),
        Part(
            web_shop.EXPERIMENT,
            subjects=web_shop.EXPERIMENT.subjects,
            placements=_BETWEEN,
            carriers=_DIRECT,
            mixes=(SHOPPING,),
            requests=(10,),
            rounds=(2, 10, 0),
        ),
        Part(speed_up.EXPERIMENT, subjects=(OURS, "processes"), agents=(8,), loops=(2,)),
        Part(ring.EXPERIMENT, subjects=(OURS, "tasks"), pairs=(10,), containers=(2,), placements=_HERE),
    ),
    quick_rounds,
)
LINKS = Selection(
    "links",
    "what links between containers cost, by every route",
    (
        Part(
            pairs.EXPERIMENT,
            subjects=(OURS, "formicary-micro", "formicary-unnumbered", "tcp", "components", "spade"),
            pairs=(1, 100),
            placements=_BETWEEN,
            carriers=(*BY_ALL, Carrier(DIRECT, tls=True), Carrier(TCP, tls=True)),
        ),
        Part(
            size.EXPERIMENT,
            subjects=(OURS, "tcp"),
            pairs=(10,),
            payloads=(100_000,),
            placements=_BETWEEN,
            carriers=DIRECTLY,
        ),
    ),
    longer_rounds,
)
DIRECTORY = Selection(
    "directory",
    "what the directory costs, in all of its designs",
    (
        *(Part(one.EXPERIMENT, services=SERVICES) for one in (register, deregister, search)),
        Part(propagation.EXPERIMENT, services=(0,), containers=(1, 3, 7)),
        Part(churn.EXPERIMENT),
        A_MESSAGE,
    ),
    longer_rounds,
)
DIRECTORY_CPU = Selection(
    "directory/cpu",
    "where the CPU time of registering and of searching goes",
    tuple(Part(one.EXPERIMENT, services=one.EXPERIMENT.services) for one in (cpu_register, cpu_search)),
    longer_rounds,
)

SELECTIONS = {one.name: one for one in (QUICK, LINKS, DIRECTORY, DIRECTORY_CPU)}
"""By name."""
