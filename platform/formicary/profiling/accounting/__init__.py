"""Exact accounting of CPU time by group, inside the process.

- `accounting`: accounts for a process while a block lasts, with the clocks of its other threads
- `recording`: accounts for one event loop's thread: callbacks, strands, micro-agents and connections
- `borders`: methods that cross from one group to another, and the group of a class or callback
- `ledger`: a thread's CPU time by group and agent, and the wrappers of bordered functions
- `calibration`: the cost of borders, alone and among real work
- `program`: starts a program that accounts for itself
"""

from formicary.profiling.accounting.accounting import accounting

__all__ = ["accounting"]
