"""Networks of a run's or a repetition's own, so that what goes over the wire, and how late, is its alone.

On Linux, whoever may (root) gets a network namespace for the time of the block: it has a loopback interface
and nothing else, and is gone with the last of its processes. The controller's main thread enters it; the
processes that it starts from then on are in it.

It is a network namespace with a loopback interface, whose packets the kernel keeps for so long (netem): those
of a request, and those of its answer. What is started in the block is in it.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile.web_shop import Shopping
from formicary_bench.netlab.make import check_machine
from formicary_bench.netlab.network import FailedError, run, try_out
from formicary_bench.runner import RepetitionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formicary_bench.vocabulary.configuration import Configuration


SHARED = (
    "the wire is this host's loopback interface, and what other programs sent over it meanwhile is in these "
    "figures: run as root on Linux to have a network of its own"
)
"""What a reader should know of figures that were not taken in a network of a run's own."""

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_SET_FLAGS = 0x8914  # SIOCSIFFLAGS
_UP = 0x1  # IFF_UP
_PLACE = Path("/proc/self/ns/net")


class _Network:
    """Whether this process is in a network of its own."""

    own = False


def has_own_network() -> bool:
    """Return whether this process is in a network of its own."""
    return _Network.own


@contextmanager
def own_network() -> Iterator[None]:
    """Be in a network of its own, where the system has such and permits it; for the main thread."""
    if not sys.platform.startswith("linux") or not _PLACE.exists():
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open(_PLACE, os.O_RDONLY)
    try:
        if libc.unshare(_NEW_NETWORK) != 0:
            yield
            return
        was_own, _Network.own = _Network.own, True
        try:
            _bring_up("lo")
            yield
        finally:
            _Network.own = was_own
            if libc.setns(before, _NEW_NETWORK) != 0:
                error = ctypes.get_errno()
                raise OSError(error, f"cannot go back to the network of before: {os.strerror(error)}")
    finally:
        os.close(before)


def _bring_up(interface: str) -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", interface.encode(), _UP))


_TRIAL = "delay"
_PACKETS = 100_000  # that may be on their way, so that none is lost to the delay itself


def check_delays(plan: Iterable[Configuration]) -> None:
    """Make sure that this machine can delay packets, if a plan needs that.

    Raises:
        LabError: it cannot; says what to do.
    """
    if any(map(delay_of, plan)):
        check_machine()
        try_out(_TRIAL, "", "1ms")


def delay_of(configuration: Configuration) -> int:
    """Return for how many microseconds each packet is on its way besides."""
    return Shopping.of(configuration).delay_us


@contextmanager
def delayed_network(delay_us: int) -> Iterator[None]:
    """Be in such a network; for the main thread.

    Args:
        delay_us: for how many microseconds each packet is on its way; with 0 nothing is changed.

    Raises:
        RepetitionError: there is none to be had.
    """
    if not delay_us:
        yield
        return
    with own_network():
        if not has_own_network():
            raise RepetitionError(
                "packets cannot be delayed without a network of its own; run as root on Linux"
            )
        try:
            keep = ["netem", "delay", f"{delay_us}us", "limit", str(_PACKETS)]
            run("tc", "qdisc", "add", "dev", "lo", "root", *keep)
        except (FailedError, FormicaryError) as error:
            raise RepetitionError(f"packets cannot be delayed here: {error}; leave --delay out") from error
        yield
