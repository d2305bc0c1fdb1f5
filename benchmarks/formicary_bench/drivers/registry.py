"""Which drivers there are on this machine: a folder for each, below the user's cache."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.drivers.errors import DriverError
from formicary_bench.drivers.protocol import Hello  # noqa: TC001 - msgspec resolves the annotations
from formicary_bench.results.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE = "driver.json"


class Entry(msgspec.Struct, frozen=True):
    """A driver that is installed.

    Attributes:
        command: its program and arguments, with whole paths.
        hello: what it has said of itself when it was installed.
    """

    command: tuple[str, ...]
    hello: Hello


@dataclass(frozen=True)
class Broken:
    """A folder of a driver that cannot be read.

    Attributes:
        name: of the folder.
        why: a sentence without a full stop.
    """

    name: str
    why: str


def home() -> Path:
    """Return the folder with the folders of all drivers."""
    above = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(above).expanduser() / "formicary" / "drivers"


def folder_of(name: str) -> Path:
    """Return the folder of a driver, whether it is there or not."""
    return home() / name


def installed() -> list[Entry | Broken]:
    """Return the drivers that are installed, by name."""
    return list(_found())


def entry_of(name: str) -> Entry | None:
    """Return what is known of a driver; None if it is not installed.

    Raises:
        DriverError: it cannot be read.
    """
    path = folder_of(name) / _FILE
    try:
        entry = msgspec.json.decode(path.read_bytes(), type=Entry)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise DriverError(
            f"the driver of {name} cannot be read ({error}); remove it with: formicary bench platforms "
            f"remove {name}"
        ) from error
    return entry if entry.hello.name == name else None


def keep(entry: Entry) -> None:
    """Have a driver be installed.

    Raises:
        DriverError: it cannot be written.
    """
    folder = folder_of(entry.hello.name)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(folder / _FILE) as part:
            part.write_bytes(msgspec.json.encode(entry))
    except OSError as error:
        raise DriverError(
            f"{folder} cannot be written ({error.strerror}); make room, or name another folder with the "
            "environment variable XDG_CACHE_HOME"
        ) from error


def remove(name: str) -> bool:
    """Remove a driver with all that it has; return whether it was there."""
    folder = folder_of(name)
    was_there = folder.is_dir()
    (folder / _FILE).unlink(missing_ok=True)  # first: what is half gone is not installed
    shutil.rmtree(folder, ignore_errors=True)
    return was_there


def _found() -> Iterator[Entry | Broken]:
    for path in sorted(home().glob(f"*/{_FILE}")):
        try:
            entry = entry_of(path.parent.name)
        except DriverError as error:
            yield Broken(path.parent.name, str(error))
        else:
            if entry is not None:
                yield entry
