"""`formicary bench publish`: exports a run as static files, for any web server."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import examples
from formicary.cli.output import say
from formicary.core.files import new_folder
from formicary.errors import UsageError
from formicary_bench.files.refusals import writing
from formicary_bench.reports.formats.registry import FIGURES, FORMATS, PICTURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.reports.document.sections import Section
    from formicary_bench.results.store.folder import RunFolder

_FILES = {one.file: one.what for one in FORMATS.values() if one.file} | {
    "manifest.json": "what was asked for and where it ran, JSON"
}

PUBLISH = examples("bench publish runs/before --to public/before")


def publish(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.")],
    *,
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder to create; it must not exist yet.")],
) -> None:
    """Export a run as a static site: page, figures, tables and raw values.

    The page links to the other files and needs no network. The files contain
    names of computers.
    """
    from formicary_bench.reports.charts.printing import need_figures
    from formicary_bench.results.store.folder import RunFolder

    need_figures()
    opened = RunFolder.open(run)
    with _new_folder(to) as folder:
        _write(opened, folder)
    say(f"Page: {to / 'index.html'}")


def _write(run: RunFolder, folder: Path) -> None:
    from formicary_bench.reports.document.sections import Document
    from formicary_bench.reports.formats import html

    document = Document(run)
    drawn = _draw(document.sections, folder / FIGURES)
    page = html.page(document, html.Beside(_FILES, drawn))
    (folder / "index.html").write_text(page, encoding="utf-8", newline="\n")
    for one in FORMATS.values():
        if one.file and one.write:
            with (folder / one.file).open("w", encoding="utf-8", newline="") as stream:
                one.write.load()(document, stream)
    _copy(run, folder)


def _draw(sections: Sequence[Section], folder: Path) -> list[list[str]]:
    """Draw each figure in each format; return the files' names as seen from the page, by figure."""
    from formicary_bench.reports.charts.printing import write_kinds

    charts = [chart for section in sections for chart in section.charts]
    say(f"formicary: drawing {len(charts)} figures as {', '.join(PICTURES)}", err=True)
    drawn = write_kinds(charts, PICTURES, 1, folder)
    return [[f"{FIGURES}/{path.name}" for path in paths] for paths in drawn]


def _copy(run: RunFolder, folder: Path) -> None:
    """Copy the files of the run itself."""
    from formicary_bench.results.store.folder import MANIFEST, PROFILES, RAW

    shutil.copy(run.path / MANIFEST, folder)
    for kept in (RAW, PROFILES):
        if (run.path / kept).is_dir():
            (folder / kept).mkdir()
    for repetition in run.manifest.repetitions:
        shutil.copy(run.raw_path(repetition), folder / RAW)
        for name in repetition.profiles.values():
            shutil.copy(run.path / PROFILES / Path(name).name, folder / PROFILES)


@contextmanager
def _new_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to fill, which becomes `path` if the block succeeds, and is removed if not."""
    if path.exists():
        raise UsageError(f"{path} already exists and is not overwritten: choose another folder, or remove it")
    with writing(path, "choose another folder with --to"), new_folder(path) as temporary:
        yield temporary
