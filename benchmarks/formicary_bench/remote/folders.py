"""Where things are on a host, and which code is there."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary_bench.remote.inventory import Host

ENVIRONMENT = "environment"
"""The folder, within a host's own, of the environment that `formicary hosts prepare` makes."""


def from_home(path: str) -> str:
    """Return a path of a host as an argument for it: commands begin at home, and `~` is quoted."""
    if path in {"~", "~/"}:
        return "."
    return path.removeprefix("~/")


def interpreter(host: Host) -> str:
    """Return the Python on a host in which formicary is, or should be, installed."""
    environment = host.venv or f"{host.folder}/{ENVIRONMENT}"
    return from_home(environment.rstrip("/")) + "/bin/python"


@functools.cache
def code_digest() -> str:
    """Return what tells this code from any other: SHA-256 over the Python files of both packages."""
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
