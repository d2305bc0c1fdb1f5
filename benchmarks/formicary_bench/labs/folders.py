"""A student's folder: made of a lab, and known again by the file `lab.toml` in it."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from formicary.core.files import replacing
from formicary.errors import FormicaryError, UsageError
from formicary_bench.files.refusals import next_step
from formicary_bench.labs.material import Lab, lab_named
from formicary_bench.labs.programs import FILE

if TYPE_CHECKING:
    from pathlib import Path

README = "README.md"
_MARK = "lab.toml"
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")


def text_of(lab: Lab) -> str:
    """Return a lab's text as it can be read in a student's folder: links to other pages are only words."""
    return _LINK.sub(r"\1", lab.text("index.md"))


def make_folder(lab: Lab, folder: Path, *, notebook: bool = False) -> list[Path]:
    """Make a folder with the program to complete and the text of a lab.

    Args:
        lab: the lab.
        folder: where to; it must not be there, or be empty.
        notebook: whether to make a Jupyter notebook of the text, too.

    Returns:
        The files for the student: what to complete, and what to read.

    Raises:
        UsageError: there is something in the folder already, or the extra `notebooks` is not installed.
        FormicaryError: it cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists; choose another folder, or continue in it")
    files = {README: text_of(lab), FILE: lab.text("start.py"), _MARK: f'lab = "{lab.name}"\n'}
    if notebook:
        from formicary_bench.labs.notebooks import notebook_of

        files[f"{lab.name}.ipynb"] = notebook_of(lab)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            with replacing(folder / name) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise FormicaryError(
            f"{folder} cannot be written ({error.strerror or error}): "
            f"{next_step(error, 'choose another folder')}"
        ) from error
    return [folder / name for name in files if name != _MARK]


def lab_of(folder: Path) -> Lab:
    """Return the lab that a student's folder was made of.

    Raises:
        UsageError: it is no such folder.
    """
    try:
        content = tomllib.loads((folder / _MARK).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"{folder} is not a lab folder; create one with `formicary lab start NAME`, and specify it here"
        ) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder / _MARK} cannot be read: {error}") from error
    name = content.get("lab")
    if not isinstance(name, str):
        raise UsageError(f'{folder / _MARK} has no lab; write: lab = "NAME"')
    return lab_named(name)
