"""What may happen to a lab."""

from __future__ import annotations

from formicary.errors import FormicaryError


class LabError(FormicaryError):
    """A lab cannot be made, looked at or removed; the sentence says why, and what to do."""

    exit_code = 3
