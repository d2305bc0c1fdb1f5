"""Observers of a repetition while it runs.

- `observer`: their interface, and the use of this machine by other processes.
- `hosts`: the load of hosts; `validity`: whether it invalidates a measurement.
- `profiled`: where the CPU time of the workers goes.
"""
