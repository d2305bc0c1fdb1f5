"""The labs, their material, and a student's folder of one, perhaps with a notebook."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from formicary.core.files import replacing
from formicary.core.quoting import shorten
from formicary.errors import FormicaryError, UsageError
from formicary_bench.files.refusals import writing
from formicary_bench.labs.programs import FILE

if TYPE_CHECKING:
    from types import ModuleType

_LISTED = re.compile(r"^([a-z0-9-]+)/index$", re.MULTILINE)
_HERE = Path(__file__).resolve().parent


class Lab(msgspec.Struct, frozen=True):
    """One lab: its name, and the folder with its texts and programs."""

    name: str
    folder: Path

    def text(self, file: str) -> str:
        """Return the text of one of its files, such as `start.py`.

        Raises:
            FormicaryError: it cannot be read.
        """
        try:
            return (self.folder / file).read_text(encoding="utf-8")
        except OSError as error:
            raise FormicaryError(
                f"{file} of the lab {self.name} cannot be read ({error.strerror}): reinstall Formicary"
            ) from error

    def module(self, name: str) -> ModuleType:
        """Import one of its files, such as `check`."""
        spec = spec_from_file_location(f"lab_{name}", self.folder / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[spec.name] = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    @property
    def title(self) -> str:
        """The heading of its page."""
        return self.text("index.md").partition("\n")[0].removeprefix("# ")

    @property
    def aim(self) -> str:
        """What a student learns: the first paragraph of its page."""
        return " ".join(self.text("index.md").split("\n\n")[1].split())

    @property
    def is_measured(self) -> bool:
        """Whether `formicary lab measure` has a question for it."""
        return (self.folder / "measure.py").exists()


def all_labs() -> dict[str, Lab]:
    """Return all labs by name, in the order of the documentation.

    Raises:
        FormicaryError: their folder is missing.
    """
    folder = _folder()
    try:
        names = _LISTED.findall((folder / "index.md").read_text(encoding="utf-8"))
    except OSError as error:
        raise FormicaryError(f"the labs are not installed ({folder}): reinstall Formicary") from error
    return {name: Lab(name, folder / name) for name in names}


def lab_named(name: str) -> Lab:
    """Return a lab.

    Raises:
        UsageError: there is none of this name.
    """
    labs = all_labs()
    if name not in labs:
        raise UsageError(f"no lab {shorten(name)}; choose one of {', '.join(labs)}")
    return labs[name]


def _folder() -> Path:
    installed = _HERE / "material"
    return installed if installed.is_dir() else _HERE.parents[2] / "docs" / "labs"


README = "README.md"
_MARK = "lab.toml"
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")


def text_of(lab: Lab) -> str:
    """Return a lab's text for a student's folder, without links to other pages."""
    return _LINK.sub(r"\1", lab.text("index.md"))


_KERNEL = """\
---
jupyter:
  kernelspec:
    display_name: Python 3
    language: python
    name: python3
---

"""
_PROGRAM = f"""
## The program

This cell writes your program into `{FILE}`. Complete it here, run the cell, and then the next one.
"""
_CHECK = """
```python
import subprocess, sys

print(subprocess.run(["formicary", "lab", "check", "."], capture_output=True, text=True).stdout)
```
"""


def notebook_of(lab: Lab) -> str:
    """Return a lab's text as a notebook, in JSON; its examples and its program are cells.

    Raises:
        UsageError: the extra `notebooks` is not installed.
    """
    if find_spec("jupytext") is None:
        raise UsageError(
            "cannot create a notebook: jupytext is not installed; install it with: pip install "
            '"formicary[notebooks]"'
        )
    import jupytext

    cell = f"```python\n%%writefile {FILE}\n{lab.text('start.py')}```\n"
    text = f"{_KERNEL}{text_of(lab)}{_PROGRAM}\n{cell}{_CHECK}"
    written: str = jupytext.writes(jupytext.reads(text, fmt="md"), fmt="ipynb")
    return written


def make_folder(lab: Lab, folder: Path, *, notebook: bool = False) -> list[Path]:
    """Create a folder with the program to complete and the text of a lab.

    Args:
        lab: the lab.
        folder: the folder, which must be missing or empty.
        notebook: whether to make a Jupyter notebook of the text as well.

    Returns:
        The files to complete and to read.

    Raises:
        UsageError: the folder is not empty, or the extra `notebooks` is not installed.
        FormicaryError: it cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists; choose another folder, or continue in it")
    files = {README: text_of(lab), FILE: lab.text("start.py"), _MARK: f'lab = "{lab.name}"\n'}
    if notebook:
        files[f"{lab.name}.ipynb"] = notebook_of(lab)
    with writing(folder, "choose another folder"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            with replacing(folder / name) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in files if name != _MARK]


def lab_of(folder: Path) -> Lab:
    """Return the lab of a student's folder.

    Raises:
        UsageError: it is not such a folder.
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
