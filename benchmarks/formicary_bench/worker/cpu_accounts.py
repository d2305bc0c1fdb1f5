"""A worker's account of its own CPU time, where nobody may look into it from outside."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.worker.messages import Accounted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary import Container
    from formicary.profiling.accounting.accounting import Accounting
    from formicary.profiling.accounting.calibration import Costs
    from formicary.profiling.model.profile import Profile


class CpuAccounts:
    """Accounts from one order of the controller to the next."""

    def __init__(self) -> None:
        self._containers: set[Container] = set()
        self._accounting: Accounting | None = None
        self._costs: Costs | None = None
        self._frozen: Profile | None = None

    @contextmanager
    def following(self) -> Iterator[None]:
        """Note which containers are opened and closed within the block."""
        from formicary.observe.following import following

        with following(self._opened, self._closing):
            yield

    async def obey(self, step: str) -> Accounted:
        """Do a step, and say what comes of it; whatever goes wrong, what is measured goes on."""
        steps = {"prepare": self._prepare, "begin": self._begin, "end": self._end}
        try:
            return Accounted(step, await steps[step]())
        except Exception as error:  # noqa: BLE001 -- as said
            return Accounted(step, failed=str(error).rstrip("."))

    def freeze(self) -> None:
        """Take what was found until now for all: what is measured ends here."""
        if self._accounting is not None:
            self._frozen = self._accounting.profile()

    async def _prepare(self) -> None:
        from formicary.profiling.accounting.accounting import costs_of_borders

        self._costs = await costs_of_borders()

    async def _begin(self) -> None:
        from formicary.profiling.accounting.accounting import accounting

        containers = sorted(self._containers, key=lambda container: container.name)
        self._accounting = await accounting(*containers, costs=self._costs).__aenter__()

    async def _end(self) -> Profile:
        if self._accounting is None:
            raise UsageError("it had not begun")
        accounting, self._accounting = self._accounting, None
        await accounting.__aexit__(None, None, None)
        return self._frozen or accounting.profile()

    async def _opened(self, container: Container) -> None:
        self._containers.add(container)

    async def _closing(self, container: Container) -> None:
        self._containers.discard(container)
