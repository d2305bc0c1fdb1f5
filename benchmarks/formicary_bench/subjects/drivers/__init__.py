"""Other platforms beside ours: each is driven by a process that speaks JSON lines, in whatever language.

`protocol` is what is said, `driver` the conversation, and `driven` has the roles, which a driver plays;
`recipes` says how those that come with the laboratory are made, `installing` makes them, `installed` are
those on this machine, and `catalogue` has them as subjects. docs/drivers.md tells all that the author of a
driver has to know.
"""

CPU_GROUP = "runtime"
