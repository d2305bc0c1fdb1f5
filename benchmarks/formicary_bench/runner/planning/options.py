"""What to measure, and how much: what was asked for, filled in with what is usual."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import Preset
from formicary_bench.experiments.presets import preset_of
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import QUICK
from formicary_bench.results.summary.warm_up import OPTION as WARM_UP
from formicary_bench.vocabulary.parameters import ASKED

if TYPE_CHECKING:
    from formicary_bench.experiments.experiment import Experiment
    from formicary_bench.results.store.model import Option

REPETITIONS = 3
"""How often each configuration is measured: with fewer, intervals are too wide to say anything."""

_OF_PRESETS = {one.name for one in fields(Preset)} - {"placements", "parts"}


@dataclass(frozen=True)
class Options:
    """What to measure. None is what the experiment takes by itself.

    Attributes:
        experiment: its name, or that of a selection.
        hosts: names of the hosts that containers may be on; none where all is on this machine.

    The others are those of `vocabulary.parameters`.
    """

    experiment: str = QUICK.name
    pairs: tuple[int, ...] | None = None
    receivers: tuple[int, ...] | None = None
    payloads: tuple[int, ...] | None = None
    agents: tuple[int, ...] | None = None
    services: tuple[int, ...] | None = None
    containers: tuple[int, ...] | None = None
    growth: int | None = None
    hosts: tuple[str, ...] = ()
    counts: tuple[int, ...] | None = None
    traffics: tuple[str, ...] | None = None
    spreads: tuple[str, ...] | None = None
    placements: tuple[str, ...] | None = None
    routes: tuple[str, ...] | None = None
    tls: tuple[bool, ...] | None = None
    subjects: tuple[str, ...] | None = None
    rates: tuple[int, ...] | None = None
    arrivals: tuple[str, ...] | None = None
    limit_us: int | None = None
    requests: tuple[int, ...] | None = None
    mixes: tuple[str, ...] | None = None
    databases: tuple[str, ...] | None = None
    delays: tuple[int, ...] | None = None
    loops: tuple[int, ...] | None = None
    ways: tuple[str, ...] | None = None
    dimensions: tuple[int, ...] | None = None
    swaps: tuple[int, ...] | None = None
    cores: tuple[int, ...] | None = None
    rounds: tuple[int, int, int] | None = None
    warm_up: int | str | None = None
    profile: bool = False
    preset: str = ""
    repeat: int = 1
    seed: int = 0

    def as_asked(self) -> dict[str, Option]:
        """Return them for the manifest, without what was not given."""
        given: dict[str, Option] = {"experiment": self.experiment}
        given |= {"hosts": list(self.hosts)} if self.hosts else {}
        for one in ASKED:
            value = getattr(self, one.attribute)
            if value or (value is not None and one.name in {"seed", WARM_UP}):
                given[one.name] = one.for_manifest(value)
        return given


def with_preset(options: Options) -> Options:
    """Fill in what a preset says of the experiment, where nothing else was asked for.

    Args:
        options: what was asked for; a `repeat` of 0 is that of the preset, or else the usual one. With a
            selection it stays 0, as its experiments may differ in it: see `repeat_of`.
    """
    experiment = EXPERIMENTS.get(options.experiment)
    if not options.preset:
        return replace(options, repeat=options.repeat or REPETITIONS)
    if experiment is None:
        return options
    preset = preset_of(experiment, options.preset)
    taken = {name: getattr(options, name) or getattr(preset, name) for name in _OF_PRESETS}
    return replace(options, **(taken | {"repeat": taken["repeat"] or REPETITIONS}))


def repeat_of(options: Options, experiment: str) -> int:
    """Return how often the configurations of an experiment are measured."""
    if options.repeat or not options.preset:
        return options.repeat or REPETITIONS
    return preset_of(EXPERIMENTS[experiment], options.preset).repeat or REPETITIONS


def places_of(options: Options, experiment: Experiment) -> tuple[str, ...] | None:
    """Return where an experiment is measured where hosts take part, if a preset says."""
    if not options.preset:
        return None
    return preset_of(EXPERIMENTS.get(options.experiment, experiment), options.preset).placements
