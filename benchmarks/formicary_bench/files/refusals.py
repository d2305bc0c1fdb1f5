"""Errors of writing, with what to do."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from formicary.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def next_step(error: OSError, otherwise: str) -> str:
    """Return what to do about an error of writing: free space if the disk is full, else `otherwise`."""
    return f"free some space or {otherwise}" if error.errno in _FULL else otherwise


@contextmanager
def writing(path: Path, otherwise: str) -> Iterator[None]:
    """Turn an OSError of the block into a FormicaryError that names the path and what to do."""
    try:
        yield
    except OSError as error:
        raise FormicaryError(
            f"{path} cannot be written ({error.strerror or error}): {next_step(error, otherwise)}"
        ) from error
