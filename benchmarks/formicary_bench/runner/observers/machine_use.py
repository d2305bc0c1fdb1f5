"""What others took of this machine while a repetition ran there: other processes, other virtual machines."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class MachineUse:
    """What was used of this machine until a moment, in seconds of CPU time.

    Attributes:
        busy_s: by all processes.
        idle_s: by nobody.
        stolen_s: by other virtual machines.
        ours_s: by this process and all that it has started, those that have ended included.
    """

    busy_s: float
    idle_s: float
    stolen_s: float
    ours_s: float

    @classmethod
    def now(cls) -> Self:
        """Look at the counters of this machine."""
        import psutil

        times = psutil.cpu_times()
        idle = times.idle + getattr(times, "iowait", 0.0)
        stolen = getattr(times, "steal", 0.0)
        # What virtual machines on this one use is counted as time of their processes already.
        busy = sum(getattr(times, name, 0.0) for name in ("user", "system", "nice", "irq", "softirq"))
        return cls(busy_s=busy, idle_s=idle, stolen_s=stolen, ours_s=_ours_s())

    def others_since(self, first: MachineUse, cores: int) -> float | None:
        """Return how many cores processes that are not ours used since another look, on average.

        Args:
            first: the earlier look.
            cores: how many there are.
        """
        whole = self._whole_s - first._whole_s
        others = (self.busy_s - first.busy_s) - (self.ours_s - first.ours_s)
        return max(others, 0.0) / whole * cores if whole > 0 else None

    def stolen_since(self, first: MachineUse) -> float | None:
        """Return what part of the CPU time other virtual machines took since another look."""
        whole = self._whole_s - first._whole_s
        return max(self.stolen_s - first.stolen_s, 0.0) / whole if whole > 0 else None

    @property
    def _whole_s(self) -> float:
        return self.busy_s + self.idle_s + self.stolen_s


def _ours_s() -> float:
    import psutil

    used = sum(os.times()[:4])  # of children, those that have ended and were waited for
    for child in psutil.Process().children(recursive=True):
        try:
            used += sum(child.cpu_times()[:4])
        except psutil.Error:  # it has just ended
            continue
    return used
