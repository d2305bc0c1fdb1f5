"""Agents that sleep in a file until a message or a timer wakes them.

- `service`: puts agents to sleep, finds them by name, and wakes them
- `store`: the file, an SQLite database
- `journal`: writes it in batches, without stopping the event loop
- `alarm`: the timer; `waker`: wakes agents in batches
- `collector`: slows down Python's garbage collector meanwhile
"""

CPU_GROUP = "platform"
