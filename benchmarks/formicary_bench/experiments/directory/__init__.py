"""Experiments with the directory of services."""

from __future__ import annotations

from formicary_bench.experiments.experiment import (
    ALBEROLA,
    Experiment,
    Loaded,
    Preset,
    Repeats,
    Take,
    cpu_tables,
)
from formicary_bench.experiments.messaging import DIRECTLY, HUNDRED, ONE_OR_TWO
from formicary_bench.vocabulary.placements import TWO_HOSTS
from formicary_bench.vocabulary.traffic import AWAY, SPLIT

PLAN = Loaded("formicary_bench.experiments.directory.plan:plan_directory")
BESIDE = Loaded("formicary_bench.experiments.directory.plan:a_message_and_its_answer")
SUMMARY = Loaded("formicary_bench.experiments.directory.rows:SUMMARY")
USES = Loaded("formicary_bench.experiments.directory.report:USES")

VARIES = ("services", "spread", "placement", "route", "tls", "rounds")
"""What most of them vary."""

SERVICES = (0, 100, 1000, 10_000, 100_000)

ROUNDS = (50, 100, 0)
"""Uses of the directory before and while it is measured; 100, as in Alberola 2010."""

BUILT = ("formicary-replica", "formicary-central")

# The text names no numbers of services but that it is about more than 200 of them (Section 5.3.2).
PAPER = Preset(services=(0, 100, 200, 300, 400), placements=ONE_OR_TWO)


def of_changes(name: str, title: str, what: str, source: str, quick: Take) -> Experiment:
    """Return an experiment that changes one entry again and again; arguments as of `Experiment`."""
    return Experiment(
        name=name,
        title=title,
        what=what,
        source=source,
        repeats=Repeats(
            ALBEROLA,
            lambda rows: {13 if row.placement == TWO_HOSTS else 12 for row in rows},
        ),
        varies=VARIES,
        services=SERVICES,
        spreads=(AWAY,),
        rounds=ROUNDS,
        quick=Preset(parts=(quick,)),
        paper=PAPER,
        beside=BESIDE,
        plan=PLAN,
        summarise=SUMMARY,
        report=USES,
    )


def of_cpu(name: str, use: str, first: int, second: int) -> Experiment:
    """Return an experiment about where the CPU time of a use goes.

    Args:
        name: as of `Experiment`.
        use: what the use is called.
        first: the number of the table with it in one container.
        second: the number of that with it in two.
    """
    return Experiment(
        name=name,
        title=f"Where the CPU time of {use} goes",
        what=f"where the CPU time of {use} goes, by group",
        source=f"Alberola 2010, Tables {first}, {second}",
        repeats=cpu_tables(first, second),
        varies=VARIES,
        services=(200,),
        spreads=(SPLIT,),
        quick=Preset(parts=(Take(subjects=BUILT, placements=ONE_OR_TWO, carriers=DIRECTLY),)),
        paper=Preset(services=(200,), repeat=HUNDRED, placements=ONE_OR_TWO),
        plan=PLAN,
        summarise=SUMMARY,
        report=USES,
    )
