"""Conversations: questions and their answers, and FIPA's interaction protocols in straight-line code.

- `service`: a container's part of it, made for the first who asks or takes part
- `conversations`: which messages belong to the conversations of one agent
- `questions`: one message and its answer; `gathering`: several, and their answers
- `deadlines`: when waiting is over, by one timer for all
"""

CPU_GROUP = "platform"
