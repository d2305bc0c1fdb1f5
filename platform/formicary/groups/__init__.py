"""Groups and roles (MaDKit's agent, group, role): agents meet in groups, and play roles there.

- `naming`: names of roles, and how the directory writes them
- `roster`: who plays what, without any input or output
- `admission`: asks gatekeepers, and answers for them
- `mailing`: sends to groups
- `distributor`: the agent that takes what others have sent to groups
- `service`: a container's part of the groups, which puts these together
- `subscription`, `interface`: what agents see
"""

from typing import TYPE_CHECKING

from formicary.core.exports import exporter

if TYPE_CHECKING:
    from formicary.groups.interface import AgentGroups
    from formicary.groups.subscription import GroupChange, GroupSubscription, Player

CPU_GROUP = "platform"

__all__ = ["AgentGroups", "GroupChange", "GroupSubscription", "Player"]

__getattr__ = exporter(
    __name__,
    {
        "groups.interface": ("AgentGroups",),
        "groups.subscription": ("GroupChange", "GroupSubscription", "Player"),
    },
)
