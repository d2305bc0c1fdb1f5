"""Our agents over links that carry each message in a frame of its own: what batches save is the difference.

What the operating system makes of frames that are written at once is its own business.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from formicary.transport.link import outbox
from formicary_bench.subjects.ours import behaviours, containers

if TYPE_CHECKING:
    from formicary import Container
    from formicary_bench.worker.workload import Workload


def container(work: Workload, name: str) -> Container:
    """Make a container as any other; from then on, all of this process send no batches."""
    outbox._FULL = 1  # noqa: SLF001 -- users have no reason to set it, so there is no option for it
    return containers.container(work, name)


ask = partial(behaviours.ask, make=container)
echo = partial(behaviours.echo, make=container)
