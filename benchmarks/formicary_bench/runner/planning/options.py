"""The options of a run: read, and completed with defaults."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from formicary.errors import UsageError
from formicary_bench.experiments.presets import preset_of
from formicary_bench.experiments.registry import EXPERIMENTS, all_parameters
from formicary_bench.experiments.selections import SELECTIONS
from formicary_bench.results.summary.warm_up import DETECT, read_rule
from formicary_bench.results.summary.warm_up import OPTION as WARM_UP
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.registry import subjects
from formicary_bench.vocabulary.kinds import unknown
from formicary_bench.vocabulary.names import EVERYTHING, QUICK
from formicary_bench.vocabulary.parameters import HOSTS, MOST_SEED, OWN, VARIED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from formicary_bench.experiments.experiment import Experiment
    from formicary_bench.results.store.model import Option
    from formicary_bench.vocabulary.parameters import Parameter


REPETITIONS = 3
"""The default number of repetitions: with fewer, intervals are too wide."""


@dataclass(frozen=True)
class Options:
    """What to measure; None stands for the experiment's default.

    Attributes:
        experiment: the name of an experiment or a selection.
        hosts: names of the hosts for containers; none for this machine.
        sizes: values of the experiment's own parameters, by their fields.

    The others are parameters of `vocabulary.parameters`.
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
        """Return the given options for the manifest."""
        given: dict[str, Option] = {"experiment": self.experiment}
        given |= {"hosts": list(self.hosts)} if self.hosts else {}
        for one in asked():
            value = self.sizes.get(one.attribute) if one.scope == OWN else getattr(self, one.attribute)
            if value or (value is not None and one.name in {"seed", WARM_UP}):
                given[one.name] = one.for_manifest(value)
        return given


def asked() -> tuple[Parameter, ...]:
    """Return all parameters except those about hosts."""
    return tuple(one for one in all_parameters() if one.scope != HOSTS)


def with_preset(options: Options) -> Options:
    """Complete options with a preset's values.

    A `repeat` of 0 becomes that of the preset or the default; for a selection with a preset it stays 0, as
    its experiments may differ: see `repeat_of`.
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
    if options.repeat or not options.preset:
        return options.repeat or REPETITIONS
    return preset_of(EXPERIMENTS[experiment], options.preset).repeat or REPETITIONS


def places_of(options: Options, experiment: Experiment) -> tuple[str, ...] | None:
    """Return the preset's placements of an experiment over hosts, if it has any."""
    if not options.preset:
        return None
    return preset_of(EXPERIMENTS.get(options.experiment, experiment), options.preset).placements


def subjects_named(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the subjects chosen by names; `formicary` means all kinds of our agents.

    Raises:
        UsageError: a subject is unknown, or not installed.
    """
    every = subjects()
    known = {subject.name: subject for subject in every}
    families = {subject.platform for subject in every} - set(known)
    for name in names:
        if name not in {*families, *known, *RECIPES}:
            raise UsageError(unknown("platform", name, [*families, *known, *RECIPES]))
        if name in RECIPES and name not in known:
            raise UsageError(f"{name} is not installed; {RECIPES[name].how_to_install}")
    chosen = [s for s in every if s.name in names or (s.platform in names and not s.hidden)]
    for subject in chosen:
        if not subject.is_installed():
            raise UsageError(
                f"{subject.name} is not installed; install it with: "
                f"pip install 'formicary[{subject.extra or subject.package}]'"
            )
    return tuple(subject.name for subject in chosen)


Values = dict[str, Any]
"""The words of the command line by parameters: texts, or booleans for flags; None if not given."""


def parse(experiment: str = QUICK, *, hosts: Sequence[str] = (), **typed: Any) -> Options:
    """Read the words of the command line; raise a UsageError if one is invalid, or does not fit others."""
    if experiment not in {*EXPERIMENTS, *SELECTIONS}:
        raise UsageError(unknown("experiment", experiment, [*EXPERIMENTS, *SELECTIONS, EVERYTHING]))
    given = {name: value for name, value in typed.items() if value is not None}
    _refuse_foreign(experiment, given)
    read: Values = {"seed": secrets.randbelow(MOST_SEED + 1), "repeat": 0}
    sizes: Values = {}
    for one in _asked_of(experiment):
        if one.keyword in given:
            text = given[one.keyword]
            place = sizes if one.scope == OWN else read
            place[one.attribute] = text if isinstance(text, bool) else one.from_words(text)
    if "subjects" in read:
        read["subjects"] = subjects_named(read["subjects"])
    if "warm_up" in read:
        rule = read["warm_up"] = read_rule(read["warm_up"])
        if isinstance(rule, int) and "rounds" in sizes:
            raise UsageError(
                f"--rounds {given['rounds']} already sets the length of the warm-up: leave --warm-up "
                f"{given['warm_up']} out, or write --warm-up {DETECT}"
            )
    return with_preset(Options(experiment=experiment, hosts=tuple(hosts), sizes=sizes, **read))


def _asked_of(experiment: str) -> Iterator[Parameter]:
    """Return all parameters, with an experiment's own in place of others of the same name."""
    own = {one.name: one for one in EXPERIMENTS[experiment].own} if experiment in EXPERIMENTS else {}
    return (own.get(one.name, one) for one in asked())


def _refuse_foreign(experiment: str, given: Mapping[str, Any]) -> None:
    """Refuse parameters that the experiment, or all of a selection, does not vary."""
    if experiment in SELECTIONS:
        parts = SELECTIONS[experiment].parts
        varied = list(dict.fromkeys(name for part in parts for name in part.experiment.options))
    else:
        varied = list(EXPERIMENTS[experiment].options)
    if "warm_up" in given and "rounds" not in varied:
        raise UsageError(f"{experiment} has no warm-up to discard: leave --warm-up out")
    for one in asked():
        if one.scope in {OWN, VARIED} and one.keyword in given and one.name not in varied:
            varies = ", ".join(f"--{name}" for name in varied)
            raise UsageError(f"{experiment} has no {one.option}; it has {varies}: leave it out")
