"""The file hosts.toml: which hosts there are, and how each is reached."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.files.toml_files import guess, shown
from formicary_bench.remote.inventory_values import CONTAINERS, SERVER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["CONTAINERS", "SERVER", "Host", "Inventory", "choose", "load"]


@dataclass(frozen=True, kw_only=True)
class Host:
    """One host.

    Attributes:
        name: what it is called in the file, in tables and in messages.
        address: its host name or IP address.
        port: TCP port of its SSH server.
        user: who logs in; the one who runs the controller if empty.
        key: file with the private key; SSH's usual ones and its agent if None.
        known_hosts: file with the keys of servers; the user's own if None.
        jump: name of the host by way of which it is reached; straight if empty.
        python: the interpreter with which `formicary hosts prepare` makes the environment there.
        venv: an environment there in which formicary is installed already; the one that `prepare` makes if
            empty.
        folder: where everything of ours is kept there.
        roles: what it is for, of CONTAINERS and SERVER.
        groups: names by which several hosts are chosen at once.
        environment: environment variables for what is started there.
        interface: the network interface whose traffic is measured; the one that `listen` is at if empty.
        listen: IP address at which its containers and servers are reached by other hosts; where `address`
            leads if empty.
        line: where in the file it is.
    """

    name: str
    address: str
    port: int = 22
    user: str = ""
    key: Path | None = None
    known_hosts: Path | None = None
    jump: str = ""
    python: str = "python3"
    venv: str = ""
    folder: str = "~/.local/share/formicary"
    roles: tuple[str, ...] = (CONTAINERS, SERVER)
    groups: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    interface: str = ""
    listen: str = ""
    line: int = 0


@dataclass(frozen=True)
class Inventory:
    """All hosts of a file, in its order.

    Attributes:
        source: what says which hosts there are: the file's path, or `job 17`.
        hosts: the hosts; at least one.
    """

    source: str
    hosts: tuple[Host, ...]


def load(path: Path) -> Inventory:
    """Read an inventory.

    Args:
        path: the file; relative paths in it are meant from its folder.

    Raises:
        UsageError: it cannot be read, or there is something wrong with it: all of that.
    """
    from formicary_bench.remote.inventory_file import read

    return Inventory(str(path), read(path))


def choose(inventory: Inventory, words: Sequence[str]) -> tuple[Host, ...]:
    """Return the hosts that are meant by names of hosts and groups, in the order of the file.

    Args:
        inventory: all hosts.
        words: the names; all hosts if there are none.

    Raises:
        UsageError: there is no such host or group.
    """
    if not words:
        return inventory.hosts
    known = {word for host in inventory.hosts for word in (host.name, *host.groups)}
    for word in words:
        if word not in known:
            near = guess(word, sorted(known)) or f"; there are {', '.join(sorted(known)[:10])}"
            raise UsageError(f"{inventory.source} has no host or group {shown(word)}{near}")
    return tuple(host for host in inventory.hosts if {host.name, *host.groups} & set(words))
