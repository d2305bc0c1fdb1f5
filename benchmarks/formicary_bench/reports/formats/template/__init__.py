"""The templates of pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = Path(__file__).parent


def template(name: str) -> str:
    """Return the text of one of the files."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def environment(**options: Any) -> Environment:
    """Return the environment that renders templates, with everything escaped that is not ours.

    Args:
        options: further ones of `jinja2.Environment`.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **options,
    )
