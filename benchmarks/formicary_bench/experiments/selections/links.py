"""What links between containers cost: every route, each beside what it cannot cost less than.

The routes are held against bare sockets (with TLS where the link has TLS), bare components of the same
server, stock SPADE agents with accounts there, and links that neither number nor acknowledge; messages of
100 kB, at which copying is all, against bare sockets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.catalogue import PAIRS, SIZE, Part, Selection
from formicary_bench.experiments.selections import quick
from formicary_bench.vocabulary.placements import APART
from formicary_bench.vocabulary.routes import DIRECT, XMPP, Carrier

if TYPE_CHECKING:
    from formicary_bench.experiments.catalogue import Point, Rounds
    from formicary_bench.subjects.catalogue import Subject

_LONGER = 6  # times as many round trips as in the quick selection

_CARRIERS = (
    Carrier(XMPP),
    Carrier(DIRECT),
    Carrier(DIRECT, tls=True),
    Carrier("tcp"),
    Carrier("tcp", tls=True),
)

PARTS = (
    Part(
        PAIRS,
        ("formicary-behaviours", "formicary-micro", "formicary-unnumbered", "tcp", "components", "spade"),
        loads=(1, 100),
        placements=(APART,),
        carriers=_CARRIERS,
    ),
    Part(
        SIZE,
        ("formicary-behaviours", "tcp"),
        loads=(10,),
        payloads=(100_000,),
        placements=(APART,),
        carriers=(Carrier(DIRECT), Carrier("tcp")),
    ),
)


def rounds(subject: Subject, point: Point) -> Rounds:
    """Return how many round trips each pair makes before, while and after it is measured."""
    first, second, third = quick.rounds(subject, point)
    return first * _LONGER, second * _LONGER, third * _LONGER


LINKS = Selection("links", "what links between containers cost, by every route", PARTS, rounds)
