"""Taking a service back: `directory/deregister`."""

from __future__ import annotations

from formicary_bench.experiments.directory import BESIDE, BUILT, PAPER, PLAN, ROUNDS, SERVICES, VARIES
from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY, ONE_OR_TWO
from formicary_bench.vocabulary.placements import TWO_HOSTS
from formicary_bench.vocabulary.traffic import AWAY

EXPERIMENT = Experiment(
    name="directory/deregister",
    title="Taking a service back",
    what="time to take a service back",
    source="Alberola 2010, without a figure, as it was like Fig. 12, 13",
    repeats=Repeats(
        ALBEROLA,
        lambda rows: {13 if row.placement == TWO_HOSTS else 12 for row in rows},
    ),
    varies=VARIES,
    services=SERVICES,
    spreads=(AWAY,),
    rounds=ROUNDS,
    quick=Preset(parts=(Take(subjects=BUILT, placements=ONE_OR_TWO, carriers=DIRECTLY),)),
    paper=PAPER,
    beside=BESIDE,
    plan=PLAN,
    summarise=Loaded("formicary_bench.experiments.directory.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.directory.report:USES"),
)
