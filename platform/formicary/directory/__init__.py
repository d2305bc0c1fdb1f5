"""The directory of services that agents offer (FIPA00023's directory facilitator).

Two designs share one interface, `replicated` and `central`. Each line below uses only those above it.

- `model`: descriptions, queries and the index, which all designs share
- `language`: the encoding of requests and answers
- `interface`: what users see, `agent.directory` and `container.directory`, and what a design implements
- `replicated`: a copy of all entries in each container
- `central`: one agent with all entries
- `proxy`: the directory of a guest of the platform, and `enquiries`, which answers guests
- `designs`: their names; checks that all containers of a platform use the same one
"""

from typing import TYPE_CHECKING

from formicary.core.exports import exporter

if TYPE_CHECKING:
    from formicary.directory.central.agent import DirectoryAgent
    from formicary.directory.interface import AgentDirectory, Change, Directory, Subscription
    from formicary.directory.model.description import Gone, ServiceDescription
    from formicary.directory.model.query import Condition, Query

CPU_GROUP = "directory"

__all__ = [
    "AgentDirectory",
    "Change",
    "Condition",
    "Directory",
    "DirectoryAgent",
    "Gone",
    "Query",
    "ServiceDescription",
    "Subscription",
]

__getattr__ = exporter(
    __name__,
    {
        "directory.central.agent": ("DirectoryAgent",),
        "directory.interface": ("AgentDirectory", "Change", "Directory", "Subscription"),
        "directory.model.description": ("Gone", "ServiceDescription"),
        "directory.model.query": ("Condition", "Query"),
    },
)
