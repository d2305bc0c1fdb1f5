"""How registrations spread to other containers: `directory/propagation`."""

from __future__ import annotations

from formicary_bench.experiments.directory import BESIDE, PLAN, ROUNDS
from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY
from formicary_bench.vocabulary.designs import CENTRAL, REPLICA
from formicary_bench.vocabulary.placements import APART, TWO_HOSTS

EXPERIMENT = Experiment(
    name="directory/propagation",
    title="How registrations spread",
    what="time until other containers have seen a registration, and have told",
    source="our own; the delay that Alberola 2010 does not measure",
    varies=("services", "containers", "route", "tls", "rounds"),
    services=(0,),
    containers=(3,),
    placements=(APART, TWO_HOSTS),
    kinds=(REPLICA, CENTRAL),
    rounds=ROUNDS,
    quick=Preset(parts=(Take(placements=(APART,), carriers=DIRECTLY),)),
    beside=BESIDE,
    plan=PLAN,
    summarise=Loaded("formicary_bench.experiments.directory.rows:SUMMARY"),
    played_by="formicary_bench.subjects.ours.propagation",
    report=Loaded("formicary_bench.experiments.directory.report:USES"),
)
