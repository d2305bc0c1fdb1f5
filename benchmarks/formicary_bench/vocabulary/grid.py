"""Agents on a grid that swap what they have: Frantz 2010, Section 3.7."""

from __future__ import annotations

MOST_DIMENSION = 1000
"""The most cells of a side."""

COPIED = "micro-copied"
"""The kind of micro-agents that get copies of messages."""

HELD = "held_bytes"
"""A counter: what the processes of all agents hold of the memory when all is over."""


def active_of(dimension: int) -> int:
    """Return how many agents ask at the beginning, of a grid with sides of this length: a tenth."""
    return max(dimension * dimension // 10, 1)
