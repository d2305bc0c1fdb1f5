"""Hosts that come by themselves: a program on each finds the controller by a file, and is its host agent.

- `meeting`: the file, in a folder that all of them see.
- `gathering`: the controller's side; `join`: the hosts'.
"""
