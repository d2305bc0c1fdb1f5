"""Workers: fresh processes that play a role in a repetition.

- `worker`: the program; `messages`: its jobs, orders and reports; `workload`: who talks to whom, and results
- `marks`: when all pairs are measured, and the traffic then; `windows`: where CPU time goes
- `creation`: measures the creation of agents
- `processes`: workers as the runner sees them; `interruption`: Ctrl-C meanwhile
"""

CPU_GROUP = "runtime"
