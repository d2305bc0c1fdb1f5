"""A network of a run's or a repetition's own, for its traffic alone, perhaps with delays.

On Linux, root gets a network namespace with only a loopback interface for the time of the block. The main
thread enters it, and so do the processes that it starts. The kernel can delay all packets there (netem).
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
"""The note on figures without a network of a run's own."""

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_SET_FLAGS = 0x8914  # SIOCSIFFLAGS
_UP = 0x1  # IFF_UP
_PLACE = Path("/proc/self/ns/net")


class _Network:
    """Whether this process is in a network of its own."""

    own = False


def has_own_network() -> bool:
    return _Network.own


@contextmanager
def own_network() -> Iterator[None]:
    """Enter a network of our own in the main thread, if the system permits it."""
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
_PACKETS = 100_000  # under way: the delay itself must lose none


def check_delays(plan: Iterable[Configuration]) -> None:
    """Raise a LabError if a plan delays packets, and this machine cannot."""
    if any(map(delay_of, plan)):
        check_machine()
        try_out(_TRIAL, "", "1ms")


def delay_of(configuration: Configuration) -> int:
    """Return the delay of each packet in microseconds."""
    return Shopping.of(configuration).delay_us


@contextmanager
def delayed_network(delay_us: int) -> Iterator[None]:
    """Enter a network with delayed packets in the main thread; do nothing for 0 µs.

    Raises:
        RepetitionError: this is not possible.
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
