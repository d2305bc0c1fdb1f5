"""What may be wrong with a driver."""

from __future__ import annotations

from formicary.errors import FormicaryError


class DriverError(FormicaryError):
    """A driver cannot be used, has ended, or does not keep to its protocol; the message names it."""
