"""Processes of our own that we start and talk with: one way to start, hear, tell and end them.

- `child`: a process as the one sees it that has started it; `words` say how it has ended
- `lines`: how the two talk, a line of JSON each; `messages`: what all of them say
- `requests`: what is asked for, and answered or refused
- `parent`: the other end: the streams on which a process is told what to do, and its end with its parent
"""

CPU_GROUP = "platform"
