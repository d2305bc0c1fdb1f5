"""Options, made of the values of the command line."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import SELECTIONS
from formicary_bench.results.summary.warm_up import DETECT, read_rule
from formicary_bench.runner.planning.named_subjects import subjects_named
from formicary_bench.runner.planning.options import Options, asked, with_preset
from formicary_bench.vocabulary.kinds import unknown
from formicary_bench.vocabulary.parameters import MOST_SEED, OWN, VARIED
from formicary_bench.vocabulary.presets import EVERYTHING, QUICK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from formicary_bench.vocabulary.parameters import Parameter

Values = dict[str, Any]
"""What was typed: texts by the names of parameters, and whether there was a flag; None if it was not."""


def parse(experiment: str = QUICK, *, hosts: Sequence[str] = (), **typed: Any) -> Options:
    """Read the values of the command line.

    Args:
        experiment: the name of an experiment, or of a selection.
        hosts: names of the hosts that containers may be on.
        typed: what was typed; see `Values`.

    Raises:
        UsageError: a value is not understood, or does not fit the others.
    """
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
                f"--rounds {given['rounds']} says already how long the warm-up is: leave --warm-up "
                f"{given['warm_up']} out, or write --warm-up {DETECT}"
            )
    return with_preset(Options(experiment=experiment, hosts=tuple(hosts), sizes=sizes, **read))


def _asked_of(experiment: str) -> Iterator[Parameter]:
    """Give all parameters; those of an experiment as it has them, and not as others of the same name."""
    own = {one.name: one for one in EXPERIMENTS[experiment].own} if experiment in EXPERIMENTS else {}
    return (own.get(one.name, one) for one in asked())


def _refuse_foreign(experiment: str, given: Mapping[str, Any]) -> None:
    """Refuse what an experiment does not vary, or nothing of a selection."""
    if experiment in SELECTIONS:
        parts = SELECTIONS[experiment].parts
        varied = list(dict.fromkeys(name for part in parts for name in part.experiment.options))
    else:
        varied = list(EXPERIMENTS[experiment].options)
    if "warm_up" in given and "rounds" not in varied:
        raise UsageError(f"{experiment} has no warm-up that could be left out: leave --warm-up out")
    for one in asked():
        if one.scope in {OWN, VARIED} and one.keyword in given and one.name not in varied:
            varies = ", ".join(f"--{name}" for name in varied)
            raise UsageError(f"{experiment} has no {one.option}; it has {varies}: leave it out")
