"""Groups and roles (MaDKit's agent, group, role): agents meet in groups, and play roles there.

- `naming`: names of roles, and how the directory writes them
- `roster`: who plays what, without any input or output
- `admission`: asks gatekeepers, and answers for them
- `mailing`: sends to groups
- `distributor`: the agent that takes what others have sent to groups
- `service`: a container's part of the groups, which puts these together
- `subscription`, `interface`: what agents see
"""

CPU_GROUP = "platform"
