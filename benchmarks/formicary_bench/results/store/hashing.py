"""The hash of a run: over its manifest and all raw values, so that a figure can name its source."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from formicary_bench.results.store.folder import MANIFEST, RAW

if TYPE_CHECKING:
    from pathlib import Path

    from formicary_bench.results.store.folder import RunFolder

_AT_ONCE = 2**20


def content_hash(run: RunFolder) -> str:
    """Return the SHA-256 of a run's folder in hexadecimal.

    It is that of lines with the SHA-256 and the name of each file, as `sha256sum` writes them: the manifest
    first, then the raw values in the order of measurement. Missing files have no line.
    """
    names = [MANIFEST, *(f"{RAW}/{one.raw}" for one in run.manifest.repetitions)]
    lines = [f"{_of_file(path)}  {name}\n" for name in names if (path := run.path / name).is_file()]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _of_file(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_AT_ONCE):
            found.update(part)
    return found.hexdigest()
