"""Agents that move between the containers of a platform (FIPA00087).

- `cloning`: copies of agents
- `itinerary`: agents that visit containers one after the other
- `snapshot`: agents as msgpack, and back; `behaviours`: their behaviours
- `declared_data`, `plain_data`: the data of both: of the type that their class declares, or plain
- `kinds`: which classes may arrive, and those of a home's own agents, which may return
- `forwarding`: how messages find agents that have moved, in their order
- `quiescence`, `micro_quiescence`: bringing an agent to rest, resuming it, taking it apart where it leaves
- `tombstone`, `unread`: what stands in its place there, and the messages that follow it
- `waking`: starts it where it has arrived, and delivers what has waited for it
- `handover`: how an agent gets from one container to another, as state machines
- `attached_state`: an agent's registrations and roles, which move with it
- `departing`, `arriving`: perform their instructions at the source and at the destination
- `limiter`: limits how many set out in one turn of the loop
- `transit`: what others can see of an agent on its way
- `service`: moves agents from a container and to it
- `on_demand`: what there is instead until an agent moves, or where there are no other containers
"""

from typing import TYPE_CHECKING

from formicary.core.exports import exporter

if TYPE_CHECKING:
    from formicary.mobility.itinerary import Visit
    from formicary.mobility.transit import Transit

CPU_GROUP = "platform"

__all__ = ["Transit", "Visit"]

__getattr__ = exporter(
    __name__,
    {
        "mobility.itinerary": ("Visit",),
        "mobility.transit": ("Transit",),
    },
)
