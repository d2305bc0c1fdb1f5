"""Containers in processes of their own, as the program that started them uses them.

- `child`: such a container; `placement`: which of several an agent is placed in, as plain data
- `process`: its process: orders, answers, and its end
- `orders`: what program and process send each other
- `locating`: how other processes import an agent class, also one of the running script
- `script`: loads a script's agents, for `formicary run`
"""

CPU_GROUP = "platform"
