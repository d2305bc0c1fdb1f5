"""SPADE's behaviours, from `cyclic`, `kinds` and `fsm`, under their names in SPADE."""

from formicary.spade.cyclic import BehaviourNotFinishedException, BehaviourType, CyclicBehaviour
from formicary.spade.fsm import FSMBehaviour, NotValidState, NotValidTransition, State
from formicary.spade.kinds import OneShotBehaviour, PeriodicBehaviour, TimeoutBehaviour

__all__ = [
    "BehaviourNotFinishedException",
    "BehaviourType",
    "CyclicBehaviour",
    "FSMBehaviour",
    "NotValidState",
    "NotValidTransition",
    "OneShotBehaviour",
    "PeriodicBehaviour",
    "State",
    "TimeoutBehaviour",
]
