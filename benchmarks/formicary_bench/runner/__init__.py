"""What plans and performs a run.

`planning` makes configurations of what was asked for, `execution` measures them by fresh processes,
`observers` look on meanwhile, and `forecast` says how long it will take.
"""

CPU_GROUP = "runtime"
