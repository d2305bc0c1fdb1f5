"""Which labs there are, where their material lies, and the folder that a student gets of one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec

from formicary.core.files import replacing
from formicary.core.quoting import shorten
from formicary.errors import FormicaryError, UsageError
from formicary_bench.files.refusals import next_step
from formicary_bench.labs.programs import FILE

_LISTED = re.compile(r"^([a-z0-9-]+)/index$", re.MULTILINE)
_HERE = Path(__file__).resolve().parent


class Lab(msgspec.Struct, frozen=True):
    """One lab: its name, and the folder with its texts and programs."""

    name: str
    folder: Path

    def text(self, file: str) -> str:
        """Return what stands in one of its files, such as `start.py`.

        Raises:
            FormicaryError: it cannot be read.
        """
        try:
            return (self.folder / file).read_text(encoding="utf-8")
        except OSError as error:
            raise FormicaryError(
                f"{file} of the lab {self.name} cannot be read ({error.strerror}): reinstall Formicary"
            ) from error

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
    """Return all labs by their names, in the order in which the documentation has them.

    Raises:
        FormicaryError: their folder is not there.
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
