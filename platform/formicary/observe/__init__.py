"""What a container does at the moment, at no cost until somebody asks.

- `metrics`: what it uses and carries, as counts since it was opened
- `rates`: what it does in a second, from its counts at two moments
"""

CPU_GROUP = "platform"
