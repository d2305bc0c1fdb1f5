"""The plan of a run, of one experiment or several, with repetitions and order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.runner.planning.options import parse, repeat_of
from formicary_bench.runner.planning.plan import beyond, make_plan, schedule
from formicary_bench.vocabulary.names import EVERYTHING, PAPER, QUICK
from formicary_bench.vocabulary.places import HOSTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formicary_bench.results.store.model import Manifest, Option
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.vocabulary.configuration import Configuration

Order = list[tuple["Configuration", int, int]]
"""The measurements in order: configuration, number of the repetition, seed."""


@dataclass(frozen=True)
class RunPlan:
    """The plan of a run.

    Attributes:
        label: a word for the name of the run's folder.
        asked: the options, with the seed, for the manifest.
        repeats: the repetitions of each configuration, in the order of reports.
        wants_server: whether a route was chosen, so that an XMPP server is required.
        over_hosts: whether hosts take part, and neither placements nor subjects were chosen.
        notes: sentences on surprising choices.
        left_out: sentences on what cannot be measured.
    """

    label: str
    asked: dict[str, Option]
    repeats: Mapping[Configuration, int]
    wants_server: bool = False
    over_hosts: bool = False
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = field(default=())

    @property
    def plan(self) -> list[Configuration]:
        return list(self.repeats)


def of_one(options: Options) -> RunPlan:
    """Return the plan of an experiment or a selection; raises as `make_plan` does."""
    return of_several(options.experiment, [options], options.as_asked())


def of_several(label: str, parts: Sequence[Options], asked: dict[str, Option]) -> RunPlan:
    """Return the plan of several experiments in one run; raises as `make_plan` does.

    A configuration of several of them is measured once, with the most repetitions.
    """
    repeats: dict[Configuration, int] = {}
    notes: list[str] = []
    left_out: list[str] = []
    for part in parts:
        plan = make_plan(part)
        left_out += beyond(part, plan)
        notes += _notes(part)
        for configuration in plan:
            many = repeat_of(part, configuration.experiment)
            repeats[configuration] = max(many, repeats.get(configuration, 0))
    return RunPlan(
        label,
        asked,
        repeats,
        wants_server=any(part.routes is not None for part in parts),
        over_hosts=any(part.hosts and part.placements is None and part.subjects is None for part in parts)
        and all(one.placement in HOSTED for one in repeats),
        notes=tuple(dict.fromkeys(notes)),
        left_out=tuple(dict.fromkeys(left_out)),
    )


def everything(
    preset: str | None, repeat: str | None, seed: str | None, hosts: Sequence[str] = ()
) -> RunPlan:
    """Return the plan of all experiments that can be measured here.

    Args:
        preset: the preset; None for quick.
        repeat: the number of repetitions; None for the preset's.
        seed: the seed of order and agents; None for a random one.
        hosts: names of the hosts for containers.

    Raises:
        UsageError: a word is invalid.
    """
    chosen = preset or QUICK
    drawn = parse(seed=seed).seed
    parts = [parse(one, preset=chosen, repeat=repeat, seed=str(drawn), hosts=hosts) for one in EXPERIMENTS]
    can, refused = split(parts)
    asked: dict[str, Option] = {"experiment": EVERYTHING, "preset": chosen}
    asked |= {} if repeat is None else {"repeat": parts[0].repeat}
    asked |= {"hosts": list(hosts)} if hosts else {}
    run_plan = of_several(EVERYTHING, can, asked | {"seed": drawn})
    return replace(run_plan, left_out=(*run_plan.left_out, *refused))


def split(parts: Iterable[Options]) -> tuple[list[Options], list[str]]:
    """Separate what can be measured from what cannot, with a sentence each."""
    can, refused = [], []
    for part in parts:
        try:
            make_plan(part)
        except UsageError as error:
            refused.append(f"left out: {part.experiment} ({error})")
        else:
            can.append(part)
    return can, refused


def order_of(manifest: Manifest) -> Order:
    """Return the order of a run's measurements, from its manifest; raise a UsageError if it is incomplete."""
    seed, repeat = manifest.options.get("seed"), manifest.options.get("repeat")
    repeats = manifest.repeats or (repeat,) * len(manifest.configurations)
    counts = [many for many in repeats if isinstance(many, int)]
    if not isinstance(seed, int) or not len(counts) == len(repeats) == len(manifest.configurations):
        raise UsageError("its manifest does not record the order of its measurements: start a new run")
    return schedule(manifest.configurations, counts, seed)


def _notes(options: Options) -> list[str]:
    one = EXPERIMENTS.get(options.experiment)
    if options.preset != PAPER or (one and one.paper):
        return []
    return [f"{options.experiment} is of none of the papers: it takes the sizes that it has by itself"]
