"""The presets: all experiments in a few minutes, or as the papers set them."""

from __future__ import annotations

PRESETS = QUICK, PAPER = "quick", "paper"

EVERYTHING = "everything"
"""The name that stands for all experiments."""

TOUR, LINKS, FAMILY, FAMILY_CPU = "tour", "links", "directory", "directory/cpu"
"""Further selections, besides the one that is called as the preset `quick`."""
