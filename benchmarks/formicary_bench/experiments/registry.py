"""All experiments, in the order in which they are listed and measured: to add one, add its module here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments import create, memory, network, observe
from formicary_bench.experiments.compute import speed_up
from formicary_bench.experiments.directory import (
    churn,
    cpu_register,
    cpu_search,
    deregister,
    propagation,
    register,
    search,
)
from formicary_bench.experiments.grid import swap
from formicary_bench.experiments.memory import growth
from formicary_bench.experiments.messaging import (
    broadcast,
    cpu,
    designs,
    encryption,
    location,
    lower_bound,
    many_to_one,
    open_loop,
    pairs,
    saturation,
    scale,
    scale_out,
    single_pair_size,
    size,
    styles,
)
from formicary_bench.experiments.mobile import (
    create_local,
    create_remote,
    dispatch,
    forward_agents,
    forward_messages,
    messenger,
    one_way,
    proxy,
    roam,
    synchronize,
    two_way,
    wake,
    web_shop,
)
from formicary_bench.experiments.protocols import auction, contract_net, request
from formicary_bench.experiments.protocols import memory as conversations_hold
from formicary_bench.experiments.service import mediated
from formicary_bench.experiments.traffic import massive_reception, pool_size, ring
from formicary_bench.experiments.traffic import speed_up as traffic_speed_up
from formicary_bench.vocabulary.names import family_of

if TYPE_CHECKING:
    from formicary_bench.experiments.experiment import Experiment

_MODULES = (
    *(pairs, many_to_one, broadcast, size, lower_bound),
    *(location, single_pair_size, scale, encryption),
    *(open_loop, saturation, scale_out, designs, styles, create),
    *(register, deregister, search, propagation, churn),
    *(create_local, create_remote, dispatch, one_way, two_way, synchronize, messenger),
    *(roam, proxy, forward_messages, forward_agents, wake, web_shop),
    *(mediated, swap),
    *(request, contract_net, auction, conversations_hold),
    *(speed_up, ring, massive_reception, pool_size, traffic_speed_up),
    *(memory, growth, network, observe),
    *(cpu, cpu_register, cpu_search),
)

EXPERIMENTS: dict[str, Experiment] = {module.EXPERIMENT.name: module.EXPERIMENT for module in _MODULES}
"""By name."""


def declared(name: str) -> Experiment | None:
    """Return the experiment of a name; for names of other versions one of its family."""
    same_family = (one for one in EXPERIMENTS.values() if one.family == family_of(name))
    return EXPERIMENTS.get(name) or next(same_family, None)
