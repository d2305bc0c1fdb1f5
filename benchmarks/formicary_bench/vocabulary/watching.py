"""How our agents are watched while they talk."""

from __future__ import annotations

VIEWED, FOLLOWED, LEFT = "viewed", "followed", "left"
"""By a view of all messages; by one that follows a conversation, which is none of theirs; by one that has
gone."""

WATCHES = (VIEWED, FOLLOWED, LEFT)
