"""The files that the page is made of."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def template(name: str) -> str:
    """Return the text of one of the files."""
    return (FOLDER / name).read_text(encoding="utf-8")
