"""The file hosts.toml: which hosts there are, how each is reached, and how the file is read.

All that is wrong with a file is found at once, and said in one error: the line, the key, and what to write
in the place of what is there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from formicary.errors import UsageError
from formicary_bench.files import toml_files
from formicary_bench.files.toml_files import guess, shown
from formicary_bench.remote.inventory_values import CONTAINERS, KINDS, SERVER, check_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from formicary_bench.files.toml_files import TomlFile


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


_TABLES = ("defaults", "hosts")
_HOW = "write a table [hosts.NAME] with its address for each host"
_WORDING = toml_files.FileWording(
    what="an inventory",
    example="hosts.toml",
    instead="give the path of your inventory, or make hosts and their inventory on this machine with "
    "`formicary hosts lab up`",
    lists="hosts",
    lines="[hosts.a] and port = 22",
    how=_HOW,
)
_KEYS = f"; there are {', '.join(KINDS)}"


def read(path: Path) -> tuple[Host, ...]:
    """Read an inventory.

    Args:
        path: the file; relative paths in it are meant from its folder.

    Raises:
        UsageError: it cannot be read, or there is something wrong with it: all of that.
    """
    file = toml_files.read(path, _WORDING)
    reader = _Reader(path.absolute().parent, file)
    hosts = reader.hosts(file.document)
    file.refuse()
    return tuple(hosts)


class _Reader:
    """Makes hosts of what the file says, and notes what is wrong with it."""

    def __init__(self, folder: Path, file: TomlFile) -> None:
        self._folder = folder
        self._complain = file.complain
        self._noting = file.noting
        self._line = file.line

    def hosts(self, document: Mapping[str, Any]) -> list[Host]:
        """Return the hosts; they mean something if there are no problems."""
        for key in document.keys() - set(_TABLES):
            self._complain((key,), f"there is no such table{guess(key, _TABLES) or f'; {_HOW}'}")
        defaults = self._values(document.get("defaults", {}), ("defaults",))
        tables = document.get("hosts", {})
        if not isinstance(tables, dict):
            self._complain(("hosts",), f"{shown(tables)} has no hosts; {_HOW}")
            return []
        hosts = [self._host(name, table, defaults) for name, table in tables.items()]
        if not hosts:
            self._complain((), f"there are no hosts; {_HOW}")
        elif not any(CONTAINERS in host.roles for host in hosts):
            self._complain((), f"no host may have agents; give one the role {CONTAINERS}")
        self._check_addresses(hosts)
        self._check_jumps(hosts)
        self._check_groups(hosts)
        return hosts

    def _host(self, name: str, table: Any, defaults: Mapping[str, Any]) -> Host:
        where = ("hosts", name)
        with self._noting(*where):
            check_name(name)
        found = self._values(table, where)
        if isinstance(table, dict) and "address" not in table:
            self._complain(where, 'the address is missing; write one, such as address = "192.0.2.7"')
        values = {"address": "", **defaults, **found}
        if "environment" in defaults and "environment" in found:
            values["environment"] = {**defaults["environment"], **found["environment"]}
        return Host(name=name, line=self._line(where), **values)

    def _values(self, table: Any, where: tuple[str, ...]) -> dict[str, Any]:
        """Return the values that a table has for the keys of a host; those that are wrong are left out."""
        if not isinstance(table, dict):
            self._complain(where, f"{shown(table)} is no table; {_HOW}")
            return {}
        found = {}
        for key, value in table.items():
            if key not in KINDS:
                self._complain((*where, key), f"there is no such key{guess(key, KINDS) or _KEYS}")
            elif KINDS[key].is_own and where == ("defaults",):
                self._complain((*where, key), "each host has its own; write it there")
            else:
                with self._noting(*where, key):
                    found[key] = KINDS[key].value(value, self._folder)
        return found

    def _check_addresses(self, hosts: Sequence[Host]) -> None:
        first: dict[tuple[str, int, str], str] = {}
        for host in hosts:
            # What is behind a jump host may have the address of something that is behind another.
            place = (host.address.lower().rstrip("."), host.port, host.jump)
            before = first.setdefault(place, host.name)
            if host.address and before != host.name:
                self._complain(
                    ("hosts", host.name, "address"),
                    f"{host.address} with port {host.port} is the host {before}; leave one of them out",
                )

    def _check_jumps(self, hosts: Sequence[Host]) -> None:
        jumps = {host.name: host.jump for host in hosts}
        for host in hosts:
            where = ("hosts", host.name, "jump")
            if host.jump and host.jump not in jumps:
                self._complain(
                    where, f"there is no host {host.jump}{guess(host.jump, jumps) or '; add it to this file'}"
                )
            elif host.name in _way(host.name, jumps):
                self._complain(
                    where,
                    f'the way to {host.name} leads over itself; write jump = "" if it is reached straight',
                )

    def _check_groups(self, hosts: Sequence[Host]) -> None:
        names = {host.name for host in hosts}
        for host in hosts:
            for group in names.intersection(host.groups):
                self._complain(
                    ("hosts", host.name, "groups"), f"{group} is a host; give the group another name"
                )


def _way(name: str, jumps: Mapping[str, str]) -> Iterator[str]:
    """Yield the hosts that the way to one leads over, each once."""
    seen: set[str] = set()
    while (name := jumps.get(name, "")) and name not in seen:
        seen.add(name)
        yield name
