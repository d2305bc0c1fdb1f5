"""Archives of packages, to be unpacked into a host's environment; made of the files installed here, offline.

Files are named by their places there: `lib/python3.11/site-packages/formicary/errors.py`, `bin/py-spy`.
"""

from __future__ import annotations

import csv
import functools
import gzip
import hashlib
import io
import posixpath
import re
import sys
import tarfile
from collections import deque
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import formicary
import formicary_bench
from formicary.core.files import replacing
from formicary_bench.remote import HostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


_PACKAGES = (formicary, formicary_bench)
_COMPRESSION = 1  # more takes three times as long for a tenth less
_RUNNABLE, _READABLE = 0o755, 0o644
_COMMAND = b'#!/bin/sh\nexec "$(dirname "$0")/python" -m formicary "$@"\n'


def site(python: str) -> str:
    """Return the folder of packages in an environment of a Python version."""
    return f"lib/python{python}/site-packages"


def pack(target: Path, files: Iterable[tuple[str, bytes | Path]]) -> None:
    """Write an archive, atomically and reproducibly."""
    with (
        replacing(target) as draft,
        draft.open("wb") as file,
        gzip.GzipFile("", "wb", _COMPRESSION, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for place, content in sorted(files, key=itemgetter(0)):
            data, runs = content, place.startswith("bin/")
            if isinstance(content, Path):
                data, runs = content.read_bytes(), bool(content.stat().st_mode & 0o100)
            assert isinstance(data, bytes)
            about = tarfile.TarInfo(place)
            about.size, about.mode = len(data), _RUNNABLE if runs else _READABLE
            archive.addfile(about, io.BytesIO(data))


def files_of(found: Distribution, packages: str) -> Iterator[tuple[str, Path]]:
    """Yield the files of a package, with their places, but no scripts: they name our Python.

    Args:
        found: the installed package.
        packages: the folder of packages in the host's environment.

    Raises:
        HostError: files are missing, or the list of files is.
    """
    for name, *_ in csv.reader(_record(found).splitlines()):
        place = posixpath.normpath(posixpath.join(packages, name))
        if name.endswith(".pyc") or place.startswith(("..", "/")):
            continue
        path = Path(str(found.locate_file(name)))
        if not path.is_file():
            raise HostError(
                f"{found.name} cannot be sent to hosts: {path} of it is missing here; "
                f"repair it: {sys.executable} -m pip install --force-reinstall {found.name}"
            )
        if not is_script(place, path):
            yield place, path


def is_script(place: str, path: Path) -> bool:
    """Return whether a file is a script that an installer has made for one Python."""
    with path.open("rb") as file:
        return place.startswith("bin/") and file.read(2) == b"#!"


def own_files(packages: str) -> Iterator[tuple[str, bytes | Path]]:
    """Yield the files of the Formicary that runs here, installed or a checkout."""
    for package in _PACKAGES:
        root = Path(str(package.__file__)).resolve().parent
        for path in root.rglob("*"):
            within = path.relative_to(root.parent)
            if path.is_file() and "__pycache__" not in within.parts and not path.name.startswith("."):
                yield f"{packages}/{within.as_posix()}", path
    for name in ("METADATA", "entry_points.txt"):
        text = own_distribution().read_text(name) or ""
        yield f"{packages}/formicary-{formicary.__version__}.dist-info/{name}", text.encode()
    yield "bin/formicary", _COMMAND


@functools.cache
def own_identity() -> str:
    """Return a digest of Formicary's own archive."""
    digest = hashlib.sha256()
    for place, content in sorted(own_files(""), key=itemgetter(0)):
        data = content.read_bytes() if isinstance(content, Path) else content
        digest.update(f"{place} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def own_distribution() -> Distribution:
    """Return Formicary's metadata; raise a HostError if it is not installed."""
    try:
        return distribution("formicary")
    except PackageNotFoundError:
        raise HostError(
            "what Formicary depends on is not known here, so it cannot be sent to hosts; "
            'install it: pip install "formicary[bench,lab]"'
        ) from None


def identity(found: Distribution) -> str:
    """Return a digest of a package's files."""
    return hashlib.sha256(_record(found).encode()).hexdigest()


def is_from_sources(found: Distribution) -> bool:
    """Return whether a package is an editable install, whose list lacks its own files."""
    return '"editable": true' in re.sub(r"\s+", " ", found.read_text("direct_url.json") or "")


def _record(found: Distribution) -> str:
    if record := found.read_text("RECORD"):
        return record
    raise HostError(
        f"{found.name} cannot be sent to hosts: its installer has left no list of its files (RECORD); "
        f"install it with pip: {sys.executable} -m pip install --force-reinstall {found.name}"
    )


_EXTRAS = {"bench", "lab"}
# What only the controller needs, for connections, results and reports.
_FOR_THE_CONTROLLER = {"asyncssh", "jinja2", "packaging", "pip", "pyarrow", "scipy"}


@dataclass(frozen=True)
class Needs:
    """The packages for one kind of Python besides Formicary: those `installed` here, and those `absent`."""

    installed: tuple[Distribution, ...]
    absent: tuple[Requirement, ...]

    def digest(self) -> str:
        """Return a digest of all versions."""
        words = [*sorted(map(identity, self.installed)), *sorted(map(str, self.absent))]
        return hashlib.sha256("\n".join(words).encode()).hexdigest()


def find(
    environment: Mapping[str, str],
    requirements: Iterable[str] | None = None,
    find_distribution: Callable[[str], Distribution] = distribution,
) -> Needs:
    """Resolve dependencies.

    Args:
        environment: the environment markers of the host's Python.
        requirements: the first ones; Formicary's if None.
        find_distribution: finds an installed package by its name.

    Raises:
        HostError: Formicary is not installed.
    """
    begin = (own_distribution().requires or []) if requirements is None else requirements
    installed: dict[str, Distribution] = {}
    absent: dict[str, Requirement] = {}
    pending = deque((Requirement(line), _EXTRAS) for line in begin)
    pending = deque(one for one in pending if one[0].name not in _FOR_THE_CONTROLLER)
    seen = set()
    while pending:
        requirement, extras = pending.popleft()
        name = canonicalize_name(requirement.name)
        mark = (name, frozenset(requirement.extras))
        if mark in seen or not _applies(requirement, environment, extras):
            continue
        seen.add(mark)
        if (found := _installed(name, find_distribution)) is None:
            absent[name] = requirement
        else:
            installed[name] = found
            pending += [(Requirement(line), requirement.extras) for line in found.requires or []]
    return Needs(tuple(installed.values()), tuple(absent.values()))


def _applies(requirement: Requirement, environment: Mapping[str, str], extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({**environment, "extra": extra}) for extra in extras | {""})


def _installed(name: str, find_distribution: Callable[[str], Distribution]) -> Distribution | None:
    """Return an installed package, unless it is editable."""
    try:
        found = find_distribution(name)
    except PackageNotFoundError:
        return None
    return None if is_from_sources(found) else found
