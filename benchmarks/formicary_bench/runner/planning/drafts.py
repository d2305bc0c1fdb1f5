"""All points of a part of a run: all combinations of sizes, for each subject at each place. Pure.

An experiment's `fit` drops combinations that do not go together, and adds sizes that follow from others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Self

from formicary_bench.runner.planning.hosts import carriers_of, layouts_of
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.parameters.parameter import fixed_by
from formicary_bench.vocabulary.parameters.shared import ROUNDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from formicary_bench.experiments.experiment import Experiment, Part
    from formicary_bench.runner.planning.hosts import Layout
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.parameters import Parameter
    from formicary_bench.vocabulary.parameters.shared import Rounds
    from formicary_bench.vocabulary.places import Carrier


@dataclass(frozen=True)
class Draft:
    """A point that may be measured, with sizes by fields of the experiment's parameters."""

    part: Part
    options: Options
    subject: Subject
    layout: Layout
    carrier: Carrier
    sizes: dict[str, Any]

    @property
    def experiment(self) -> Experiment:
        return self.part.experiment

    @property
    def asked_rounds(self) -> Rounds | None:
        """The round trips requested by the user, the preset or the selection."""
        found: Rounds | None = self.options.sizes.get("rounds") or self.part.sizes.get("rounds")
        return found

    def sized(self, **sizes: Any) -> Self:
        return replace(self, sizes={**self.sizes, **sizes})

    def configuration(self) -> Configuration:
        absent = {one.attribute: one.absent for one in self.experiment.own}
        return Configuration(
            experiment=self.experiment.name,
            platform=self.subject.platform,
            kind=self.subject.kind,
            placement=self.layout.placement,
            hosts=self.layout.hosts,
            traffic=self.layout.traffic,
            spread=self.layout.spread,
            route=self.carrier.route,
            tls=self.carrier.tls,
            parameters={name: value for name, value in self.sizes.items() if value != absent.get(name)},
        )


def plan(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Yield all configurations of a part of a run; raise a UsageError if the request cannot be measured."""
    fit = part.experiment.fit.load() if part.experiment.fit else _as_they_are
    for sizes in points(part, options):
        for layout, subject in product(list(layouts_of(part, options)), subjects):
            for carrier in carriers_of(subject, layout, part, options):
                for draft in fit(Draft(part, options, subject, layout, carrier, sizes)):
                    yield draft.configuration()


def points(part: Part, options: Options) -> Iterator[dict[str, Any]]:
    """Yield all combinations of sizes of a part, without round trips, which follow from them."""
    several = {}
    for one in part.experiment.own:
        values = values_of(one.attribute, part, options)
        if values is not None and one.name != ROUNDS.name:
            several[one.attribute] = (
                [each for each in values if _is(one, each)] if one.kind.several else [values]
            )
    for chosen in product(*several.values()):
        yield dict(zip(several, chosen, strict=True))


def values_of(field: str, part: Part, options: Options) -> Any:
    """Return the values of a parameter: the requested ones, or those of the part or the experiment."""
    for sizes in (options.sizes, part.sizes, part.experiment.sizes):
        if sizes.get(field) is not None:
            return sizes[field]
    return None


def _is(parameter: Parameter, value: Any) -> bool:
    """Return whether an experiment has a value; in a selection, only others may."""
    try:
        parameter.kind.word(value)
    except KeyError:
        return False
    return True


def _as_they_are(draft: Draft) -> Iterable[Draft]:
    """Return a draft with fixed parameters and round trips."""
    rounds = draft.asked_rounds or draft.experiment.sizes.get("rounds")
    has_rounds = any(one.name == ROUNDS.name for one in draft.experiment.own)
    known = draft.sized(**fixed_by(draft.experiment.parameters))
    return [known.sized(rounds=rounds) if rounds and has_rounds else known]
