"""What to measure, and how much: what was asked for, filled in with what is usual."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.presets import preset_of
from formicary_bench.experiments.registry import EXPERIMENTS, all_parameters
from formicary_bench.experiments.selections import SELECTIONS
from formicary_bench.results.summary.warm_up import OPTION as WARM_UP
from formicary_bench.vocabulary.parameters import HOSTS, OWN
from formicary_bench.vocabulary.presets import QUICK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary_bench.experiments.experiment import Experiment
    from formicary_bench.results.store.model import Option
    from formicary_bench.vocabulary.parameters import Parameter

REPETITIONS = 3
"""How often each configuration is measured: with fewer, intervals are too wide to say anything."""


@dataclass(frozen=True)
class Options:
    """What to measure. None is what the experiment takes by itself.

    Attributes:
        experiment: its name, or that of a selection.
        hosts: names of the hosts that containers may be on; none where all is on this machine.
        sizes: of the parameters that are an experiment's own, by their fields.

    The others are those of `vocabulary.parameters`.
    """

    experiment: str = QUICK
    hosts: tuple[str, ...] = ()
    sizes: Mapping[str, Any] = field(default_factory=dict)
    counts: tuple[int, ...] | None = None
    traffics: tuple[str, ...] | None = None
    spreads: tuple[str, ...] | None = None
    placements: tuple[str, ...] | None = None
    routes: tuple[str, ...] | None = None
    tls: tuple[bool, ...] | None = None
    subjects: tuple[str, ...] | None = None
    warm_up: int | str | None = None
    profile: bool = False
    preset: str = ""
    repeat: int = 1
    seed: int = 0

    def as_asked(self) -> dict[str, Option]:
        """Return them for the manifest, without what was not given."""
        given: dict[str, Option] = {"experiment": self.experiment}
        given |= {"hosts": list(self.hosts)} if self.hosts else {}
        for one in asked():
            value = self.sizes.get(one.attribute) if one.scope == OWN else getattr(self, one.attribute)
            if value or (value is not None and one.name in {"seed", WARM_UP}):
                given[one.name] = one.for_manifest(value)
        return given


def asked() -> tuple[Parameter, ...]:
    """Return all parameters that say what is measured, and not over which hosts."""
    return tuple(one for one in all_parameters() if one.scope != HOSTS)


def with_preset(options: Options) -> Options:
    """Fill in what a preset says of the experiment, where nothing else was asked for.

    Args:
        options: what was asked for; a `repeat` of 0 is that of the preset, or else the usual one. With a
            selection it stays 0, as its experiments may differ in it: see `repeat_of`.
    """
    experiment = EXPERIMENTS.get(options.experiment)
    if not options.preset:
        selection = SELECTIONS.get(options.experiment)
        usual = (selection and selection.repeat) or REPETITIONS
        return replace(options, repeat=options.repeat or usual)
    if experiment is None:
        return options
    preset = preset_of(experiment, options.preset)
    repeat = options.repeat or preset.repeat or REPETITIONS
    return replace(options, repeat=repeat, sizes={**preset.sizes, **options.sizes})


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
