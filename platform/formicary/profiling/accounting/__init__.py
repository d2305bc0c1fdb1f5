"""Exact accounting: CPU time by group where nobody may look into the process from outside.

- `accounting`: accounts for a process while a block lasts
- `recording`: the same for one event loop's thread: `borders` and `hooks` in place
- `borders`: methods that lead from one group to another
- `hooks`: callbacks, strands, micro-agents and connections of an event loop
- `owners`: whose code a class or callback is
- `ledger`: a thread's CPU time by group and agent, and what stands in the place of bordered functions
- `calibration`, `rehearsal`: what borders cost, alone and among real work
- `thread_clocks`: CPU clocks of the other threads
- `fallback`: accounts for a program that may not be sampled
"""

from formicary.profiling.accounting.accounting import accounting

__all__ = ["accounting"]
