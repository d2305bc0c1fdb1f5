"""Profiles by sampling: py-spy beside the process, and the operating system's clocks.

- `measurement`: what `formicary profile` measures, from beginning to end
- `window`: a window of time, and the profile that is made of it
- `sampler`: py-spy, as a process
- `clocks`: CPU clocks of processes and threads
- `program`: starts a program to be profiled
- `child`: runs in the started program, around it
- `control`: the channel between these two
- `gc_clock`: the time of the garbage collector there
"""
