"""How messages get from one agent to another within a container: other platforms' designs, to measure.

`container` is a container whose messages take a design's path; `path` is the path to one receiver, and
`design` what all of them have in common. `designs` are an outbox (Jade, AgentScape), a chain (MadKit), and
the direct hand-over (ours, by reference or with copies).
"""

CPU_GROUP = "communication"
