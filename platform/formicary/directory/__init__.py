"""Who offers what: descriptions of services, and how agents find them (FIPA00023's directory facilitator).

Two designs stand behind one interface, `replicated` and `central`. Each line below knows only those above it.

- `model`: descriptions, queries and the index, which all designs share
- `language`: how requests and answers are written
- `interface`: what users see, `agent.directory` and `container.directory`, and what a design has to do
- `replicated`: a copy of all entries in each container
- `central`: one agent that has all entries
- `proxy`: the directory as a guest of the platform has it, and `enquiries`: who answers guests
- `agreement`: whether all containers of a platform have the same design
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
