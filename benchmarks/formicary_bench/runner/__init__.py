"""What plans and performs a run.

- `planning`: from what was asked for to configurations and their order; pure.
- `execution`: the run, one repetition after the other.
- `observers`: who looks at a repetition from outside while it goes on.
- `forecast`: how long the rest of a run takes.
"""

CPU_GROUP = "runtime"
