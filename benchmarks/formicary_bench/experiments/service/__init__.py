"""A service with a coordinator: `service/mediated`, as in Frantz 2010, Section 2.6.

- `mediated`: what is measured
- `rounds`: how rounds are made and noted, and what is fetched and printed; the same for all
- `agents`, `micro`: agents with behaviours, and micro-agents; `by_hand`: the same by tasks and by functions
- `worker`: the process that has them
- `plan`, `rows`, `report`: how it is planned, summarised and shown
"""

CPU_GROUP = "agents"
