"""Options, made of the values of the command line."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import QUICK, SELECTIONS
from formicary_bench.results.summary.warm_up import DETECT, read_rule
from formicary_bench.runner.planning.named_subjects import subjects_named
from formicary_bench.runner.planning.options import Options, with_preset
from formicary_bench.vocabulary.kinds import unknown
from formicary_bench.vocabulary.parameters import ASKED, MOST_SEED, VARIED
from formicary_bench.vocabulary.presets import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Values = dict[str, Any]
"""What was typed: texts by the names of parameters, and whether there was a flag; None if it was not."""


def parse(experiment: str = QUICK.name, *, hosts: Sequence[str] = (), **typed: Any) -> Options:
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
    for one in ASKED:
        if one.keyword in given:
            text = given[one.keyword]
            read[one.attribute] = text if isinstance(text, bool) else one.from_words(text)
    if "subjects" in read:
        read["subjects"] = subjects_named(read["subjects"])
    if "warm_up" in read:
        rule = read["warm_up"] = read_rule(read["warm_up"])
        if isinstance(rule, int) and "rounds" in read:
            raise UsageError(
                f"--rounds {given['rounds']} says already how long the warm-up is: leave --warm-up "
                f"{given['warm_up']} out, or write --warm-up {DETECT}"
            )
    return with_preset(Options(experiment=experiment, hosts=tuple(hosts), **read))


def _refuse_foreign(experiment: str, given: Mapping[str, Any]) -> None:
    """Refuse what an experiment does not vary, or nothing of a selection."""
    if experiment in SELECTIONS:
        parts = SELECTIONS[experiment].parts
        varied = list(dict.fromkeys(name for part in parts for name in part.experiment.varies))
    else:
        varied = list(EXPERIMENTS[experiment].varies)
    if "warm_up" in given and "rounds" not in varied:
        raise UsageError(f"{experiment} has no warm-up that could be left out: leave --warm-up out")
    for one in ASKED:
        if one.scope == VARIED and one.keyword in given and one.name not in varied:
            varies = ", ".join(f"--{name}" for name in varied)
            raise UsageError(f"{experiment} has no {one.option}; it has {varies}: leave it out")
