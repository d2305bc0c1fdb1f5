"""What a driver has started and not ended, even if it has detached from it: known by its environment."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import psutil

_MARK = "FORMICARY_DRIVEN_BY"
_LOOKS = 20  # while one is ended it may have started another


def marked_environment() -> Mapping[str, str]:
    """Return our environment with a mark, for what is to be found again: a new one if it has none."""
    return {_MARK: secrets.token_hex(8)} | os.environ


def running(mark: Mapping[str, str]) -> list[str]:
    """Return the programs and process ids of what runs with a mark, but for this process."""
    named = []
    for process in _marked(mark):
        with _may_have_ended():
            named.append(f"{process.name()} (process {process.pid})")
    return named


def end_all(mark: Mapping[str, str]) -> None:
    """End all that runs with a mark, but for this process."""
    for _ in range(_LOOKS):
        found = list(_marked(mark))
        for process in found:
            with _may_have_ended():
                process.kill()
        if not found:
            return


def _marked(mark: Mapping[str, str]) -> Iterator[psutil.Process]:
    import psutil

    for process in psutil.process_iter(["environ"]):
        environment = process.info["environ"] or {}  # none of what is somebody else's, or has just ended
        if environment.get(_MARK) == mark[_MARK] and process.pid != os.getpid():
            yield process


def _may_have_ended() -> suppress:
    """Return a block for what may have ended meanwhile."""
    import psutil

    return suppress(psutil.Error)
