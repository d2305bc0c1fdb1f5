"""The selections: runs that take parts of several experiments."""

from __future__ import annotations

from formicary_bench.experiments.directory.selection import DIRECTORY, DIRECTORY_CPU
from formicary_bench.experiments.selections.links import LINKS
from formicary_bench.experiments.selections.quick import QUICK

SELECTIONS = {selection.name: selection for selection in (QUICK, LINKS, DIRECTORY, DIRECTORY_CPU)}
