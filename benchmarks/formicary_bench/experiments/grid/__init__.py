"""Agents on a grid that swap what they have with others: `grid/swap`, as in Frantz 2010, Section 3.7.

- `swap`: what is measured
- `cells`: the micro-agents, and the same by bare functions; `apart`: the grid over several containers
- `fairness`: turns handed on by a policy; `fair_cells`: who does
- `worker`: the process that has them
- `pipeline`: how it is planned and summarised
"""

CPU_GROUP = "agents"
