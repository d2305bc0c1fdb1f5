"""Micro-agents on a grid that swap numbers with others at random: `grid/swap`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import FRANTZ, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.vocabulary.grid import COPIED
from formicary_bench.vocabulary.names import SWAP
from formicary_bench.vocabulary.placements import APART, SAME
from formicary_bench.vocabulary.roles import BOTH
from formicary_bench.vocabulary.routes import DIRECT, Carrier

_HERE = "formicary_bench.experiments.grid"
_MICRO = "formicary-micro"
_SUBJECTS = (_MICRO, f"formicary-{COPIED}", "callbacks")

PAPER_DIMENSIONS = (5, 10, 15, 100, 200, 400, 500)
"""Those of Table 2, and the smallest grid of the text."""

EXPERIMENT = Experiment(
    name=SWAP,
    title="Agents on a grid swap numbers",
    what="swap requests per second, and how evenly agents come to swap; copied messages",
    source="Frantz 2010, Fig. 2, Table 2",
    repeats=Repeats(FRANTZ, lambda _: {2}, "Table"),
    varies=("dimension", "swaps", "containers"),
    dimensions=(10, 30, 100),
    swaps=(1000,),
    containers=(1,),
    placements=(SAME, APART),
    carriers=(Carrier("in-process"), Carrier(DIRECT)),
    subjects=_SUBJECTS,
    exchange=SWAP,
    quick=Preset(swaps=(400,), parts=(Take(subjects=_SUBJECTS),)),
    paper=Preset(dimensions=PAPER_DIMENSIONS, repeat=10),
    plan=Loaded(f"{_HERE}.plan:plan_swaps"),
    roles=(BOTH,),
    played_by=f"{_HERE}.worker",
    summarise=Loaded(f"{_HERE}.rows:SUMMARY"),
    report=Loaded(f"{_HERE}.report:REPORT"),
)
