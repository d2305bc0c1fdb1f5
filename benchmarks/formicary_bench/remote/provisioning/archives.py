"""Archives of what hosts need: unpacked into an environment, it is as an installer would have put it there.

They are made of the files that are installed here, which needs no index and no internet. Files are named by
their places in the environment: `lib/python3.11/site-packages/formicary/errors.py`, `bin/py-spy`.
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
    """Return the folder of packages within an environment of a Python, such as `3.11`."""
    return f"lib/python{python}/site-packages"


def pack(target: Path, files: Iterable[tuple[str, bytes | Path]]) -> None:
    """Write an archive; until it is whole there is none. The same files give the same bytes.

    Raises:
        OSError: a file cannot be read, or the archive cannot be written.
    """
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
    """Yield the files of what is installed here, but for scripts: they begin with the path of our Python.

    Args:
        found: what is installed.
        packages: the folder of packages within the host's environment.

    Raises:
        HostError: they are not all there, or there is no list of them.
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
    """Return whether a file is a program that an installer has made for the Python that runs it."""
    with path.open("rb") as file:
        return place.startswith("bin/") and file.read(2) == b"#!"


def own_files(packages: str) -> Iterator[tuple[str, bytes | Path]]:
    """Yield the files of Formicary itself, of the code that runs here, be it installed or a checkout.

    Raises:
        HostError: nothing says what it depends on.
    """
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
    """Return what is different as soon as anything in Formicary's own archive is."""
    digest = hashlib.sha256()
    for place, content in sorted(own_files(""), key=itemgetter(0)):
        data = content.read_bytes() if isinstance(content, Path) else content
        digest.update(f"{place} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def own_distribution() -> Distribution:
    """Return what is known of Formicary as it is installed here.

    Raises:
        HostError: nothing is.
    """
    try:
        return distribution("formicary")
    except PackageNotFoundError:
        raise HostError(
            "what Formicary depends on is not known here, so it cannot be sent to hosts; "
            'install it: pip install "formicary[bench,lab]"'
        ) from None


def identity(found: Distribution) -> str:
    """Return what is different as soon as any file of what is installed is another one.

    Raises:
        HostError: there is no list of its files.
    """
    return hashlib.sha256(_record(found).encode()).hexdigest()


def is_from_sources(found: Distribution) -> bool:
    """Return whether it is used from where it is developed, so that its own files are not in its list."""
    return '"editable": true' in re.sub(r"\s+", " ", found.read_text("direct_url.json") or "")


def _record(found: Distribution) -> str:
    if record := found.read_text("RECORD"):
        return record
    raise HostError(
        f"{found.name} cannot be sent to hosts: its installer has left no list of its files (RECORD); "
        f"install it with pip: {sys.executable} -m pip install --force-reinstall {found.name}"
    )


_EXTRAS = {"bench", "lab"}
# What only this side needs: it connects to hosts, keeps results, and makes reports of them.
_FOR_THE_CONTROLLER = {"asyncssh", "jinja2", "packaging", "pip", "pyarrow", "scipy"}


@dataclass(frozen=True)
class Needs:
    """What a host with a certain kind of Python needs.

    Attributes:
        installed: what of it is installed here, but for Formicary itself.
        absent: what else, such as what only another version of Python needs.
    """

    installed: tuple[Distribution, ...]
    absent: tuple[Requirement, ...]

    def digest(self) -> str:
        """Return what is different as soon as anything of it is another version."""
        words = [*sorted(map(identity, self.installed)), *sorted(map(str, self.absent))]
        return hashlib.sha256("\n".join(words).encode()).hexdigest()


def find(
    environment: Mapping[str, str],
    requirements: Iterable[str] | None = None,
    find_distribution: Callable[[str], Distribution] = distribution,
) -> Needs:
    """Follow what depends on what.

    Args:
        environment: what markers such as `python_version < "3.12"` are about, of the host's Python.
        requirements: what to begin with; Formicary's own if None.
        find_distribution: finds what is installed here by its name.

    Raises:
        HostError: nothing says what Formicary depends on.
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
    """Return what is installed here, if its files are all where its installer has put them."""
    try:
        found = find_distribution(name)
    except PackageNotFoundError:
        return None
    return None if is_from_sources(found) else found
