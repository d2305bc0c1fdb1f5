"""Agents that compute, over the cores of a machine: Pérez-Carro 2013, Sections 3.2.1 and 4.1.

- `mix`: agents that also talk, a module by itself
- `speed_up`: agents that only compute; `pipeline`: on how many cores, and its rows
- `work`: what is computed, and a plain process that does; `players`: agents, processes and threads that do
"""

from __future__ import annotations
