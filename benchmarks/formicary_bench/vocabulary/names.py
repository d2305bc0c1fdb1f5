"""Names of experiments, families, presets, selections, and tables of papers."""

from __future__ import annotations

DIRECTORY = "directory"
"""The family of the experiments with the directory of services."""

REGISTER, DEREGISTER, SEARCH = "directory/register", "directory/deregister", "directory/search"

MEMORY = "memory"
"""The family of the experiments with memory alone."""

CREATE = "create"
COMPUTE = "compute"
"""The family of the experiments with agents that compute."""

PAIRS = "messaging/pairs"
"""The experiment whose single pair gives the time of a message and its answer."""

GROWTH = "memory/growth"
NETWORK = "network"
TRAFFIC_RING, TRAFFIC_RECEPTION = "traffic/ring", "traffic/massive-reception"
TRAFFIC_POOL, TRAFFIC_SPEED_UP = "traffic/pool-size", "traffic/speed-up"
CREATE_REMOTE, DISPATCH, ROAM = "mobile/create-remote", "mobile/dispatch", "mobile/roam"
"""Those with mobile agents that other platforms can make as well."""

MESSENGER = "mobile/messenger"

WAKE = "mobile/wake"
WEB_SHOP = "mobile/web-shop"
MEDIATED = "service/mediated"
SWAP = "grid/swap"
PROTOCOLS = "protocols"
"""The family of the experiments with conversations."""

REQUEST, CONTRACT_NET, AUCTION = "protocols/request", "protocols/contract-net", "protocols/auction"
CONVERSATIONS_HOLD = "protocols/memory"
BARE_MESSAGES = "formicary-messages"
"""The platform that they are compared with: our agents with the same messages, but no conversations."""

SCALE_OUT = "messaging/scale-out"
DESIGNS = "messaging/designs"
SATURATION = "messaging/saturation"
OPEN_LOOP = "messaging/open-loop"
LOWER_BOUND = "messaging/lower-bound"
ENCRYPTION = "messaging/encryption"
SIZE = "messaging/size"
SIZES = (SIZE, "messaging/single-pair-size")
"""The experiments in which the size of a message varies."""

MANY_TO_ONE = "messaging/many-to-one"


def is_cpu(experiment: str) -> bool:
    """Return whether an experiment is only about CPU time, so that all repetitions are profiled."""
    return experiment.partition("/")[2].startswith("cpu")


def family_of(experiment: str) -> str:
    """Return the family in an experiment's name: the part before the slash."""
    return experiment.partition("/")[0]


PRESETS = QUICK, PAPER = "quick", "paper"

EVERYTHING = "everything"
"""The name that stands for all experiments."""

TOUR, LINKS, FAMILY, FAMILY_CPU = "tour", "links", "directory", "directory/cpu"
"""Selections besides `quick`, which is also a preset."""


OF_MEMORY, ON_THE_WIRE, OF_LOOPS, OF_A_SERVICE, OF_FAIRNESS = "memory", "wire", "loops", "service", "fairness"
