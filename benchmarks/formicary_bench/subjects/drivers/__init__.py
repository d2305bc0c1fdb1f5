"""Other platforms beside ours: each is driven by a process that speaks JSON lines, in whatever language.

`protocol` is what is said, `driver` the conversation, and `driven` has the roles, which a driver plays;
`recipes` says how those that come with the laboratory are made, `installing` makes them, and `installed` are
those on this machine, as subjects. docs/drivers.md tells all that the author of a driver has to know.
"""

from __future__ import annotations

from formicary.errors import FormicaryError

CPU_GROUP = "runtime"


class DriverError(FormicaryError):
    """A driver cannot be used, has ended, or does not keep to its protocol; the message names it."""
