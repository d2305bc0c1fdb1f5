"""The subjects of measurements: our agents, baselines without agents, and other platforms.

`registry` lists them all. Each is a `subject` that declares what it can do and the module of its roles:
asynchronous context managers named after the roles of workers (see `formicary_bench.worker.workload`), loaded
only in workers. A new baseline is such a module and one entry in the registry; a driver for another platform
is its sources and one entry in `drivers.recipes`.
"""

CPU_GROUP = "agents"
