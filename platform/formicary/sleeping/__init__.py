"""Agents that sleep: they are rows of a file until a message or their time wakes them.

- `store`: the file, an SQLite database
- `journal`: writes it in batches, without stopping the event loop
- `alarm`: when they wake by themselves, and `waker`: has them wake, in batches
- `collector`: the pace of Python's garbage collector meanwhile
- `service`: has agents fall asleep, finds them by their names, and wakes them
"""

CPU_GROUP = "platform"
