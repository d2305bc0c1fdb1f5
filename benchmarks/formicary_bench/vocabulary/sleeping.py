"""What wakes agents that sleep, and what is counted of one."""

from __future__ import annotations

WAKES = BY_TIME, BY_MESSAGE = "by-time", "by-message"
"""What wakes them: their time, which is the same for all, or a message to each."""

AWAKE, ASLEEP, IN_FILE = "awake_bytes", "asleep_bytes", "in_file_bytes"
"""Counters: what Python has traced of the objects of an agent, and what of the file is an agent's."""

HELD = (AWAKE, ASLEEP, IN_FILE)
"""What one holds, as far as it is counted."""
