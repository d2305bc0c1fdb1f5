"""Reports on several runs as one HTML file that needs no network, in the style of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.files import output_file
from formicary_bench.files.refusals import writing
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
    with writing(path, "choose another file with --to"), output_file(path) as temporary:
        temporary.write_text(sheet_page(sheet), encoding="utf-8", newline="\n")
