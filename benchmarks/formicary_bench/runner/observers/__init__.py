"""Who looks at a repetition from outside while it goes on.

- `observer`: what they have in common, and what others took of this machine.
- `hosts`: what else goes on at the hosts; `validity`: whether that makes a measurement worthless.
- `profiled`: where the CPU time of the workers goes.
"""
