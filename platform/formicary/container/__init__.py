"""Containers: where agents live. A container puts together what the rooms below it have.

- `container`: a container, as users see it
- `options`: its options, in groups; `option_values`: checks their values
- `opening`: opens and closes it once, in order
- `facilities`: everything beside its agents, opened when needed
- `following`: callbacks for all containers that open and close in this process
- `lifecycle`: starts and ends its agents
- `loop_watch`: a thread that looks at what blocks the event loop
- `program_exit`: `sys.exit()` in an agent
"""

from typing import TYPE_CHECKING

from formicary.container.container import Container
from formicary.core.exports import exporter

if TYPE_CHECKING:
    from formicary.core.blockers import Blocker
    from formicary.core.failures import FailureLog, FailureRecord
    from formicary.delivery.link_status import LinkStatus

CPU_GROUP = "platform"

__all__ = ["Blocker", "Container", "FailureLog", "FailureRecord", "LinkStatus"]

__getattr__ = exporter(
    __name__,
    {
        "core.blockers": ("Blocker",),
        "delivery.link_status": ("LinkStatus",),
        "core.failures": ("FailureLog", "FailureRecord"),
    },
)
