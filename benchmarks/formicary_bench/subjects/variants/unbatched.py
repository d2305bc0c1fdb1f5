"""Our agents over links that carry each message in a frame of its own: what batches save is the difference.

What the operating system makes of frames that are written at once is its own business.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from formicary_bench.subjects.ours import behaviours
from formicary_bench.subjects.variants import links

container = partial(links.container, batch_size=1)
_ROLES = replace(behaviours.ROLES, make=container)
ask, echo = _ROLES.ask, _ROLES.echo
