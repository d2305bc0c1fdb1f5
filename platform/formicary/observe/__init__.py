"""What a container does at the moment, at no cost until somebody asks, or watches.

- `events`: what somebody who watches a platform is told
- `collector`: what is collected for those who watch, by `probes` (on the way of messages), `sampling` (which
  of too many are shown) and `looking` (how agents are)
- `recording`: what was seen, in a file; `state` is how everything is after some events
- `exporting`: a conversation as a picture or a table
- `metrics`: what it uses and carries, as counts since it was opened
- `rates`: what it does in a second, from its counts at two moments
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
