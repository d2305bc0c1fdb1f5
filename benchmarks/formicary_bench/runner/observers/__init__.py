"""Who looks at a repetition from outside while it goes on.

- `observer`: what they have in common.
- `hosts`: what else goes on at the hosts; `validity`: whether that makes a measurement worthless.
- `machine_use`: what others took of this machine, where it is the only one.
- `profiled`: where the CPU time of the workers goes.
"""
