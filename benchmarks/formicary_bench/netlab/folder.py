"""What a lab consists of, and its folder: which file is where, and what commands remember of it.

It belongs to its user alone (mode 0700): it holds the key to the hosts.
"""

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
    """One host of a lab.

    Attributes:
        name: in the inventory, and the name of the bridge's port to it.
        namespace: its network namespace.
        address: its IP address.
    """

    name: str
    namespace: str
    address: str


class Lab(msgspec.Struct, frozen=True):
    """A lab, as its state folder remembers it.

    Attributes:
        mark: stands in all names of the lab, so that there may be several.
        count: of hosts.
        subnet: the addresses of the hosts, and of this machine among them.
        rate: what each host can send, as `tc` takes it; no limit if empty.
        delay: how long packets of a host are on their way, as `tc` takes it; none if empty.
        made: whether all of it is there; written last.
    """

    mark: str
    count: int
    subnet: str
    rate: str = ""
    delay: str = ""
    made: bool = False

    @property
    def hosts(self) -> Sequence[LabHost]:
        """The hosts, in order."""
        first = ipaddress.ip_network(self.subnet)[1]
        return [
            LabHost(f"lab-{number}", f"{stem(self.mark)}-{number}", str(first + number))
            for number in range(1, self.count + 1)
        ]

    @property
    def switch(self) -> str:
        """The namespace of the bridge: there, no firewall of this machine's decides about its packets."""
        return f"{stem(self.mark)}-switch"

    @property
    def cable(self) -> str:
        """The network interface of this machine that leads to the hosts."""
        return cable(self.mark)

    @property
    def address(self) -> str:
        """The IP address of this machine, as the hosts see it."""
        return str(ipaddress.ip_network(self.subnet)[1])


def default_folder() -> Path:
    """Return the folder of the lab of a user who names none."""
    return user_state() / "lab"


def mark_of(folder: Path) -> str:
    """Return the mark of the lab of a folder: it is known even where the folder's files are lost."""
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]


def stem(mark: str) -> str:
    """Return what the namespaces of a lab begin with."""
    return f"{PREFIX}-{mark}"


def cable(mark: str) -> str:
    """Return the name of the network interface that leads to a lab; the kernel takes 15 characters."""
    return f"fl-{mark}"


def is_of(mark: str, namespace: str) -> bool:
    """Return whether a namespace belongs to the lab with this mark."""
    return re.fullmatch(rf"{stem(mark)}-(\d{{1,3}}|switch|trial)", namespace) is not None


_OURS = ("lab.json", "hosts.toml", "known_hosts", "authorized_keys", "key", "sshd-*", "host-key-*", ".*.part")

_LONGEST = 1 << 20  # bytes of what is remembered


class LabFolder:
    """The files of one lab.

    Args:
        where: the folder; the one in the user's home if None.

    Raises:
        LabError: it begins with the home of a user that there is not.
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
        """The mark of its lab."""
        return mark_of(self.path)

    @property
    def inventory(self) -> Path:
        """The inventory of the hosts."""
        return self.path / "hosts.toml"

    @property
    def key(self) -> Path:
        """The private key with which the hosts are reached."""
        return self.path / "key"

    @property
    def known_hosts(self) -> Path:
        """The public keys of the hosts' SSH servers."""
        return self.path / "known_hosts"

    @property
    def option(self) -> str:
        """What to add to a command that is to mean this folder: nothing if it is the default."""
        return "" if self.path == _real(default_folder()) else f" --folder {self.path}"

    def host(self, name: str, what: str) -> Path:
        """Return a file of one host's SSH server: `config`, `pid` or `log`."""
        return self.path / f"sshd-{name}.{what}"

    def host_key(self, name: str) -> Path:
        """Return the private key of one host's SSH server."""
        return self.path / f"host-key-{name}"

    def prepare(self) -> None:
        """Make the folder, or take over an empty one, or one with our files; private in all cases.

        Raises:
            LabError: it cannot be made or written, holds other things, or has a path that sshd cannot read.
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
        """Return the lab that is remembered; None if there is none, or none that can be understood.

        Raises:
            LabError: the file cannot be read.
        """
        with self._understood("read"):
            try:
                return msgspec.json.decode(read_private(self.path / "lab.json", _LONGEST), type=Lab)
            except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
                return None

    def write(self, lab: Lab) -> None:
        """Remember a lab.

        Raises:
            LabError: the file cannot be written.
        """
        self.save(self.path / "lab.json", msgspec.json.encode(lab))

    def save(self, path: Path, content: bytes) -> None:
        """Write a file that is read by its owner alone.

        Raises:
            LabError: it cannot be written.
        """
        with self._understood("written"):
            write_private(path, content)

    def remove(self, *, is_lab: bool = False) -> bool:
        """Remove what is ours, and the folder if nothing else is in it; return whether there was anything.

        Args:
            is_lab: whether it is a lab's folder also where it is empty, as one is at first.

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
        """Keep other commands from the same lab meanwhile; the folder must be there.

        Raises:
            LabError: another command is at it.
        """
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
    # The lab's names come from it, so there must be one way only to write it.
    return Path(os.path.realpath(path.expanduser()))
