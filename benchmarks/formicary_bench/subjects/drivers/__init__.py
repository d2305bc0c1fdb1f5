"""Other platforms: each is driven by a process in any language, by lines of JSON.

`protocol` has the messages, `driver` the conversation, and `driven` the roles that a driver plays; `recipes`
declares the laboratory's own drivers, `installing` installs them, and `installed` has those on this machine,
as subjects. docs/drivers.md is for authors of drivers.
"""

from __future__ import annotations

from formicary.errors import FormicaryError

CPU_GROUP = "runtime"


class DriverError(FormicaryError):
    """A driver cannot be used, has ended, or breaks its protocol; the message names it."""
