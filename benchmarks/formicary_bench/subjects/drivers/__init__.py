"""Other platforms beside ours: each is driven by a process that speaks JSON lines, in whatever language.

`protocol` is what is said, `driver` the conversation, `registry` which drivers there are; docs/drivers.md
tells all that the author of a driver has to know.
"""

CPU_GROUP = "runtime"
