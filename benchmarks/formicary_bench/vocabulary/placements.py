"""Where the agents of a measurement are."""

from __future__ import annotations

SAME, APART = "same-container", "two-containers"
"""The placements: both agents of a pair in one process, or in two."""

HOSTED = TWO_HOSTS, N_HOSTS = "two-hosts", "n-hosts"
"""The placements over hosts: agents that ask on one and those that answer on another, or both on each."""

PLACEMENTS = (SAME, APART, *HOSTED)
