"""The selections: runs that take parts of several experiments."""

from __future__ import annotations

from formicary_bench.experiments.directory import DIRECTORY, DIRECTORY_CPU
from formicary_bench.experiments.links import LINKS
from formicary_bench.experiments.quick import QUICK

SELECTIONS = {selection.name: selection for selection in (QUICK, LINKS, DIRECTORY, DIRECTORY_CPU)}
