"""Makes a lab, completely or not at all, and removes it."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from formicary.errors import UsageError
from formicary_bench.netlab import LabError, network, ssh, status
from formicary_bench.netlab.folder import Lab, LabFolder, cable
from formicary_bench.netlab.network import PACKAGES, FailedError, find, ip
from formicary_bench.worker.interruption import defer_interrupts, raise_if_interrupted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from formicary_bench.netlab.status import Status


class Removed(msgspec.Struct, frozen=True):
    """A removed lab: its folder, namespaces and number of processes, and whether there were files."""

    folder: str
    namespaces: Sequence[str]
    processes: int
    files: bool


def down(where: Path | None) -> Removed:
    """Remove the lab of a folder, if there is one; for the main thread.

    Args:
        where: the folder; None for the default.

    Raises:
        LabError: something cannot be removed, or may not be.
    """
    folder = LabFolder(where)
    with defer_interrupts():
        if not folder.path.is_dir():
            return remove(folder)
        with folder.locked():
            return remove(folder)


def remove(folder: LabFolder) -> Removed:
    """Remove all parts of a lab, with its folder locked; raises as `down` does."""
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


LARGEST = 100
"""The most hosts of a lab."""

_SLOWEST, _FASTEST = 64_000, 100_000_000_000  # bits per second
_LONGEST_MS = 10_000.0
_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


def up(where: Path | None, count: int, rate: str = "", delay: str = "") -> tuple[Status, bool]:
    """Make a lab, unless it exists; for the main thread.

    Args:
        where: its folder; None for the default.
        count: the number of hosts, 1 to LARGEST.
        rate: the bandwidth of each host, such as "100mbit"; empty for no limit.
        delay: the delay of its packets, such as "2ms"; empty for none.

    Returns:
        The lab, and whether it existed before.

    Raises:
        UsageError: the count, the rate or the delay is invalid.
        LabError: this machine cannot have such a lab, or the folder has another one.
        KeyboardInterrupt: the user interrupts it; everything is removed again.
    """
    wanted = Lab("", count, "", _checked_rate(rate), _checked_delay(delay))
    check_count(count)
    check_machine()
    folder = LabFolder(where)
    with defer_interrupts():
        folder.prepare()
        try:
            with folder.locked():
                if there := _there(folder, wanted):
                    return there, True
                return _make(folder, wanted), False
        except BaseException:
            with suppress(OSError):  # there are files in it: another lab's, or what could not be removed
                folder.path.rmdir()
            raise


def check_machine() -> None:
    """Raise a LabError if this account may not make a lab, or a program is missing."""
    if os.geteuid() != 0:
        raise LabError(
            "creating hosts on this machine requires root; run the command with `sudo $(command -v "
            "formicary)` instead of `formicary`"
        )
    for program in PACKAGES:
        find(program)


def check_count(count: int) -> None:
    """Raise a UsageError for an invalid number of hosts."""
    if not 1 <= count <= LARGEST:
        raise UsageError(f"a lab can have 1 to {LARGEST} hosts, not {count}")


def _checked_rate(rate: str) -> str:
    try:
        fits = not rate or _SLOWEST <= network.bits_per_second(rate) <= _FASTEST
    except ValueError:
        fits = False
    if not fits:
        raise UsageError(
            f"{rate!r} is not a valid rate; use a whole number of kbit, mbit or gbit, such as "
            "100mbit, from 64kbit to 100gbit"
        )
    return rate


def _checked_delay(delay: str) -> str:
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)(us|ms|s)", delay)
    if delay and not (found and 0 < float(found[1]) * _MS[found[2]] <= _LONGEST_MS):
        raise UsageError(
            f"{delay!r} is not a valid delay; use a number of us, ms or s, such as 2ms, up to 10s"
        )
    return delay


def _there(folder: LabFolder, wanted: Lab) -> Status | None:
    """Return the existing lab; None if there is none.

    Raises:
        LabError: it differs from the wanted one, or parts of it are missing.
    """
    lab = folder.read()
    found = status.of(folder, lab)
    take_down = f"take it down with `formicary hosts lab down{folder.option}` and run this command again"
    if lab is None:
        if network.namespaces(folder.mark):
            raise LabError(f"there are leftovers of a lab in {folder.path}; {take_down}")
        return None
    if found.state != "up":
        raise LabError(f"the lab in {folder.path} is incomplete; {take_down}")
    if (lab.count, lab.rate, lab.delay) != (wanted.count, wanted.rate, wanted.delay):
        limits = ", ".join(limit for limit in (lab.rate, lab.delay) if limit) or "no limits"
        raise LabError(
            f"another lab is up in {folder.path}, with {lab.count} host{'s' * (lab.count != 1)} and "
            f"{limits}; {take_down}"
        )
    return found


def _make(folder: LabFolder, wanted: Lab) -> Status:
    try:
        network.try_out(folder.mark, wanted.rate, wanted.delay)
        lab = _make_network(folder, wanted)
        _make_servers(folder, lab)
        raise_if_interrupted()
        lab = msgspec.structs.replace(lab, made=True)
        folder.write(lab)
        return status.of(folder, lab)
    except BaseException:
        remove(folder)
        raise


def _make_network(folder: LabFolder, wanted: Lab) -> Lab:
    with network.choosing() as subnet:
        raise_if_interrupted()
        lab = msgspec.structs.replace(wanted, mark=folder.mark, subnet=subnet)
        folder.write(lab)  # before any of it is there: `down` then finds all
        network.lay_switch(lab)
    for host in lab.hosts:
        raise_if_interrupted()
        network.lay_host(lab, host)
    return lab


def _make_servers(folder: LabFolder, lab: Lab) -> None:
    ssh.make_keys(folder)
    known = b"".join(ssh.make_server(folder, host) for host in lab.hosts)
    folder.save(folder.known_hosts, known)
    for host in lab.hosts:
        raise_if_interrupted()
        ssh.start(folder, host)
    folder.save(folder.inventory, ssh.inventory(lab, folder).encode())
