"""Profiles by sampling: py-spy beside the process, and the operating system's clocks.

- `measurement`: what `formicary profile` does, from start to end
- `window`: a window of time, and its profile
- `sampler`: py-spy as a subprocess
- `clocks`: CPU clocks of processes and threads
- `program`: starts a program to profile
- `child`: runs in the started program, around it
- `control`: the channel between `program` and `child`
"""
