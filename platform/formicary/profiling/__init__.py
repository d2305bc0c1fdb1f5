"""Where the CPU time goes: by group, thread, agent and function. Nothing of the platform imports it.

- `model`: what a profile holds, and to which group code belongs
- `sampling`: profiles by sampling, with py-spy beside the process
- `accounting`: profiles by exact accounting, inside the process
- `analysis`: tables and flame graphs of profiles
- `accounted`: a program that accounts for itself, as `python -m formicary.profiling.accounted`
"""

CPU_GROUP = "runtime"
