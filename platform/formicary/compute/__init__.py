"""Plain functions beside the event loop, for `compute` of agents and behaviours.

- `pool`: a container's workers, which function runs where, and who waits for a worker
- `workers`: a worker: a process, or a thread, of an executor of its own
- `calls`: a function on its way to a process, and what comes back
- `functions`: which functions can be computed, and why others cannot
"""

CPU_GROUP = "platform"
