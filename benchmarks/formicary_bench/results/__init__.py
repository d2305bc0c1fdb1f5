"""The run folder: what is kept of a run, and what is computed from it.

`model` says what a manifest holds, `raw` writes and reads the measured values, `folder` keeps both together
on disk, `machine` describes where the run took place, `summary` computes one row per configuration.
"""

CPU_GROUP = "runtime"
