"""Where the CPU time goes while pairs talk: `messaging/cpu`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Preset, Take, cpu_tables
from formicary_bench.experiments.messaging import DIRECTLY, FIT, HUNDRED, ONE_OR_TWO, OURS, VARIES
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import ALL_TO_ALL

EXPERIMENT = Experiment(
    name="messaging/cpu",
    title="Where the CPU time of messages goes",
    what="CPU time by group while pairs talk",
    source="Alberola 2010, Tables 2, 3",
    repeats=cpu_tables(2, 3),
    varies=(*VARIES, "traffic"),
    parameters=Talk,
    sizes={"pairs": (100,), "payload_bytes": (100,)},
    kinds=("behaviours", "micro"),
    traffics=(ALL_TO_ALL,),
    fit=FIT,
    quick=Preset(parts=(Take(subjects=(OURS,), carriers=DIRECTLY),)),
    paper=Preset(sizes={"pairs": (100,)}, repeat=HUNDRED, placements=ONE_OR_TWO),
    over="pairs",
)
