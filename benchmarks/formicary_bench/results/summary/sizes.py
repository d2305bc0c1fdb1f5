"""How much of an experiment is measured, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.registry import EXPERIMENTS, with_scope
from formicary_bench.vocabulary.parameters.parameter import OWN
from formicary_bench.vocabulary.parameters.shared import ROUNDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.parameters import Parameter


def sizes_of(configuration: Configuration) -> Iterator[str]:
    """Say how much of it is measured, but for round trips."""
    known = EXPERIMENTS.get(configuration.experiment)
    for one in known.own if known else with_scope(OWN).values():  # those of other versions
        if one.attribute in configuration.parameters and one.name != ROUNDS.name:
            yield _said(one, configuration.parameters[one.attribute])
    if configuration.spread:
        yield f"services {configuration.spread}"


def _said(parameter: Parameter, value: Any) -> str:
    try:
        return parameter.said(value)
    except KeyError:  # a choice of another version
        return str(value)
