"""What a worker has counted while all pairs are in T2 together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from formicary_bench.runner.observers.observer import Observer
from formicary_bench.worker.sockets import Carried

if TYPE_CHECKING:
    from formicary_bench.worker.messages import Mark


@dataclass
class Marks(Observer):
    """Keeps what the worker that measures says when T2 begins and ends."""

    marks = True
    kept: list[Mark] = field(default_factory=list)

    def mark(self, mark: Mark) -> None:
        """Keep it."""
        self.kept.append(mark)


def counters(marks: list[Mark]) -> dict[str, float]:
    """Return what was counted between two marks; nothing if there are not both."""
    if len(marks) != 2:  # noqa: PLR2004 -- begin and end
        return {}
    begin, end = marks
    return {
        "seconds": (end.at_ns - begin.at_ns) / 1e9,
        "round_trips": end.done - begin.done,
        "wire_bytes": end.wire[0] - begin.wire[0],
        "wire_packets": end.wire[1] - begin.wire[1],
        **{
            name: float(after - before)
            for name, before, after in zip(Carried._fields, begin.carried, end.carried, strict=True)
        },
    }
