"""In which mode the containers of agents that make traffic run."""

from __future__ import annotations

CPU_GROUP = "agents"

SYNCHRONOUS = "synchronous"
"""The kind of our agents that are: all behaviours do one cycle before any does its next."""
