"""Observation of a running container, at no cost until somebody watches.

- `events`: the events sent to viewers
- `collector`: collects events for viewers, with `probes` (on the path of messages), `sampling` (which of too
  many to show) and `looking` (the state of agents)
- `recording`: events in a file; `state` is the state after some events
- `exporting`: a conversation as a picture or a table
- `metrics`: resources and traffic, as counts since it was opened, and as rates per second
"""

from typing import TYPE_CHECKING

from formicary.core.exports import exporter

if TYPE_CHECKING:
    from formicary.observe.events import Filters, LeftOut, MessageSeen
    from formicary.observe.metrics import Busy, Figures, LinkFigures

CPU_GROUP = "platform"

__all__ = ["Busy", "Figures", "Filters", "LeftOut", "LinkFigures", "MessageSeen"]

__getattr__ = exporter(
    __name__,
    {
        "observe.events": ("Filters", "LeftOut", "MessageSeen"),
        "observe.metrics": ("Busy", "Figures", "LinkFigures"),
    },
)
