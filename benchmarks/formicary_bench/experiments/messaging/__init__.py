"""Experiments with messages: who sends to whom, how many, where."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Loaded, Take
from formicary_bench.vocabulary.places import APART, DIRECT, SAME, TCP, TWO_HOSTS, XMPP, Carrier

VARIES = ("placement", "route", "tls")
"""What most of them vary, besides how much there is of what they exchange."""

FIT = Loaded("formicary_bench.experiments.messaging.pipeline:with_rounds")
"""Round trips as suit the number of pairs, the place and the preset."""

HERE_AND_THERE = (SAME, APART, TWO_HOSTS)
"""In one process, in two, and on two hosts."""

ONE_OR_TWO = (SAME, TWO_HOSTS)
"""In one process, and on two hosts."""

PAPER_PAIRS = (1, 10, 50, 100, 150, 200)
"""Numbers of pairs in Alberola 2010."""

TO_TEN = tuple(range(1, 11))
"""Numbers of pairs in Burbeck 2004."""

# The text gives only the smallest and the largest.
TO_100_KB = (0, 1000, 10_000, 25_000, 50_000, 75_000, 100_000)
"""Sizes of a body in Burbeck 2004."""

TWO_KB = 2048

HUNDRED = 100
"""The repetitions in Alberola 2010 of what is not a mean of many round trips: CPU time and memory."""

TEN = 10
"""The repetitions in Burbeck 2004."""

LONG = (500, 10_000, 500)
"""Its round trips: so many that their beginning and end do not matter; here these are separate phases."""

ALONE = (100, 1000, 0)
"""Round trips of a single pair, which needs no cool-down; 1000 measured, as there."""

OURS = "formicary-behaviours"

DIRECTLY = (Carrier(DIRECT), Carrier(TCP))
"""Our direct links, and the sockets that they are compared with."""

BY_ALL = (*DIRECTLY, Carrier(XMPP))
"""These, and our links through the XMPP server."""

A_MESSAGE = Take(subjects=(OURS,), sizes={"pairs": (1,)})
"""The round trip that uses of the directory are compared with."""
