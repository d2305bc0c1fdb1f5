"""Hosts on one machine that SSH reaches: a lab of `formicary hosts lab`, for the time of a test.

    def test_something(lab):
        first, second = lab.hosts
        subprocess.run(["formicary", "hosts", "check", lab.inventory])
        first.cut()

`lab` has two hosts; `make_lab(3, rate="100mbit")` makes others, several at once if wanted. All ends with the
test, also what a test run that was killed has left. Making them needs root, iproute2 and OpenSSH's server;
where that is missing the test is skipped, on the gate it fails.
"""

from __future__ import annotations

import itertools
import os
import shutil
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
from tests.plugins.namespaces import need_namespaces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FOLDERS = Path("/run")  # that of a lab is named after the process that made it, and a number
_PREFIX = "formicary-test-lab"
_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class LabHost:
    """One host.

    Attributes:
        name: in the inventory.
        namespace: its network namespace.
        address: its IP address, at which an sshd listens.
        switch: the namespace of the lab's bridge.
    """

    name: str
    namespace: str
    address: str
    switch: str

    def cut(self) -> None:
        """Pull its cable out at the switch: nothing arrives any more, and nobody is told."""
        self._port("nomaster")

    def mend(self) -> None:
        """Plug it in again."""
        self._port("master", "bridge")

    def pids(self) -> list[int]:
        """Return the processes that run on this host, the SSH server among them."""
        from formicary_bench.netlab import status

        return status.on(self.namespace)

    def _port(self, *change: str) -> None:
        from formicary_bench.netlab.network import ip

        ip("-netns", self.switch, "link", "set", self.name, *change)


@dataclass(frozen=True)
class Lab:
    """A lab that is up.

    Attributes:
        inventory: its hosts.toml.
        hosts: its hosts.
        address: of this machine, as the hosts see it.
    """

    inventory: Path
    hosts: Sequence[LabHost]
    address: str

    @property
    def folder(self) -> Path:
        """Its state folder."""
        return self.inventory.parent


class MakeLab(Protocol):
    """What the fixture `make_lab` gives."""

    def __call__(self, count: int = 2, rate: str = "") -> Lab:
        """Make a lab."""


@pytest.fixture
def make_lab() -> Iterator[MakeLab]:
    """Give a function that makes labs."""
    with ExitStack() as stack:

        def make(count: int = 2, rate: str = "") -> Lab:
            return stack.enter_context(laboratory(count, rate))

        yield make


@pytest.fixture
def lab(make_lab: MakeLab) -> Lab:
    """Give a lab with two hosts."""
    return make_lab()


@contextmanager
def laboratory(count: int, rate: str = "") -> Iterator[Lab]:
    """Make a lab, for as long as the block lasts."""
    need_namespaces({"ip": "iproute2", "tc": "iproute2", "sshd": "openssh-server"})
    from formicary_bench.netlab.folder import LabFolder
    from formicary_bench.netlab.make import down, up

    _remove_left_over()
    folder = LabFolder(_FOLDERS / f"{_PREFIX}-{os.getpid()}-{next(_NUMBERS)}")
    try:
        status, _ = up(folder.path, count, rate)
        made = folder.read()
        assert made is not None
        hosts = [LabHost(host.name, host.namespace, host.address, made.switch) for host in made.hosts]
        yield Lab(folder.inventory, hosts, status.address)
    finally:
        down(folder.path)
        _remove_files(folder.path)


def _remove_left_over() -> None:
    """Remove the labs of runs that were killed."""
    from formicary_bench.netlab import LabError
    from formicary_bench.netlab.make import down

    for folder in _FOLDERS.glob(f"{_PREFIX}-*-*"):
        made_by = folder.name.split("-")[-2]
        if not Path(f"/proc/{made_by}").exists():
            with suppress(LabError):  # another run is removing it at this moment
                down(folder)
                _remove_files(folder)


def _remove_files(folder: Path) -> None:
    """Remove what tests have written beside the lab's own files, which are gone."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
