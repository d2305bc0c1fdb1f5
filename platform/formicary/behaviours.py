"""The kinds of behaviours, with their common base; they are defined in `formicary.core.behaviours`."""

from formicary.core.behaviours import (
    Behaviour,
    CyclicBehaviour,
    OneShotBehaviour,
    PeriodicBehaviour,
    TimeoutBehaviour,
)
from formicary.core.conversing import Conversing

__all__ = [
    "Behaviour",
    "Conversing",
    "CyclicBehaviour",
    "OneShotBehaviour",
    "PeriodicBehaviour",
    "TimeoutBehaviour",
]
