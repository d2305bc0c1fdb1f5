"""The parts of a lab, and its folder, which is private (mode 0700): it holds the key to the hosts."""

from __future__ import annotations

import fcntl
import hashlib
import ipaddress
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from formicary.core.files import user_state, write_private
from formicary.core.private import make_private_folder, read_private
from formicary_bench.netlab import LabError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


INTERFACE = "lab0"
"""The network interface of each host."""

BRIDGE = "bridge"
"""The bridge, in the namespace of the switch."""

CONTROLLER = "controller"
"""The bridge's port to this machine."""

PREFIX = "formicary-lab"


class LabHost(msgspec.Struct, frozen=True):
    """A host of a lab: its name, also that of the bridge's port to it, network namespace and IP address."""

    name: str
    namespace: str
    address: str


class Lab(msgspec.Struct, frozen=True):
    """A lab, as its folder records it.

    Attributes:
        mark: part of all its names, to tell labs apart.
        count: the number of hosts.
        subnet: the addresses of the hosts and this machine.
        rate: the bandwidth of each host, as of `tc`; empty for no limit.
        delay: the delay of each host's packets, as of `tc`; empty for none.
        made: whether it is complete; written last.
    """

    mark: str
    count: int
    subnet: str
    rate: str = ""
    delay: str = ""
    made: bool = False

    @property
    def hosts(self) -> Sequence[LabHost]:
        first = ipaddress.ip_network(self.subnet)[1]
        return [
            LabHost(f"lab-{number}", f"{stem(self.mark)}-{number}", str(first + number))
            for number in range(1, self.count + 1)
        ]

    @property
    def switch(self) -> str:
        """The namespace of the bridge, out of reach of this machine's firewall."""
        return f"{stem(self.mark)}-switch"

    @property
    def cable(self) -> str:
        """This machine's network interface to the hosts."""
        return cable(self.mark)

    @property
    def address(self) -> str:
        """The IP address of this machine, as the hosts see it."""
        return str(ipaddress.ip_network(self.subnet)[1])


def default_folder() -> Path:
    return user_state() / "lab"


def mark_of(folder: Path) -> str:
    """Return the mark of a folder's lab, which does not depend on the folder's files."""
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]


def stem(mark: str) -> str:
    """Return the prefix of a lab's namespaces."""
    return f"{PREFIX}-{mark}"


def cable(mark: str) -> str:
    """Return the name of the network interface to a lab; at most 15 characters."""
    return f"fl-{mark}"


def is_of(mark: str, namespace: str) -> bool:
    """Return whether a namespace belongs to a lab."""
    return re.fullmatch(rf"{stem(mark)}-(\d{{1,3}}|switch|trial)", namespace) is not None


_OURS = ("lab.json", "hosts.toml", "known_hosts", "authorized_keys", "key", "sshd-*", "host-key-*", ".*.part")

_LONGEST = 1 << 20  # bytes of lab.json


class LabFolder:
    """The files of a lab.

    Args:
        where: the folder; None for the default.

    Raises:
        LabError: it begins with the home of an unknown user.
    """

    def __init__(self, where: Path | None) -> None:
        try:
            self.path = _real(where or default_folder())
        except RuntimeError as error:
            raise LabError(
                f"the folder {where} does not exist ({error}); choose another one with --folder"
            ) from None

    @property
    def mark(self) -> str:
        return mark_of(self.path)

    @property
    def inventory(self) -> Path:
        return self.path / "hosts.toml"

    @property
    def key(self) -> Path:
        """The private key to the hosts."""
        return self.path / "key"

    @property
    def known_hosts(self) -> Path:
        """The public keys of the hosts' SSH servers."""
        return self.path / "known_hosts"

    @property
    def option(self) -> str:
        """The option for this folder; empty if it is the default."""
        return "" if self.path == _real(default_folder()) else f" --folder {self.path}"

    def host(self, name: str, what: str) -> Path:
        """Return a file of one host's SSH server: `config`, `pid` or `log`."""
        return self.path / f"sshd-{name}.{what}"

    def host_key(self, name: str) -> Path:
        """Return the private key of one host's SSH server."""
        return self.path / f"host-key-{name}"

    def prepare(self) -> None:
        """Make the folder private; create it if needed.

        Raises:
            LabError: it cannot be made or written, holds other files, or has a path that sshd cannot read.
        """
        if not str(self.path).isprintable() or set(str(self.path)) & set('"%\\'):
            raise LabError(
                f"the path of the lab's folder, {str(self.path)!r}, has characters that an SSH server's "
                'configuration cannot have; choose a folder without ", %, \\ and control characters'
            )
        with self._understood("written"):
            make_private_folder(self.path)
            others = {path.name for path in self.path.iterdir()} - {path.name for path in self._files()}
            if others:
                raise LabError(
                    f"{self.path} holds other files, such as {min(others)}; choose a new or empty folder "
                    "with --folder"
                )
            self.path.chmod(0o700)

    def read(self) -> Lab | None:
        """Return the recorded lab; None if there is no valid one. Raise a LabError if it cannot be read."""
        with self._understood("read"):
            try:
                return msgspec.json.decode(read_private(self.path / "lab.json", _LONGEST), type=Lab)
            except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
                return None

    def write(self, lab: Lab) -> None:
        """Record a lab; raise a LabError if that fails."""
        self.save(self.path / "lab.json", msgspec.json.encode(lab))

    def save(self, path: Path, content: bytes) -> None:
        """Write a private file; raise a LabError if that fails."""
        with self._understood("written"):
            write_private(path, content)

    def remove(self, *, is_lab: bool = False) -> bool:
        """Remove our files, and the folder if it is empty then; return whether there were any.

        Args:
            is_lab: whether it is a lab's folder even without files.

        Raises:
            LabError: something cannot be removed.
        """
        with self._understood("removed"):
            files = self._files()
            for path in sorted(files, key=lambda path: path.name == "lab.json"):  # it goes last
                path.unlink(missing_ok=True)
            if (files or is_lab) and self.path.is_dir() and not any(self.path.iterdir()):
                self.path.rmdir()
        return bool(files)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the existing folder; raise a LabError if another command has it."""
        with self._understood("read"):
            descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise LabError(
                    f"another command is creating or removing the lab in {self.path}: wait until it "
                    "has finished"
                ) from None
            yield
        finally:
            os.close(descriptor)

    def _files(self) -> list[Path]:
        return [path for pattern in _OURS for path in self.path.glob(pattern)]

    @contextmanager
    def _understood(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LabError(
                f"the lab's folder {self.path} cannot be {what} ({error.strerror}); "
                "choose another one with --folder"
            ) from error


def _real(path: Path) -> Path:
    # The lab's names come from it, so it must be unique.
    return Path(os.path.realpath(path.expanduser()))
