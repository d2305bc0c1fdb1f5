"""Wheels of what is installed here, made again from its files: that needs no index and no internet.

An installer keeps a list of the files that it has put somewhere, RECORD. A wheel is an archive of those files
in another order: what went beside the packages (programs, manual pages) has a folder of its own in it.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import sys
import zipfile
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.core.files import replacing
from formicary_bench.remote.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.metadata import Distribution

_OF_THE_INSTALLER = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same files give the same wheel, whenever it is made
_COMPRESSION = 1  # more takes three times as long for a tenth less
_RUNNABLE, _READABLE = 0o100755, 0o100644
_SHEBANG = re.compile(rb"^#!.*python[0-9.]*w?\b.*")


@dataclass(frozen=True)
class Entry:
    """A file of a wheel.

    Attributes:
        name: where it is in the wheel.
        content: what is in it, or the file that has it.
        runnable: whether it is a program.
    """

    name: str
    content: bytes | Path
    runnable: bool = False

    def read(self) -> bytes:
        """Return what is in it."""
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()


def pack(target: Path, dist_info: str, entries: Iterable[Entry]) -> None:
    """Write a wheel; until it is whole there is none.

    Args:
        target: the file; it is named after what is in it.
        dist_info: the folder in it with its metadata, such as `formicary-1.0.dist-info`.
        entries: its files, but for RECORD.

    Raises:
        OSError: a file cannot be read, or the wheel cannot be written.
    """
    record = [(f"{dist_info}/RECORD", "", "")]
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as draft, zipfile.ZipFile(draft, "w") as archive:
        for entry in sorted(entries, key=lambda entry: entry.name):
            data = entry.read()
            _add(archive, entry.name, data, _RUNNABLE if entry.runnable else _READABLE)
            record.append((entry.name, f"sha256={_hash(data)}", str(len(data))))
        _add(archive, f"{dist_info}/RECORD", _as_csv(sorted(record)), _READABLE)


def _add(archive: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    about = zipfile.ZipInfo(name, _LONG_AGO)
    about.external_attr = mode << 16
    archive.writestr(about, data, zipfile.ZIP_DEFLATED, _COMPRESSION)


def _hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _as_csv(rows: Iterable[tuple[str, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def rebuild(distribution: Distribution, folder: Path) -> Path:
    """Make the wheel again from which something was installed here.

    Args:
        distribution: what is installed.
        folder: where the wheel goes; a wheel of the same name there is taken as it is.

    Raises:
        HostError: its files are not all there, or it is used from its sources.
        OSError: the wheel cannot be written.
    """
    dist_info = _dist_info(distribution)
    target = folder / f"{dist_info.removesuffix('.dist-info')}-{_tag(distribution)}.whl"
    if target.exists():
        return target
    try:
        pack(target, dist_info, _entries(distribution, dist_info))
    except FileNotFoundError as error:
        raise HostError(
            f"{distribution.name} cannot be sent to hosts: {error.filename} of it is missing here; "
            f"repair it: {sys.executable} -m pip install --force-reinstall {distribution.name}"
        ) from None
    return target


def identity(distribution: Distribution) -> str:
    """Return what is different as soon as any file of what is installed is another one.

    Raises:
        HostError: there is no list of its files.
    """
    return hashlib.sha256(_record(distribution).encode()).hexdigest()


def is_from_sources(distribution: Distribution) -> bool:
    """Say whether it is used from where it is developed, so that its own files are not in its list."""
    return '"editable": true' in re.sub(r"\s+", " ", distribution.read_text("direct_url.json") or "")


def _record(distribution: Distribution) -> str:
    if record := distribution.read_text("RECORD"):
        return record
    raise HostError(
        f"{distribution.name} cannot be sent to hosts: its installer has left no list of its files (RECORD); "
        f"install it with pip: {sys.executable} -m pip install --force-reinstall {distribution.name}"
    )


def _dist_info(distribution: Distribution) -> str:
    """Return the name of the folder with its metadata."""
    for name, *_ in csv.reader(_record(distribution).splitlines()):
        first, _, rest = name.partition("/")
        if rest == "METADATA":
            return first
    raise HostError(
        f"{distribution.name} cannot be sent to hosts: it was installed in an old way; "
        f"install it again: {sys.executable} -m pip install --force-reinstall {distribution.name}"
    )


def _tag(distribution: Distribution) -> str:
    """Return the end of the wheel's name: what it runs on, as the wheel itself said."""
    tags = HeaderParser().parsestr(distribution.read_text("WHEEL") or "").get_all("Tag") or ["py3-none-any"]
    columns = zip(*(tag.split("-") for tag in tags), strict=True)
    return "-".join(".".join(dict.fromkeys(column)) for column in columns)


def _entries(distribution: Distribution, dist_info: str) -> Iterator[Entry]:
    generated = {entry.name for entry in distribution.entry_points if entry.group.endswith("_scripts")}
    for name, *_ in csv.reader(_record(distribution).splitlines()):
        path = Path(str(distribution.locate_file(name)))
        first, _, rest = name.partition("/")
        if name.endswith(".pyc") or (first == dist_info and rest in _OF_THE_INSTALLER):
            continue
        if first != ".." and not name.startswith("/"):
            yield Entry(name, path, runnable=_is_runnable(path))
        elif path.parent.name in {"bin", "Scripts"}:
            if path.name not in generated:
                yield _program(path, dist_info)
        else:
            beside = path.resolve().relative_to(Path(sys.prefix).resolve())
            yield Entry(f"{_data(dist_info)}/data/{beside.as_posix()}", path)


def _program(path: Path, dist_info: str) -> Entry:
    """Return a program as it was in the wheel: without the path of the Python that runs it here."""
    content = _SHEBANG.sub(b"#!python", path.read_bytes(), count=1)
    return Entry(f"{_data(dist_info)}/scripts/{path.name}", content, runnable=True)


def _data(dist_info: str) -> str:
    return dist_info.removesuffix(".dist-info") + ".data"


def _is_runnable(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o100)
