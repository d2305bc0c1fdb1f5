"""Reports on several runs as one HTML file that needs no network, in the style of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.files import output_file
from formicary.errors import FormicaryError
from formicary_bench.files.refusals import next_step
from formicary_bench.reports.formats.html import filled

if TYPE_CHECKING:
    from pathlib import Path

    from formicary_bench.reports.document.sheet import Sheet


def sheet_page(sheet: Sheet) -> str:
    return filled("sheet.html", sheet=sheet)


def write_sheet(sheet: Sheet, path: Path) -> None:
    """Write a sheet as HTML, replacing an older file.

    Raises:
        FormicaryError: It cannot be written; an older file is unchanged.
    """
    try:
        with output_file(path) as temporary:
            temporary.write_text(sheet_page(sheet), encoding="utf-8", newline="\n")
    except OSError as error:
        raise FormicaryError(
            f"{path} cannot be written ({error.strerror or error}): "
            f"{next_step(error, 'name another file with --to')}"
        ) from error
