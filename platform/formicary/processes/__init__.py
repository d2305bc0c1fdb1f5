"""Processes of our own that we start and talk with: one way to start, hear, tell and end them.

- `child`: a process as the one sees it that has started it; `words` say how it has ended
- `lines`: what the two say to each other, a line of JSON each
- `parent`: the other end: the streams on which a process is told what to do, and its end with its parent
"""

CPU_GROUP = "platform"
