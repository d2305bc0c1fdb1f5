"""Containers: where agents live, and how their messages are handed over.

- `container`: a container, as users see it
- `options`: its options, in groups; `option_values`: checks their values
- `opening`: opens and closes it once, in order
- `facilities`: everything beside its agents, opened when needed
- `lifecycle`: starts and ends its agents
- `dispatcher`: how messages get to their receivers, by routes or the long way
- `copying`: copies of messages, to measure their cost
- `loop_watch`: a thread that looks at what blocks the event loop; `blockers`: agents that have blocked it
- `program_exit`: `sys.exit()` in an agent
- `held`: what waits for agents that are about to move, or have just come
- `overflow`: what happens where mailboxes are full; `room`: what waits goes in when there is some
- `control_outbox`: control messages that wait until the transport takes them
- `dead_letters`: messages that could not be delivered
- `instruments`: observers of everything that happens
- `protocols`: what transports, accounts and services have to be, to plug into a container
- `link_status`: the state of a link to another container
"""

from typing import TYPE_CHECKING

from formicary.container.container import Container
from formicary.core.exports import exporter

if TYPE_CHECKING:
    from formicary.container.blockers import Blocker
    from formicary.container.link_status import LinkStatus
    from formicary.core.failures import FailureLog, FailureRecord

CPU_GROUP = "platform"

__all__ = ["Blocker", "Container", "FailureLog", "FailureRecord", "LinkStatus"]

__getattr__ = exporter(
    __name__,
    {
        "container.blockers": ("Blocker",),
        "container.link_status": ("LinkStatus",),
        "core.failures": ("FailureLog", "FailureRecord"),
    },
)
