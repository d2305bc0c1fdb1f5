"""Exact accounting: CPU time by group where nobody may look into the process from outside.

- `accounting`: accounts for a process while a block lasts
- `recording`: the same for one event loop's thread: its callbacks, strands, micro-agents and connections
- `borders`: methods that lead from one group to another
- `owners`: whose code a class or callback is
- `ledger`: a thread's CPU time by group and agent, and what stands in the place of bordered functions
- `calibration`, `rehearsal`: what borders cost, alone and among real work
- `thread_clocks`: CPU clocks of the other threads
- `program`: starts a program that accounts for itself
"""

from formicary.profiling.accounting.accounting import accounting

__all__ = ["accounting"]
