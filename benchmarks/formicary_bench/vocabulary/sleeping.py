"""What wakes agents that sleep, and what is counted of one."""

from __future__ import annotations

WAKES = BY_TIME, BY_MESSAGE = "by-time", "by-message"
"""What wakes them: their time, which is the same for all, or a message to each."""

AWAKE, ASLEEP = "memory of one awake (bytes)", "memory of one asleep (bytes)"
IN_FILE = "file of one asleep (bytes)"
"""Counters: what Python has traced of the objects of an agent, and what of the file is an agent's."""

HELD = (AWAKE, ASLEEP, IN_FILE)
"""What one holds, as far as it is counted."""
