"""The kinds of behaviours (`formicary.core.behaviours`), with their common bases."""

from formicary.core.behaviour import Behaviour
from formicary.core.behaviours import (
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
