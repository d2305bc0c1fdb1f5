"""A service with a coordinator: `service/mediated`, as in Frantz 2010, Section 2.6.

- `mediated`: what is measured
- `rounds`: how rounds are made and noted, and what is fetched and printed; the same for all
- `players`: agents with behaviours, micro-agents, and the same by tasks and by functions
- `worker`: the process that has them
- `rows`: how it is summarised
"""

CPU_GROUP = "agents"
