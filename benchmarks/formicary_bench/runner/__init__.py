"""Planning and performing runs.

- `planning`: from a request to configurations and their order; pure.
- `execution`: the run, one repetition after the other.
- `observers`: observe a repetition from outside while it runs.
- `forecast`: how long the rest of a run takes.
"""

from __future__ import annotations

from formicary.errors import FormicaryError

CPU_GROUP = "runtime"


class RepetitionError(FormicaryError):
    """A repetition could not be measured; the run may continue with others."""
