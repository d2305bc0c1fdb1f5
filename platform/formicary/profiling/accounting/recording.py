"""The borders of one event loop's thread, put in place and taken out again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

from formicary.core.errors import UsageError
from formicary.profiling.accounting.borders import Patches
from formicary.profiling.accounting.hooks import Hooks
from formicary.profiling.accounting.ledger import Ledger, ledgers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.container.container import Container
    from formicary.profiling.accounting.calibration import Costs


class Recording:
    """Counts in a ledger, as long as the block lasts, whose code the thread of the running loop runs.

    Args:
        containers: those of the loop.
        costs: what borders cost.

    Raises:
        UsageError: by `with`: another thread of the process, or this one, is being recorded.
    """

    def __init__(self, containers: Sequence[Container], costs: Costs) -> None:
        self.ledger = Ledger(costs.reading)
        self._hooks = Hooks(containers, self.ledger, costs)
        self._patches = Patches(costs, self._hooks.adopt, self._hooks.charge)

    def __enter__(self) -> Self:
        if ledgers:
            raise UsageError("this process is already being accounted; stop the other accounting first")
        ledgers[threading.get_ident()] = self.ledger
        self._patches.install()
        self._hooks.install()
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()
        ledgers.clear()
        try:
            self._hooks.remove()
        finally:
            self._patches.remove()
