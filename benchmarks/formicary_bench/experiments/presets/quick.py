"""Which subjects take part in which experiment, and where, in a quick run of it: `--preset quick`.

Fewer are measured, and none of them worse. Each keeps ours, what it is held against, and the places that
it is about; `messaging/pairs` keeps the most, as all others are compared by it.
"""

from __future__ import annotations

from formicary_bench.experiments.catalogue import (
    CHURN,
    DEREGISTER,
    DESIGNS,
    ENCRYPTION,
    GROWTH,
    LOCATION,
    LOWER_BOUND,
    MANY_TO_ONE,
    MESSAGING_CPU,
    NETWORK,
    OPEN_LOOP,
    PAIRS,
    PROPAGATION,
    REGISTER,
    REGISTER_CPU,
    SATURATION,
    SCALE,
    SEARCH,
    SEARCH_CPU,
    SINGLE_PAIR_SIZE,
    SIZE,
    Experiment,
    Part,
)
from formicary_bench.vocabulary.placements import APART, SAME, TWO_HOSTS
from formicary_bench.vocabulary.routes import DIRECT, XMPP, Carrier

_OURS = "formicary-behaviours"
_DIRECTLY = (Carrier(DIRECT), Carrier("tcp"))
_BY_ALL = (*_DIRECTLY, Carrier(XMPP))
_BOTH = (SAME, APART)
_HERE = (SAME, TWO_HOSTS)  # in one process where there are no hosts


def _part(
    experiment: Experiment,
    *subjects: str,
    placements: tuple[str, ...] = (APART,),
    carriers: tuple[Carrier, ...] = _DIRECTLY,
) -> Part:
    return Part(experiment, subjects, placements=placements, carriers=carriers)


_PARTS = (
    _part(PAIRS, _OURS, "formicary-micro", "tasks", "callbacks", placements=(SAME,)),
    _part(PAIRS, _OURS, "tcp", "components", carriers=_BY_ALL),
    _part(MANY_TO_ONE, _OURS, "tasks", "tcp", placements=_BOTH),
    _part(SIZE, _OURS, "tcp"),
    _part(LOWER_BOUND, _OURS, "tcp", placements=_BOTH),
    _part(LOCATION, _OURS, placements=_BOTH, carriers=_BY_ALL),
    _part(SINGLE_PAIR_SIZE, _OURS, "tcp"),
    _part(SCALE, _OURS, placements=_BOTH),
    _part(ENCRYPTION, _OURS, "tcp"),
    _part(OPEN_LOOP, _OURS, "tcp", placements=_BOTH),
    _part(SATURATION, _OURS, placements=_HERE),
    _part(DESIGNS, *DESIGNS.subjects, placements=_HERE),
    _part(DESIGNS, _OURS, "formicary-unbatched"),
    _part(REGISTER, "formicary-replica", "formicary-central", placements=_BOTH),
    _part(DEREGISTER, "formicary-replica", "formicary-central", placements=_HERE),
    _part(SEARCH, "formicary-replica", "formicary-central", placements=_BOTH),
    _part(PROPAGATION),
    _part(CHURN),
    _part(GROWTH, _OURS, placements=_BOTH),
    _part(NETWORK, _OURS, "tcp", carriers=_BY_ALL),
    _part(MESSAGING_CPU, _OURS, placements=_BOTH),
    _part(REGISTER_CPU, "formicary-replica", "formicary-central", placements=_HERE),
    _part(SEARCH_CPU, "formicary-replica", "formicary-central", placements=_HERE),
)

QUICK_PARTS = {
    name: tuple(part for part in _PARTS if part.experiment.name == name)
    for name in dict.fromkeys(part.experiment.name for part in _PARTS)
}
"""By the names of the experiments; of others all take part that can."""
