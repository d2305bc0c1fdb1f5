"""Registering a service: `directory/register`."""

from __future__ import annotations

from formicary_bench.experiments.directory import BUILT, of_changes
from formicary_bench.experiments.experiment import Take
from formicary_bench.experiments.messaging import DIRECTLY

EXPERIMENT = of_changes(
    "directory/register",
    "Registering a service",
    "time of one registration of a service",
    "Alberola 2010, Fig. 12, 13",
    Take(subjects=BUILT, carriers=DIRECTLY),
)
