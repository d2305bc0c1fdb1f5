"""Draws the charts of a stored run for the gallery, by the laboratory's own report, at `<!-- charts -->`."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from formicary_bench.reports.charts.printing import write_pictures
from formicary_bench.reports.document.sections import sections_of
from formicary_bench.results.store.folder import RunFolder

PLACE = "<!-- charts -->"
DOCS = Path(__file__).parents[1]
RUN = DOCS / "gallery" / "run.zip"
"""A short run of the selection `quick`, of whose values the first of each pair are kept."""

DRAWN = DOCS / "_gallery"
COLUMNS = 2  # of a paper: how wide the drawings are


def drawn(run: Path, folder: Path) -> list[tuple[str, list[tuple[str, Path]]]]:
    """Draw all charts of a run.

    Args:
        run: the run's folder.
        folder: where the drawings go.

    Returns:
        The title of each experiment, with the titles and the files of its charts.
    """
    sections = [section for section in sections_of(RunFolder.open(run)) if section.charts]
    charts = [chart for section in sections for chart in section.charts]
    files = iter(write_pictures(charts, "svg", COLUMNS, folder))
    return [(section.title, [(chart.title, next(files)) for chart in section.charts]) for section in sections]


def _page() -> str:
    shutil.rmtree(DRAWN, ignore_errors=True)
    with tempfile.TemporaryDirectory() as unpacked:
        with zipfile.ZipFile(RUN) as stored:
            stored.extractall(unpacked)
        found = drawn(Path(unpacked) / "run", DRAWN)
    parts = []
    for experiment, charts in found:
        parts.append(f"## {experiment}")
        for title, path in charts:
            parts.append(f"```{{figure}} {DRAWN.name}/{path.name}\n:alt: {title}\n\n{title}\n```")
    return "\n\n".join(parts)


def _fill_in(_: Any, __: str, source: list[str]) -> None:
    if PLACE in source[0]:
        source[0] = source[0].replace(PLACE, _page())


def setup(app: Any) -> dict[str, bool]:
    """Have Sphinx fill the page in."""
    app.connect("source-read", _fill_in)
    return {"parallel_read_safe": True}
