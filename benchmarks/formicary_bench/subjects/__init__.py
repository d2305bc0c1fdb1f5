"""What can be measured: our agents, baselines without agents, and other platforms.

`registry` has all of them, each a `subject`: what it can do, and the module that has its roles. That has
asynchronous context managers named after the roles of workers (see `formicary_bench.worker.workload`), and is
loaded in workers only. A new baseline is such a module and one entry in the registry; a driver for another
platform is its sources and one entry in `drivers.recipes`.
"""

CPU_GROUP = "agents"
