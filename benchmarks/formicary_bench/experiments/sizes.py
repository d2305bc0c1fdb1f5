"""How much of an experiment a preset measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary_bench.experiments.catalogue import Part, Rounds


@dataclass(frozen=True)
class Sizes:
    """What a preset sets of an experiment. None is what the experiment takes by itself.

    Attributes:
        loads: pairs or senders.
        payloads: bytes of a body.
        agents: how many agents are created, or come and go.
        services: how many services are registered before.
        containers: how many other containers are to learn of something.
        rounds: round trips, or uses, before, while and after it is measured.
        repeat: how often each configuration is measured.
        seconds: how long pairs talk while memory is looked at.
        parts: what is measured of it, where not all of its sizes are combined with each other.
    """

    loads: tuple[int, ...] | None = None
    payloads: tuple[int, ...] | None = None
    agents: tuple[int, ...] | None = None
    services: tuple[int, ...] | None = None
    containers: tuple[int, ...] | None = None
    rounds: Rounds | None = None
    repeat: int | None = None
    seconds: int | None = None
    parts: tuple[Part, ...] = ()
