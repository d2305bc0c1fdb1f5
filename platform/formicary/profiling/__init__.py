"""CPU profiles by group, thread, agent and function. Nothing in the platform imports it.

- `model`: the contents of a profile, and the group that code belongs to
- `sampling`: profiling by sampling, with py-spy beside the process
- `accounting`: profiling by exact accounting, inside the process
- `analysis`: tables and flame graphs of profiles
- `accounted`: runs a program that accounts for itself: `python -m formicary.profiling.accounted`
"""

CPU_GROUP = "runtime"
