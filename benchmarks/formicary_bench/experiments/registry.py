"""All experiments, in the order in which they are listed and measured. Add new ones here."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, get_type_hints

from formicary_bench.experiments import create, network, observe, service
from formicary_bench.experiments.compute import mix, speed_up
from formicary_bench.experiments.directory import hosts
from formicary_bench.experiments.directory.declared import (
    CHURN,
    CPU_REGISTER,
    CPU_SEARCH,
    DEREGISTER,
    MANY_CLIENTS,
    PROPAGATION,
    REGISTERING,
    SEARCH,
)
from formicary_bench.experiments.grid import fairness, swap
from formicary_bench.experiments.memory import GROWING, HOLDING
from formicary_bench.experiments.messaging import (
    broadcast,
    encryption,
    fan_out_tree,
    scale_out,
    serialisation,
)
from formicary_bench.experiments.messaging.declared import (
    CPU,
    LOCATION,
    MANY_TO_ONE,
    PAIRS,
    SCALE,
    SINGLE_PAIR_SIZE,
    SIZE,
)
from formicary_bench.experiments.messaging.open_loop import OPEN_LOOP, SATURATION
from formicary_bench.experiments.messaging.variants import DESIGNS, LOWER_BOUND, STYLED
from formicary_bench.experiments.mobile import web_shop
from formicary_bench.experiments.mobile.declared import (
    CREATE_LOCAL,
    CREATE_REMOTE,
    DISPATCH,
    FORWARD_AGENTS,
    FORWARD_MESSAGES,
    MESSENGER,
    ONE_WAY,
    PROXY,
    ROAM,
    SYNCHRONIZE,
    TWO_WAY,
    WAKE,
)
from formicary_bench.experiments.protocols import ASKING_EACH, AT_ONCE, AUCTIONS, CONTRACT_NETS
from formicary_bench.experiments.traffic import MASSIVE_RECEPTION, POOL_SIZE, RING
from formicary_bench.experiments.traffic import SPEED_UP as TRAFFIC_SPEED_UP
from formicary_bench.vocabulary.kinds import either
from formicary_bench.vocabulary.metrics import (
    CREATION,
    EACH_HOLDS,
    HOLDS,
    LEAST,
    MEAN,
    P90,
    P99,
    P999,
    PAPERS_MEAN,
    RATE,
    SLOWEST,
    TIME,
    TOTAL,
    Metric,
)
from formicary_bench.vocabulary.names import family_of
from formicary_bench.vocabulary.parameters import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.experiments.experiment import Experiment
    from formicary_bench.vocabulary.parameters import Parameter

_ALL = (
    *(PAIRS, MANY_TO_ONE, broadcast.EXPERIMENT, fan_out_tree.EXPERIMENT, SIZE, serialisation.EXPERIMENT),
    *(LOWER_BOUND, LOCATION, SINGLE_PAIR_SIZE, SCALE, encryption.EXPERIMENT),
    *(OPEN_LOOP, SATURATION, scale_out.EXPERIMENT, DESIGNS, STYLED, create.EXPERIMENT),
    *(REGISTERING, DEREGISTER, SEARCH, MANY_CLIENTS, PROPAGATION, CHURN, hosts.EXPERIMENT),
    *(CREATE_LOCAL, CREATE_REMOTE, DISPATCH, ONE_WAY, TWO_WAY, SYNCHRONIZE, MESSENGER),
    *(ROAM, PROXY, FORWARD_MESSAGES, FORWARD_AGENTS, WAKE, web_shop.EXPERIMENT),
    *(service.EXPERIMENT, swap.EXPERIMENT, fairness.EXPERIMENT),
    *(ASKING_EACH, CONTRACT_NETS, AUCTIONS, AT_ONCE),
    *(speed_up.EXPERIMENT, mix.EXPERIMENT, RING, MASSIVE_RECEPTION, POOL_SIZE, TRAFFIC_SPEED_UP),
    *(HOLDING, GROWING, network.EXPERIMENT, observe.EXPERIMENT),
    *(CPU, CPU_REGISTER, CPU_SEARCH),
)

EXPERIMENTS: dict[str, Experiment] = {one.name: one for one in _ALL}
"""By name."""


def declared(name: str) -> Experiment | None:
    """Return the experiment with a name; for a name of another version, one of the same family."""
    same_family = (one for one in EXPERIMENTS.values() if one.family == family_of(name))
    return EXPERIMENTS.get(name) or next(same_family, None)


_SHARED = (MEAN, PAPERS_MEAN, LEAST, TIME, P90, P99, P999, SLOWEST, RATE, CREATION, EACH_HOLDS, TOTAL, HOLDS)


@cache
def metrics_of(experiment: str) -> dict[str, Metric]:
    """Return the metrics of an experiment by name, including those it shares with others."""
    known = declared(experiment)
    own = (*known.shown, *known.unshown, known.main_metric) if known else ()
    return {metric.name: metric for metric in (*_SHARED, *own)}


def metric_of(experiment: str, name: str) -> Metric:
    """Return a metric of an experiment; one with only its name if it is unknown."""
    return metrics_of(experiment).get(name) or Metric(name, name)


_PANELS = "Selection", "Placement", "Workload", "Method"
_MANY = 6


@cache
def all_parameters() -> tuple[Parameter, ...]:
    """Return all parameters in the order of the help, merging those of the same name."""
    declared: dict[str, dict[str, tuple[Parameter, list[Experiment]]]] = {}
    for experiment in EXPERIMENTS.values():
        for one in experiment.own:
            declared.setdefault(one.name, {}).setdefault(one.help, (one, []))[1].append(experiment)
    own = [_merged(list(of_name.values())) for of_name in declared.values()]
    return tuple(sorted((*PARAMETERS, *own), key=lambda one: _PANELS.index(one.panel)))


def with_scope(*scopes: str) -> dict[str, Parameter]:
    """Return the parameters with one of some scopes, by name."""
    return {one.name: one for one in all_parameters() if one.scope in scopes}


@cache
def own_types() -> dict[str, Any]:
    """Return the types of the experiments' own parameters, by field."""
    return {
        field: hint
        for experiment in EXPERIMENTS.values()
        for field, hint in get_type_hints(experiment.parameters).items()
    }


def _merged(declared: list[tuple[Parameter, list[Experiment]]]) -> Parameter:
    """Merge the parameters of several experiments into one whose help says which has which."""
    said = [f"{_with(experiments)}{one.help}" for one, experiments in declared]
    first = declared[0][0]
    kind = either([one.kind for one, _ in declared]) if len(declared) > 1 else first.kind
    return replace(first, help=" ".join(said), kind=kind)


def _with(experiments: list[Experiment]) -> str:
    if len(experiments) > _MANY:
        return ""
    return f"For {' and '.join(_called(experiments))}: "


def _called(experiments: Iterable[Experiment]) -> list[str]:
    """Return the names of experiments, shortened to the family where all of it is meant."""
    found: dict[str, list[str]] = {}
    for one in experiments:
        found.setdefault(one.family, []).append(one.name)
    every = {family: [one.name for one in EXPERIMENTS.values() if one.family == family] for family in found}
    return [
        name
        for family, names in found.items()
        for name in ([f"{family}/..."] if names == every[family] and len(names) > 1 else names)
    ]
