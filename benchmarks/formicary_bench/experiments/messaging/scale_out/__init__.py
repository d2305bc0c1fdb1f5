"""More and more hosts, with as many pairs on each: `messaging/scale-out`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.placements import N_HOSTS
from formicary_bench.vocabulary.traffic import TRAFFICS

EXPERIMENT = Experiment(
    name=names.SCALE_OUT,
    title="More and more hosts, with as many pairs on each",
    what="round trips of a fixed number of pairs on each of more and more hosts, and what one more costs",
    varies=("count", "traffic", "pairs", "payload", "route", "tls", "rounds"),
    pairs=(50,),
    payloads=(100,),
    placements=(N_HOSTS,),
    kinds=("behaviours", "micro"),
    traffics=TRAFFICS,
    measure=Loaded("formicary_bench.experiments.messaging.scale_out.measure:measure_scale_out"),
    summarise=Loaded("formicary_bench.experiments.messaging.scale_out.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.messaging.scale_out.report:REPORT"),
)
