"""Groups in which agents play roles (MaDKit's agent, group, role).

- `naming`: names of roles, and their entries in the directory
- `roster`: the players of each role, without I/O
- `admission`: asks gatekeepers, and answers for them
- `mailing`: sends to groups
- `distributor`: the agent that receives messages to groups
- `service`: a container's part of the groups, which combines these
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
