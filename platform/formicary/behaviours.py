"""The kinds of behaviours, with their common base; they are defined in `formicary.core.behaviours`."""

from formicary.core.behaviours import (
    Behaviour,
    CyclicBehaviour,
    OneShotBehaviour,
    PeriodicBehaviour,
    TimeoutBehaviour,
)

__all__ = [
    "Behaviour",
    "CyclicBehaviour",
    "OneShotBehaviour",
    "PeriodicBehaviour",
    "TimeoutBehaviour",
]
