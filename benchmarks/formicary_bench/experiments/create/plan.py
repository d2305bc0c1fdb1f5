"""How many agents are created under the profiler, and how long that takes."""

from __future__ import annotations

from functools import partial

from formicary_bench.runner.forecast.default_durations import of_agents
from formicary_bench.runner.planning.profiles import with_agents

profiling = partial(with_agents, enough=200_000)
duration = partial(of_agents, created=80_000)
