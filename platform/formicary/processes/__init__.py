"""Subprocesses: one way to start them, exchange messages with them, and end them.

- `child`: a process as its parent sees it; `words` describes how it ended
- `lines`: the exchange of JSON lines; `messages`: those common to all
- `requests`: requests, answered or refused
- `parent`: the child's end: its standard streams, and ending with its parent
"""

CPU_GROUP = "platform"
