"""The drivers installed on this machine, as subjects: a folder for each, in the user's cache."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from formicary.core.files import user_cache, write_private
from formicary.core.private import check_folder, make_private_folder
from formicary_bench.subjects.drivers import DriverError
from formicary_bench.subjects.drivers.protocol import Hello  # noqa: TC001 - msgspec resolves the annotations
from formicary_bench.subjects.subject import Subject
from formicary_bench.vocabulary.places import APART, OWN, SAME, TWO_HOSTS, XMPP, Carrier

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_FILE = "driver.json"


class Entry(msgspec.Struct, frozen=True):
    """An installed driver.

    Attributes:
        command: its program and arguments, with absolute paths.
        hello: its hello when it was installed.
    """

    command: tuple[str, ...]
    hello: Hello


@dataclass(frozen=True)
class Broken:
    """A folder of a driver that cannot be read.

    Attributes:
        name: the folder's name.
        why: a sentence without a full stop.
    """

    name: str
    why: str


def home() -> Path:
    """Return the folder with the folders of all drivers."""
    return user_cache() / "drivers"


def folder_of(name: str) -> Path:
    """Return the folder of a driver, whether or not it exists."""
    return home() / name


def installed() -> list[Entry | Broken]:
    """Return the installed drivers by name."""
    return list(_found())


def entry_of(name: str) -> Entry | None:
    """Return the entry of a driver; None if it is not installed.

    Raises:
        DriverError: it cannot be read.
    """
    path = folder_of(name) / _FILE
    if path.parent.parent != home():
        return None
    try:
        check_folder(path.parent)  # what is in it is run
        entry = msgspec.json.decode(path.read_bytes(), type=Entry)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise DriverError(_not_read(error)) from error
    except (OSError, msgspec.DecodeError) as error:
        raise DriverError(
            f"the driver of {name} cannot be read ({error}); remove it with: formicary bench platforms "
            f"remove {name}"
        ) from error
    return entry if entry.hello.name == name else None


def _not_read(error: OSError) -> str:
    return (
        f"the drivers in {home()} cannot be read ({error.strerror}); set XDG_CACHE_HOME to a readable folder"
    )


@contextmanager
def keeping(entry: Entry) -> Iterator[None]:
    """Install a driver, replacing one of the same name, unless the block raises.

    Raises:
        DriverError: it cannot be written.
    """
    path = folder_of(entry.hello.name) / _FILE
    before = path.read_bytes() if path.is_file() else None
    _write(path, msgspec.json.encode(entry))
    try:
        yield
    except BaseException:
        if before is None:
            path.unlink()
            with contextlib.suppress(OSError):  # it is not empty
                path.parent.rmdir()
        else:
            _write(path, before)
        raise


def remove(name: str) -> bool:
    """Remove a driver with all of its files; return whether it existed."""
    folder = folder_of(name)
    was_there = folder.is_dir()
    (folder / _FILE).unlink(missing_ok=True)  # first: what is half gone is not installed
    shutil.rmtree(folder, ignore_errors=True)
    return was_there


@contextmanager
def building(name: str) -> Iterator[Path]:
    """Yield an empty folder to build a driver in; it replaces the old one, or is removed on failure.

    It is never moved, as Python's environments do not work elsewhere.

    Raises:
        OSError: it cannot be made.
    """
    folder = folder_of(name)
    make_private_folder(folder)
    new = Path(tempfile.mkdtemp(prefix="made-", dir=folder))
    try:
        yield new
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        if not (folder / _FILE).exists():
            shutil.rmtree(folder, ignore_errors=True)
        raise
    for other in folder.iterdir():
        if other.is_dir() and other != new:
            shutil.rmtree(other, ignore_errors=True)
        elif other.name not in {_FILE, new.name}:
            other.unlink()


def _write(path: Path, data: bytes) -> None:
    try:
        make_private_folder(path.parent)
        write_private(path, data)
    except OSError as error:
        raise DriverError(
            f"{path.parent} cannot be written ({error.strerror}); free some space, or set "
            "XDG_CACHE_HOME to another folder"
        ) from error


def _found() -> Iterator[Entry | Broken]:
    try:
        folders = [folder for folder in home().iterdir() if (folder / _FILE).exists()]
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield Broken(home().name, _not_read(error))
        return
    for path in sorted(folder / _FILE for folder in folders):
        try:
            entry = entry_of(path.parent.name)
        except DriverError as error:
            yield Broken(path.parent.name, str(error))
        else:
            if entry is not None:
                yield entry


def driven() -> tuple[Subject, ...]:
    """Return the subjects with a valid installed driver, which take part only if named."""
    return tuple(subject_for(entry.hello) for entry in installed() if isinstance(entry, Entry))


def subject_for(hello: Hello) -> Subject:
    """Return the subject that a driver describes."""
    between = Carrier(XMPP if hello.server else OWN)
    carriers = {SAME: (Carrier("in-process"),), APART: (between,), TWO_HOSTS: (between,)}
    return Subject(
        hello.name,
        "formicary_bench.subjects.drivers.driven",
        {placement: carriers[placement] for placement in hello.placements},
        hidden=True,
        trips=hello.trips,
        exchanges=hello.experiments,
        most_pairs=hello.most_pairs,
        most_bytes=hello.most_bytes,
        accounts=hello.server,
        groups_threads=bool(hello.threads),
    )


def versions(platforms: Iterable[str]) -> dict[str, str]:
    """Return the versions and runtimes of those of these platforms that have a driver."""
    wanted = set(platforms)
    found = (entry.hello for entry in installed() if isinstance(entry, Entry))
    return {hello.name: _version(hello) for hello in found if hello.name in wanted}


def _version(hello: Hello) -> str:
    return f"{hello.version} on {hello.runtime}" if hello.runtime else hello.version
