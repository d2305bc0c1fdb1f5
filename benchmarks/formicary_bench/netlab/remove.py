"""Removing a lab, also one that is there in part, or whose files are lost."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.netlab import LabError, network, status
from formicary_bench.netlab.folder import LabFolder
from formicary_bench.netlab.lab import cable
from formicary_bench.netlab.programs import FailedError, ip
from formicary_bench.worker.interruption import defer_interrupts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Removed(msgspec.Struct, frozen=True):
    """What was removed.

    Attributes:
        folder: of the lab.
        namespaces: the network namespaces.
        processes: how many ran there.
        files: whether there were files.
    """

    folder: str
    namespaces: Sequence[str]
    processes: int
    files: bool


def down(where: Path | None) -> Removed:
    """Remove the lab of a folder, if there is one; call it in the main thread.

    Args:
        where: the folder; the one in the user's home if None.

    Raises:
        LabError: something cannot be removed, or may not.
    """
    folder = LabFolder(where)
    with defer_interrupts():  # to be interrupted in the middle helps nobody
        if not folder.path.is_dir():
            return remove(folder)
        with folder.locked():
            return remove(folder)


def remove(folder: LabFolder) -> Removed:
    """Remove all that there is of a lab; nobody else may be making or removing it.

    Raises:
        LabError: something cannot be removed, or may not.
    """
    names = network.namespaces(folder.mark)
    lines = [name for name in network.interfaces() if name == cable(folder.mark)]
    if (names or lines) and os.geteuid() != 0:
        raise LabError(
            "removing the hosts of a lab requires root; run the command with `sudo $(command -v "
            "formicary)` instead of `formicary`"
        )
    ended = status.end_all(folder, names)
    for line in lines:
        with suppress(FailedError):  # it goes with its other end
            ip("link", "delete", line)
    for name in names:
        ip("netns", "delete", name)
    return Removed(str(folder.path), names, ended, folder.remove(is_lab=bool(names)))
