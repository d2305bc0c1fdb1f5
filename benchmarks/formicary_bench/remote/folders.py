"""Paths on a host, and the digest of code."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary_bench.remote.inventory import Host

ENVIRONMENT = "environment"
"""The environment made by `formicary hosts prepare`, in a host's folder."""


def from_home(path: str) -> str:
    """Return a path on a host relative to its home, where commands begin: `~` is quoted."""
    if path in {"~", "~/"}:
        return "."
    return path.removeprefix("~/")


def interpreter(host: Host) -> str:
    """Return the Python on a host where formicary is, or should be, installed."""
    environment = host.venv or f"{host.folder}/{ENVIRONMENT}"
    return from_home(environment.rstrip("/")) + "/bin/python"


@functools.cache
def code_digest() -> str:
    """Return the SHA-256 of the Python files of both packages."""
    import formicary
    import formicary_bench

    digest = hashlib.sha256()
    for package in (formicary, formicary_bench):
        folder = Path(package.__path__[0])
        for path in sorted(folder.rglob("*.py")):
            content = path.read_bytes()
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            digest.update(f"{name} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()
