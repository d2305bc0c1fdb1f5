"""Experiments with the directory of services."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Loaded, Preset
from formicary_bench.experiments.messaging import ONE_OR_TWO

PLAN = Loaded("formicary_bench.experiments.directory.plan:plan_directory")
BESIDE = Loaded("formicary_bench.experiments.directory.plan:a_message_and_its_answer")

VARIES = ("services", "spread", "placement", "route", "tls", "rounds")
"""What most of them vary."""

SERVICES = (0, 100, 1000, 10_000, 100_000)

ROUNDS = (50, 100, 0)
"""Uses of the directory before and while it is measured; 100, as in Alberola 2010."""

BUILT = ("formicary-replica", "formicary-central")

# The text names no numbers of services but that it is about more than 200 of them (Section 5.3.2).
PAPER = Preset(services=(0, 100, 200, 300, 400), placements=ONE_OR_TWO)
