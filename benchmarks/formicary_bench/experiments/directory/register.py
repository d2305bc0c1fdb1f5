"""Registering a service: `directory/register`."""

from __future__ import annotations

from dataclasses import replace

from formicary_bench.experiments.directory import BUILT, METRICS, SEEN, of_changes, says
from formicary_bench.experiments.experiment import Loaded, Take
from formicary_bench.experiments.messaging import DIRECTLY
from formicary_bench.vocabulary.names import REGISTER

EXPERIMENT = replace(
    of_changes(
        REGISTER,
        "Registering a service",
        "time of one registration of a service",
        "Alberola 2010, Fig. 12, 13",
        Take(subjects=BUILT, carriers=DIRECTLY),
    ),
    metrics=(*METRICS, SEEN),
    says=says("registering a service", "[; others have told that they see it after {seen_us}]"),
    summarise=Loaded("formicary_bench.experiments.directory.rows:REGISTRATIONS"),
)
