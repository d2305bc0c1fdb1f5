"""What a report shows of an experiment: by its family, as each has words, tables and charts of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports.memory import memory_beside, memory_columns, memory_figures, memory_sentences
from formicary_bench.reports.network import (
    network_beside,
    network_columns,
    network_figures,
    network_sentences,
)
from formicary_bench.reports.sentences import sentences
from formicary_bench.reports.tables import columns_of
from formicary_bench.results.model import MEMORY, NETWORK, family_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.reports.plots import Figure
    from formicary_bench.reports.tables import Column, Extra
    from formicary_bench.results.summary import Row


def columns(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[Column]:
    """Give the table of an experiment.

    Args:
        experiment: Its name.
        rows: Its rows.
        run: All rows of the run, where they are held against another experiment's; so everywhere here.
    """
    if family_of(experiment) == MEMORY:
        return memory_columns(rows, run)
    return network_columns(rows) if experiment == NETWORK else columns_of(rows, run)


def said(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[str]:
    """Say what an experiment found, a sentence each; arguments as of `columns`."""
    if family_of(experiment) == MEMORY:
        return memory_sentences(rows, run)
    return network_sentences(rows) if experiment == NETWORK else sentences(experiment, rows, run)


def charts(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[Figure] | None:
    """Give the charts of an experiment; None where it is one of those that have round trips alone."""
    if family_of(experiment) == MEMORY:
        return memory_figures(rows, run)
    return network_figures(rows) if experiment == NETWORK else None


def extras(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[Extra]:
    """Give the further tables of an experiment: published figures beside ours; arguments as of `columns`."""
    if family_of(experiment) == MEMORY:
        return memory_beside(rows, run)
    return network_beside(rows) if experiment == NETWORK else []
