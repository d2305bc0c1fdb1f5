"""`formicary bench publish`: a run as a folder of static files, for any web server."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import examples
from formicary.errors import FormicaryError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.results.folder import RunFolder

PUBLISH = examples("bench publish runs/before --to public/before")


def publish(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    *,
    to: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder to make; there is none of that name yet.")
    ],
) -> None:
    """Put a run into a folder of static files: the page, its tables, and all raw values.

    The files need neither each other nor a network. Names of computers are in them.
    """
    from formicary_bench.results.folder import RunFolder

    opened = RunFolder.open(run)
    with _new_folder(to) as folder:
        _write(opened, folder)
    typer.echo(f"The page: {to / 'index.html'}")


def _write(run: RunFolder, folder: Path) -> None:
    from formicary_bench.reports import csv, html, json_lines, latex, markdown
    from formicary_bench.reports.sections import sections_of
    from formicary_bench.results.folder import MANIFEST, PROFILES, RAW
    from formicary_bench.results.summary import summarise

    sections, rows = sections_of(run), summarise(run)
    texts = {
        "index.html": html.render(run),
        "tables.md": markdown.render(run, sections),
        "tables.tex": latex.render(run, sections),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    for name, write in (("rows.csv", csv.write), ("rows.jsonl", json_lines.write)):
        with (folder / name).open("w", encoding="utf-8", newline="") as stream:
            write(rows, stream)
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
    """Give a folder beside `path` to fill; it becomes `path` when the block ends well, else it is removed."""
    if path.exists():
        raise UsageError(f"{path} is there already and is not overwritten: name another folder, or remove it")
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.mkdir(parents=True)
    except OSError as error:
        raise FormicaryError(
            f"{path} cannot be made ({error.strerror}): name another folder with --to"
        ) from error
    try:
        yield temporary
        temporary.rename(path)
    except OSError as error:
        raise FormicaryError(
            f"{path} cannot be written ({error.strerror or error}): free some space or name another folder"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
