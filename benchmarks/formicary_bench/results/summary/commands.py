"""Sizes of configurations in words, and the commands that measure one alone, or a run again."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.registry import EXPERIMENTS, all_parameters, with_scope
from formicary_bench.subjects.registry import subject_of
from formicary_bench.vocabulary.names import is_cpu
from formicary_bench.vocabulary.parameters import PARAMETERS
from formicary_bench.vocabulary.parameters.parameter import OWN
from formicary_bench.vocabulary.parameters.shared import ROUNDS
from formicary_bench.vocabulary.places import TWO_HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.experiments.experiment import Experiment
    from formicary_bench.results.store.model import Manifest
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.parameters import Parameter


def command(configuration: Configuration) -> str:
    """Return the command that measures this configuration alone."""
    one = configuration
    kind = f"-{one.kind}" if one.kind else ""
    words = [f"formicary bench run {one.experiment} --platform {one.platform}{kind}"]
    words += ["--profile"] if (one.profiled or one.reference) and not is_cpu(one.experiment) else []
    return " ".join([*words, *_parameters(one)])


def run_again(manifest: Manifest, repeat: int = 0) -> str:
    """Return the command that measures all of a run again, with its own options.

    Args:
        manifest: the run's manifest.
        repeat: the number of repetitions; that of the run if 0.

    Returns:
        Empty for runs of a plan or over hosts, as their manifests lack some of the options.
    """
    options = manifest.options
    if "experiment" not in options or "hosts" in options:
        return ""
    words = ["formicary bench run", quote(str(options["experiment"]))]
    given = {**options, "repeat": repeat or options.get("repeat")}
    for one in all_parameters():
        value = given.get(one.name)
        if one.name != "seed" and value is not None and value is not False:
            words.append(one.option if value is True else f"{one.option} {quote(_typed(value))}")
    return " ".join(words)


def _typed(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _parameters(one: Configuration) -> Iterator[str]:
    """Yield the options that select a configuration."""
    experiment = EXPERIMENTS[one.experiment]
    by_name = {parameter.name: parameter for parameter in PARAMETERS}
    fixed = {name for name, is_open in _choices(one, experiment).items() if not is_open}
    for name, value in _PLACES.items():
        if name not in fixed and name in (*experiment.options, "placement"):
            found = getattr(one, value)
            if found or name in _ALSO_NOTHING:
                yield by_name[name].typed(found)
    for parameter in experiment.own:
        if parameter.attribute in one.parameters:
            yield parameter.typed(one.parameters[parameter.attribute])


_PLACES = {name: name for name in ("placement", "route", "tls", "spread", "traffic")} | {"count": "hosts"}
"""The fields of a configuration that say where it is, by the options that ask for them."""

_ALSO_NOTHING = {"tls", "spread"}
"""Parameters of which nothing is a value, too."""


def _choices(one: Configuration, experiment: Experiment) -> dict[str, bool]:
    """Return whether parameters that some placements fix have a choice here."""
    subject = subject_of(one.platform, one.kind)
    is_between = one.route != "in-process"
    return {
        "placement": len(experiment.placements) > 1,
        "route": is_between and subject.has_choice(one.placement),
        "tls": is_between and len(subject.carriers[one.placement]) > 1,
        # Over hosts services may be at several places; with two processes they have a default.
        "spread": bool(one.spread or (experiment.spreads and one.placement == TWO_HOSTS)),
    }


def sizes_of(configuration: Configuration) -> Iterator[str]:
    """Yield the sizes of a configuration in words, without round trips."""
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
