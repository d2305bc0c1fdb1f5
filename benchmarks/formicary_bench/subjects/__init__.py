"""What can be measured: our agents, the floors below them, and other platforms beside them.

`catalogue` says what there is and what each can do. Each module of a subject has asynchronous
context managers named after the roles that a worker can play (see `workload`).
"""

CPU_GROUP = "agents"
