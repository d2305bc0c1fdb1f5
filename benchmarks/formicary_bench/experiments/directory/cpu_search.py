"""Where the CPU time of searching goes: `directory/cpu-search`."""

from __future__ import annotations

from formicary_bench.experiments.directory import PROFILING_SEARCH, of_cpu

EXPERIMENT = of_cpu("directory/cpu-search", "searching", 6, 7, PROFILING_SEARCH)
