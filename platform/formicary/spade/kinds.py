"""SPADE's behaviours that run once, periodically, or at a given time."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from formicary.extending import now, seconds_until
from formicary.spade.cyclic import CyclicBehaviour


class OneShotBehaviour(CyclicBehaviour):
    """Runs `run` once."""

    def __init__(self) -> None:
        super().__init__()
        self._already_executed = False

    def _done(self) -> bool:
        # As in SPADE: the first call returns False, whether it comes from the behaviour itself or from a
        # reader of its exit code.
        done, self._already_executed = self._already_executed, True
        return done


class PeriodicBehaviour(CyclicBehaviour):
    """Runs `run` at fixed times; those that pass while it still runs are skipped.

    Args:
        period: seconds between runs; 0 for at once.
        start_at: the time of the first run (without a zone: local time); None for at once.

    Raises:
        ValueError: the period is below 0.
    """

    def __init__(self, period: float, start_at: datetime | None = None) -> None:
        super().__init__()
        self.period = period  # set in seconds, read as a timedelta
        self._next_activation = start_at

    @property
    def period(self) -> timedelta:
        """The time between runs; set it in seconds."""
        return self._period

    @period.setter
    def period(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError(f"a period must be at least 0 s, not {seconds} s")
        self._period = timedelta(seconds=seconds)

    async def _run(self) -> None:
        due = self._next_activation
        if due is None:
            due = now()
        elif (left := seconds_until(due)) > 0:
            await asyncio.sleep(left)
            return
        await self.run()
        behind = now() - due.astimezone()
        self._next_activation = due + self._period * (behind // self._period + 1) if self._period else now()


class TimeoutBehaviour(OneShotBehaviour):
    """Runs `run` once, at a given time, even if it is killed before.

    Args:
        start_at: the time (without a zone: local time).
    """

    def __init__(self, start_at: datetime) -> None:
        super().__init__()
        self._timeout = start_at
        self._timeout_triggered = False

    async def _run(self) -> None:
        if (left := seconds_until(self._timeout)) > 0:
            await asyncio.sleep(left)
        await self.run()
        self._timeout_triggered = True

    def _done(self) -> bool:
        return self._timeout_triggered
