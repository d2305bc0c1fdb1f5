"""The sections of a report: one for each experiment, the same in every format."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from formicary_bench.published.claims import claims
from formicary_bench.reports.document.claims import cards
from formicary_bench.reports.document.cpu import name, process_name
from formicary_bench.reports.document.factors import ranking
from formicary_bench.reports.document.hosts import evidence, voided, voided_digest
from formicary_bench.reports.document.report import (
    charts,
    columns,
    extras,
    full_heading,
    heading,
    is_profiled,
    parts,
    said,
    to_know,
)
from formicary_bench.reports.document.round_trips import server_adds
from formicary_bench.reports.document.sentences import again, source
from formicary_bench.reports.document.verdicts import doubts, hints
from formicary_bench.results.store.hashing import content_hash
from formicary_bench.results.summary.commands import run_again
from formicary_bench.results.summary.cpu import RULES
from formicary_bench.results.summary.summary import digests
from formicary_bench.results.verdicts.claims import verdict_on
from formicary_bench.results.verdicts.trust import trust_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.reports.document.claims import CardText
    from formicary_bench.reports.document.tables import Column, Extra
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.summary.row import Digest, Row
    from formicary_bench.results.verdicts.factors import Doubt
    from formicary_bench.results.verdicts.trust import Trust


_LEAD = 3


class Flame(msgspec.Struct, frozen=True):
    """A flame graph: its title, and the drawing."""

    title: str
    svg: str


class Section(msgspec.Struct, frozen=True):
    """The part of a report on one experiment."""

    experiment: str
    title: str
    source: str
    heading: str
    again: str
    sentences: list[str]
    remarks: list[str]
    charts: list[Chart]
    columns: list[Column]
    extras: list[Extra]
    flames: list[Flame]


class Document:
    """The content of a report in every format; made on demand.

    Attributes:
        digests: What was measured. Reading it raises UsageError where raw values are missing or broken.
    """

    def __init__(self, run: RunFolder, digests: Sequence[Digest] | None = None) -> None:
        self.run = run
        self._known = digests

    @cached_property
    def digests(self) -> Sequence[Digest]:
        return digests(self.run) if self._known is None else self._known

    @property
    def rows(self) -> list[Row]:
        """The rows for programs."""
        return [digest.row for digest in self.digests]

    @cached_property
    def trust(self) -> Trust:
        """How far the run can be trusted: the first line of every format."""
        return trust_of(self.run.manifest, self.rows)

    @cached_property
    def picture(self) -> Chart | None:
        """The first picture: the ranking, or else the first chart."""
        drawn = (chart for section in self.sections for chart in section.charts)
        return ranking(self.shown) or next(drawn, None)

    @cached_property
    def evidence(self) -> dict[str, dict[str, Any]]:
        """The evidence for each row, by its anchor."""
        return evidence(self.run, self.shown)

    @cached_property
    def lead(self) -> list[str]:
        """The first sentences: one of each experiment, and more if there are few."""
        told = [section.sentences for section in self.sections]
        by_rank = [sentences[rank] for rank in range(_LEAD) for sentences in told if len(sentences) > rank]
        return list(dict.fromkeys([*by_rank[:1], *filter(None, [self.server]), *by_rank]))[:_LEAD]

    @cached_property
    def server(self) -> str:
        """What the XMPP server adds to a message, as a sentence; empty where that cannot be told."""
        return server_adds(self.shown)

    @cached_property
    def doubts(self) -> list[Doubt]:
        """Why comparisons are inconclusive."""
        return doubts(self.shown)

    @cached_property
    def again(self) -> str:
        """The command that would decide what is open; empty if there is none."""
        if not (self.doubts or self.trust.advice):
            return ""
        repeat = max(self.trust.repeat, *(one.repetitions for one in self.doubts), 0)
        return run_again(self.run.manifest, repeat)

    @cached_property
    def hints(self) -> list[str]:
        """What would decide inconclusive comparisons."""
        return hints(self.doubts)

    @cached_property
    def hash(self) -> str:
        """The hash of the run, by which it can be cited."""
        return content_hash(self.run)

    @cached_property
    def cards(self) -> list[CardText]:
        """The verdicts on the papers' claims, the decided ones first."""
        return cards(verdict_on(claims(), self.shown))

    @cached_property
    def shown(self) -> list[Row]:
        """The rows for people: without figures that are not valid."""
        return [voided(row) for row in self.rows]

    @cached_property
    def sections(self) -> list[Section]:
        """A section for each experiment."""
        return sections(self.digests)


def sections_of(run: RunFolder) -> list[Section]:
    """Return a section for each experiment of a run.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    return sections(digests(run))


def sections(measured: Sequence[Digest]) -> list[Section]:
    """Return a section for each experiment of a run, of its digests."""
    found = [voided_digest(digest) for digest in measured]
    run = [digest.row for digest in found if not digest.row.profiled]
    tails = {digest.row: digest.tail for digest in found if digest.tail is not None}
    return [
        Section(
            experiment=experiment,
            title=heading(experiment, rows),
            source=source(experiment),
            heading=full_heading(experiment, rows),
            again=again(experiment),
            sentences=said(experiment, rows, run),
            remarks=to_know(rows),
            charts=charts(experiment, rows, run, tails),
            columns=columns(experiment, rows, run),
            extras=extras(experiment, rows, run),
            flames=[one for digest in found if digest.row in rows for one in _flames(digest)],
        )
        for experiment, rows in parts(digest.row for digest in found)
    ]


def _flames(digest: Digest) -> list[Flame]:
    """Draw the stacks of the last repetition of a profiled configuration."""
    if not digest.profiles or not is_profiled([digest.row]):
        return []
    from formicary.profiling.analysis.flame import flame

    return [
        Flame(f"{name(digest.row)}, {process_name(role)}", flame(profile, RULES))
        for role, profile in digest.profiles.items()
        if any(process.stacks for process in profile.processes)
    ]
