"""Who talks to whom over many hosts, and where services are over two."""

from __future__ import annotations

CPU_GROUP = "agents"

TRAFFICS = RING, ALL_TO_ALL = "ring", "all-to-all"
"""Each host's senders talk to the next host's receivers, or evenly to those of all other hosts."""

SPREADS = AWAY, BESIDE, SPLIT = "", "beside", "split"
"""Where services are, of two containers: with the directory and apart from its user, beside this, in both."""

SPREADS_BY_NAME = {"apart": AWAY, "beside": BESIDE, "split": SPLIT}
"""By what the command line and reports call them."""
