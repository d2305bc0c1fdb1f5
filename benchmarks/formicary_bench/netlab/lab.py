"""What a lab consists of: all its names and addresses follow from a few facts."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
from typing import TYPE_CHECKING

import msgspec

from formicary.core.files import user_state

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
