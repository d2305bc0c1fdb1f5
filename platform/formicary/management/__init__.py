"""The containers and agents of a platform, and what can be done with them (FIPA00023's AMS).

- `descriptions`: what is known of agents, containers and links
- `membership`: which containers there are
- `requests`: requests to a container, and who performs them
- `management`: the interface for users, `container.management`
- `services`: the services of each container: management, its part of the directory, groups
- `guest`: the same for a guest of the platform
"""

from typing import TYPE_CHECKING

from formicary.core.exports import exporter

if TYPE_CHECKING:
    from formicary.management.descriptions import (
        AgentDescription,
        AgentPlace,
        ContainerDescription,
        LinkDescription,
        Listing,
        Missing,
        NotCreated,
    )
    from formicary.management.management import Management
    from formicary.management.requests.creating import Creations

CPU_GROUP = "platform"

__all__ = [
    "AgentDescription",
    "AgentPlace",
    "ContainerDescription",
    "Creations",
    "LinkDescription",
    "Listing",
    "Management",
    "Missing",
    "NotCreated",
]

__getattr__ = exporter(
    __name__,
    {
        "management.requests.creating": ("Creations",),
        "management.descriptions": (
            "AgentDescription",
            "AgentPlace",
            "ContainerDescription",
            "LinkDescription",
            "Listing",
            "Missing",
            "NotCreated",
        ),
        "management.management": ("Management",),
    },
)
