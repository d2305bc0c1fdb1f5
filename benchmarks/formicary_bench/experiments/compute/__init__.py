"""Agents that compute on the cores of a machine: Pérez-Carro 2013, Sections 3.2.1 and 4.1.

- `mix`: agents that also talk
- `speed_up`: agents that only compute; `pipeline`: its numbers of cores, and its rows
- `work`: the computation, and a plain process for it; `players`: agents, processes and threads that compute
"""

from __future__ import annotations
