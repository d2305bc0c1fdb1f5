"""How much of an experiment a preset measures."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
        rates: messages per second.
        rounds: round trips, or uses, before, while and after it is measured.
        repeat: how often each configuration is measured.
        seconds: how long pairs talk while memory is looked at.
        placements: where it is measured, where hosts take part.
        parts: what is measured of it, where not all of its sizes are combined with each other.
    """

    loads: tuple[int, ...] | None = None
    payloads: tuple[int, ...] | None = None
    agents: tuple[int, ...] | None = None
    services: tuple[int, ...] | None = None
    containers: tuple[int, ...] | None = None
    rates: tuple[int, ...] | None = None
    rounds: Rounds | None = None
    repeat: int | None = None
    seconds: int | None = None
    placements: tuple[str, ...] | None = None
    parts: tuple[Part, ...] = ()

    def of(self, part: Part) -> Part:
        """Return a part of a selection in these sizes."""
        return replace(
            part,
            loads=self.loads or part.loads,
            payloads=self.payloads or part.payloads,
            agents=self.agents or part.agents,
            services=self.services or part.services,
            containers=self.containers or part.containers,
        )
