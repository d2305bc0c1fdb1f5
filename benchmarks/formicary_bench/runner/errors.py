"""What may come of a repetition instead of figures."""

from __future__ import annotations

from formicary.errors import FormicaryError


class RepetitionError(FormicaryError):
    """A repetition could not be measured; the run may go on with others."""
