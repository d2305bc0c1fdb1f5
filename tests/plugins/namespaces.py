"""Two hosts on one machine: network namespaces that a pair of virtual cables (veth) joins, and nothing else.

    def test_something(two_hosts):
        first, second = two_hosts
        first.popen([sys.executable, "-c", "..."])

In each namespace there are the loopback interface and `first.address` or `second.address`; no name server
answers. Making them needs root and iproute2's `ip`. Where that is missing the test is skipped, on the gate it
fails. What runs in them is ended with the test, and they are removed, also those of a run that was killed.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.plugins.missing import leave_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PREFIX = "formicary-test"  # then the process that made it, and a number
_FILES = Path("/etc/netns")  # where `ip netns exec` finds a namespace's own files of /etc
_CABLE = "cable"  # name of the interface, in both
_NUMBERS = itertools.count(1)
_SECONDS_TO_END = 30.0


class Host:
    """One of the two: a namespace with an address, and the processes in it.

    Args:
        name: the namespace's.
        address: its IPv4 address.
    """

    def __init__(self, name: str, address: str) -> None:
        self.name = name
        self.address = address
        self._started: list[subprocess.Popen[Any]] = []

    def popen(self, args: Sequence[str | Path], **options: Any) -> subprocess.Popen[Any]:
        """Start a program on this host; `options` are those of `subprocess.Popen`.

        The process itself runs in the namespace, so its number and signals are as usual. It is ended, and its
        pipes are closed, with the test at the latest.
        """
        process = subprocess.Popen(["ip", "netns", "exec", self.name, *map(str, args)], **options)
        self._started.append(process)
        return process

    def know(self, names: Mapping[str, str]) -> None:
        """Let programs that are started from now on find these names at these addresses."""
        files = _FILES / self.name
        files.mkdir(parents=True)
        lines = [f"{address} {name}\n" for name, address in names.items()]
        (files / "hosts").write_text("127.0.0.1 localhost\n" + "".join(lines), encoding="utf-8")

    def cut(self) -> None:
        """Take the address away: nothing arrives any more, and nobody is told."""
        self._ip("address", "flush", "dev", _CABLE)

    def mend(self) -> None:
        """Give the address back."""
        self._ip("address", "replace", f"{self.address}/24", "dev", _CABLE)

    def swallow(self, other: Host) -> None:
        """Let all that goes to the other host vanish on its way; as with `cut`, but no error comes either."""
        nobody = ["lladdr", "02:00:00:00:00:99", "nud", "permanent"]
        self._ip("neighbour", "replace", other.address, *nobody, "dev", _CABLE)

    def reset_connections(self) -> None:
        """Break all TCP connections over the cable: both ends get a reset at once."""
        kill = ["ss", "--tcp", "--kill", "--no-header", "--numeric", "src", self.address]
        with self.popen(kill, stdout=subprocess.PIPE, text=True) as ss:
            broken, _ = ss.communicate()
        assert ss.returncode == 0
        assert broken, f"{self.name} has no connections over the cable, or this kernel cannot end them"

    def pids(self) -> list[int]:
        """Return the processes that run on this host."""
        return [int(pid) for pid in _ip("netns", "pids", self.name).split()]

    def make(self) -> None:
        """Make the namespace."""
        _ip("netns", "add", self.name)
        self._ip("link", "set", "lo", "up")

    def connect(self, other: Host) -> None:
        """Lay the cable to another host."""
        self._ip("link", "add", _CABLE, "type", "veth", "peer", "name", _CABLE, "netns", other.name)
        for host in (self, other):
            host.mend()
            host._ip("link", "set", _CABLE, "up")

    def remove(self) -> None:
        """End what runs here, and remove the namespace."""
        for process in self._started:
            process.kill()
            with suppress(OSError), process:  # waits, and closes the pipes; what was to be written is lost
                pass
        deadline = time.monotonic() + _SECONDS_TO_END
        while pids := self.pids():
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                with suppress(ChildProcessError):  # a child's child
                    os.waitpid(pid, 0)
            time.sleep(0.01)
            assert time.monotonic() < deadline, f"the processes {pids} on {self.name} do not end"
        _ip("netns", "delete", self.name)
        shutil.rmtree(_FILES / self.name, ignore_errors=True)

    def _ip(self, *arguments: str) -> None:
        _ip("-netns", self.name, *arguments)


@pytest.fixture
def two_hosts() -> Iterator[tuple[Host, Host]]:
    """Give two hosts that reach each other."""
    with joined_hosts() as hosts:
        yield hosts


@contextmanager
def joined_hosts() -> Iterator[tuple[Host, Host]]:
    """Make two hosts that reach each other, for as long as the block lasts."""
    need_namespaces({"ip": "iproute2", "ss": "iproute2"})
    _remove_left_over()
    number = next(_NUMBERS)
    first, second = (
        Host(f"{_PREFIX}-{os.getpid()}-{number}{letter}", f"198.51.100.{octet}")
        for letter, octet in (("a", 1), ("b", 2))
    )
    with ExitStack() as stack:
        for host in (first, second):
            host.make()
            stack.callback(host.remove)
        first.connect(second)
        yield first, second


def need_namespaces(programs: Mapping[str, str]) -> None:
    """Skip the test where there are no namespaces for it, and fail it on the gate.

    Args:
        programs: what it needs, and the package of Debian and Ubuntu that brings it.
    """
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        packages = " ".join(sorted({programs[program] for program in missing}))
        reason = f"{' and '.join(missing)} missing (Debian, Ubuntu: sudo apt-get install {packages})"
    elif os.geteuid() != 0:
        reason = "only root can make network namespaces"
    else:
        trial = ["unshare", "--net", "true"]
        done = subprocess.run(trial, capture_output=True, text=True, check=False)
        reason = done.stderr.strip()  # a container without the right to it, for example
    if reason:
        leave_out(reason)


def _remove_left_over() -> None:
    """Remove the namespaces of runs that were killed, one test at a time."""
    with Path(f"/run/{_PREFIX}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in _names():
            prefix, _, made_by = name.rpartition("-")[0].rpartition("-")
            if prefix == _PREFIX and not Path(f"/proc/{made_by}").exists():
                Host(name, "").remove()


def _names() -> list[str]:
    return [line.split()[0] for line in _ip("netns", "list").splitlines()]


def _ip(*arguments: str) -> str:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ip {' '.join(arguments)}: {done.stderr.strip()}"
    return done.stdout
