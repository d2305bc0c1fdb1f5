"""Plain functions run outside the event loop, for `compute` of agents and behaviours.

- `pool`: a container's workers, and the calls that wait for one
- `workers`: a process, a thread or an interpreter, each with an executor of its own
- `calls`: encodes calls to a process, and their results
- `functions`: checks which functions can be computed
"""

CPU_GROUP = "platform"
