"""How the directory is built, how messages are delivered, and what a process holds instead of agents."""

from __future__ import annotations

DESIGNS = REPLICA, CENTRAL, LOOKUP = "replica", "central", "lookup"
"""How the directory is built: as in `Container(directory=...)`."""

DELIVERIES = HAND_OVER, POOL, BUFFER, CHAIN, COPIED, ENCODED = (
    *("hand-over", "pool", "buffer", "chain"),
    *("copied", "encoded"),
)
"""How messages get to an agent of the same container: as the classes of
`formicary_bench.subjects.variants.delivery` do it."""

IMPORTED, CONTAINER = "imported", "container"
"""What a process may hold instead of agents: the platform's modules, or an open container as well."""
