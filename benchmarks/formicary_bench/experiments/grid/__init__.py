"""Agents on a grid that swap numbers with others: `grid/swap`, as in Frantz 2010, Section 3.7.

- `swap`: the experiment
- `cells`: the micro-agents, and the same as bare functions; `apart`: the grid over several containers
- `fairness`: turns passed on by a policy; `fair_cells`: the cells that do so
- `worker`: the process that holds the grid
- `pipeline`: planning and summarising
"""

CPU_GROUP = "agents"
