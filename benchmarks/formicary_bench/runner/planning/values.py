"""The words of the command line that say what is measured, and the options that are made of them."""

from __future__ import annotations

import secrets
from itertools import chain
from typing import TYPE_CHECKING, TypedDict

from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import QUICK, SELECTIONS
from formicary_bench.results.summary.warm_up import OPTION as WARM_UP
from formicary_bench.runner.planning.options import (
    MOST_AGENTS,
    MOST_BYTES,
    MOST_OTHERS,
    MOST_PAIRS,
    MOST_RATE,
    MOST_REPETITIONS,
    MOST_SECONDS,
    MOST_SEED,
    MOST_SERVICES,
    Options,
    with_preset,
)
from formicary_bench.runner.planning.readers import (
    duration,
    names,
    numbers,
    one_number,
    phases,
    read_subjects,
    spreads,
    switches,
    unknown,
    warm_up_rule,
)
from formicary_bench.vocabulary.arrivals import ARRIVALS
from formicary_bench.vocabulary.containers import MOST_HOSTS
from formicary_bench.vocabulary.placements import APART, HOSTED, SAME
from formicary_bench.vocabulary.presets import EVERYTHING, PRESETS
from formicary_bench.vocabulary.routes import ROUTES
from formicary_bench.vocabulary.traffic import TRAFFICS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

_ALL_HAVE = {"placement", "platform", "profile", "preset", "repeat", "seed", "warm_up"}


class Words(TypedDict, total=False):
    """The options that say what is measured, as they were typed; those that were not are None, or missing."""

    preset: str | None
    pairs: str | None
    payload: str | None
    agents: str | None
    services: str | None
    containers: str | None
    growth: str | None
    count: str | None
    traffic: str | None
    spread: str | None
    placement: str | None
    route: str | None
    tls: str | None
    platform: str | None
    rate: str | None
    arrivals: str | None
    p99: str | None
    rounds: str | None
    warm_up: str | None
    profile: bool
    repeat: str | None
    seed: str | None


def parse(experiment: str = QUICK.name, *, hosts: Sequence[str] = (), **words: Unpack[Words]) -> Options:
    """Read the command line's words.

    Args:
        experiment: the name of an experiment, or of a selection.
        hosts: names of the hosts that containers may be on.
        words: what was typed.

    Raises:
        UsageError: one of them is not understood, or does not fit the others.
    """
    if experiment not in {*EXPERIMENTS, *SELECTIONS}:
        raise UsageError(unknown("experiment", experiment, [*EXPERIMENTS, *SELECTIONS, EVERYTHING]))
    _refuse_foreign(experiment, words)
    (preset,) = names("preset", words.get("preset"), PRESETS) or ("",)
    return with_preset(
        Options(
            experiment=experiment,
            pairs=numbers("--pairs", words.get("pairs"), 1, MOST_PAIRS),
            payloads=numbers("--payload", words.get("payload"), 0, MOST_BYTES),
            agents=numbers("--agents", words.get("agents"), 1, MOST_AGENTS),
            services=numbers("--services", words.get("services"), 0, MOST_SERVICES),
            containers=numbers("--containers", words.get("containers"), 1, MOST_OTHERS),
            growth=one_number("--growth", words.get("growth"), 1, MOST_SECONDS),
            hosts=tuple(hosts),
            counts=numbers("--count", words.get("count"), 1, MOST_HOSTS),
            traffics=names("traffic", words.get("traffic"), TRAFFICS),
            spreads=spreads(words.get("spread")),
            placements=names("placement", words.get("placement"), [SAME, APART, *HOSTED]),
            routes=names("route", words.get("route"), ROUTES),
            tls=switches("--tls", words.get("tls")),
            subjects=read_subjects(words.get("platform")),
            rates=numbers("--rate", words.get("rate"), 1, MOST_RATE),
            arrivals=names("arrivals", words.get("arrivals"), ARRIVALS),
            limit_us=duration("--p99", words.get("p99")),
            rounds=phases(words.get("rounds")),
            warm_up=warm_up_rule(words.get("warm_up"), words.get("rounds")),
            profile=words.get("profile", False),
            preset=preset,
            repeat=one_number("--repeat", words.get("repeat"), 1, MOST_REPETITIONS) or 0,
            seed=read_seed(words.get("seed")),
        )
    )


def read_seed(text: str | None) -> int:
    """Read a seed; draw one if None.

    Raises:
        UsageError: it is no number, or too large.
    """
    if text is None:
        return secrets.randbelow(MOST_SEED + 1)
    return one_number("--seed", text, 0, MOST_SEED) or 0


def _refuse_foreign(experiment: str, words: Words) -> None:
    """Refuse what an experiment does not vary, or nothing of a selection."""
    if experiment in SELECTIONS:
        parts = (part.experiment.varies for part in SELECTIONS[experiment].parts)
        varied = tuple(dict.fromkeys(chain.from_iterable(parts)))
    else:
        varied = EXPERIMENTS[experiment].varies
    if words.get("warm_up") is not None and "rounds" not in varied:
        raise UsageError(f"{experiment} has no warm-up that could be left out: leave --{WARM_UP} out")
    for name, value in words.items():
        if value is not None and name not in _ALL_HAVE and name not in varied:
            varies = ", ".join(f"--{name}" for name in varied)
            raise UsageError(f"{experiment} has no --{name}; it has {varies}: leave it out")
