"""What may happen to hosts."""

from __future__ import annotations

from formicary.errors import FormicaryError


class HostError(FormicaryError):
    """A host cannot do what it is asked for; the sentence names it, says why, and what to do next."""

    exit_code = 3
