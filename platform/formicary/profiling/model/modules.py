"""The module of a frame's file, as far as the file system shows."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path, PurePath

_INSTALLED = re.compile(r".*/(?:site|dist)-packages/(.+)")
_STANDARD = re.compile(r".*/lib(?:64)?/(?:python|pypy)3(?:\.\d+)?/(.+)|(?i:.*\\lib\\)(.+)")
_FROZEN = re.compile(r"<frozen (.+)>")


@lru_cache(maxsize=10_000)
def module_of(file: str) -> str:
    """Return a file's module, such as `formicary.transport.link.link`; for a script, its name without `.py`.

    Installed files are named by location; for others, folders with an `__init__.py` are packages. The
    interpreter's frozen modules have their own names.

    Args:
        file: as in a code object.
    """
    if frozen := _FROZEN.fullmatch(file):
        return frozen[1]
    if file.startswith("<"):
        return file
    path = PurePath(file)
    inside = _INSTALLED.fullmatch(file) or _STANDARD.fullmatch(file)
    if inside:
        parts = list(PurePath(inside[1] or inside[2]).with_suffix("").parts)
    else:
        parts = [path.stem]
        for folder in Path(file).parents:
            if not (folder / "__init__.py").is_file():
                break
            parts.insert(0, folder.name)
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


@lru_cache(maxsize=10_000)
def is_library(file: str) -> bool:
    """Return whether a file belongs to the interpreter or an installed library, not a user's program."""
    return bool(_FROZEN.fullmatch(file) or _INSTALLED.fullmatch(file) or _STANDARD.fullmatch(file))


@lru_cache(maxsize=10_000)
def is_native(file: str) -> bool:
    """Return whether frames of this file are machine code, by its name."""
    return not file.startswith("<") and PurePath(file).suffix not in {".py", ".pyw"}
