"""Where the CPU time of registering goes: `directory/cpu-register`."""

from __future__ import annotations

from formicary_bench.experiments.directory import of_cpu

EXPERIMENT = of_cpu("directory/cpu-register", "registering", 4, 5)
