"""Deregistering a service: `directory/deregister`."""

from __future__ import annotations

from formicary_bench.experiments.directory import BUILT, of_changes
from formicary_bench.experiments.experiment import Take
from formicary_bench.experiments.messaging import DIRECTLY, ONE_OR_TWO

EXPERIMENT = of_changes(
    "directory/deregister",
    "Deregistering a service",
    "time of one deregistration of a service",
    "Alberola 2010, without a figure, as it was like Fig. 12, 13",
    Take(subjects=BUILT, placements=ONE_OR_TWO, carriers=DIRECTLY),
)
