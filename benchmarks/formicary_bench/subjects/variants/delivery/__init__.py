"""How messages get from one agent to another within a container: other platforms' designs, to measure.

`container` is a container whose messages take a design's path; `path` is the path to one receiver, and
`design` what all designs have in common. Each of the other modules is a design: `outbox` (Jade, AgentScape),
`chain` (MadKit) and `direct` (ours, by reference or with copies). `catalogue` names them.
"""

CPU_GROUP = "communication"
