"""Delivery of messages within a container, by other platforms' designs, to measure them.

`design` has what designs have in common, and a container that delivers by one; `path` is the path to one
receiver. `designs` are an outbox (Jade, AgentScape), a chain (MadKit), and the direct hand-over (ours, by
reference or with copies).
"""

CPU_GROUP = "communication"
