"""Observers of a repetition while it runs.

- `observer`: their interface, and what other processes used of this machine.
- `hosts`: the load of hosts; `validity`: whether that makes a measurement worthless.
- `profiled`: where the CPU time of the workers goes.
"""
