"""Which labs there are, and where their material lies: in the installed package, or in a checkout's docs."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from formicary.core.quoting import shorten
from formicary.errors import FormicaryError, UsageError

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
