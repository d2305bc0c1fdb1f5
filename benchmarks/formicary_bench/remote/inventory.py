"""The hosts in hosts.toml, and its reader, which lists all mistakes in one error."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from formicary.errors import UsageError
from formicary_bench.files import toml_files
from formicary_bench.files.toml_files import guess, shown
from formicary_bench.remote.inventory_values import CONTAINERS, KINDS, OWN, SERVER, check_name, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from formicary_bench.files.toml_files import TomlFile


__all__ = ["CONTAINERS", "SERVER", "Host", "Inventory", "choose", "load"]


@dataclass(frozen=True, kw_only=True)
class Host:
    """One host.

    Attributes:
        name: its name in the file, in tables and in messages.
        line: its line in the file.

    The others are the keys of the file, as in `docs/hosts.md`.
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
    """One or more hosts, in the order of their `source`: a file's path, or `job 17`."""

    source: str
    hosts: tuple[Host, ...]


def choose(inventory: Inventory, words: Sequence[str]) -> tuple[Host, ...]:
    """Return the hosts with these names and of these groups, in the order of the file; without words, all.

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


def load(path: Path) -> Inventory:
    """Read an inventory.

    Args:
        path: the file; relative paths in it start from its folder.

    Raises:
        UsageError: it cannot be read, or has mistakes; names all of them.
    """
    file = toml_files.read(path, _WORDING)
    reader = _Reader(path.absolute().parent, file)
    hosts = reader.hosts(file.document)
    file.refuse()
    return Inventory(str(path), tuple(hosts))


class _Reader:
    """Reads hosts from a file, and collects its mistakes."""

    def __init__(self, folder: Path, file: TomlFile) -> None:
        self._folder = folder
        self._complain = file.complain
        self._noting = file.noting
        self._line = file.line

    def hosts(self, document: Mapping[str, Any]) -> list[Host]:
        """Return the hosts; invalid if the file has mistakes."""
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
        """Return the valid values in the table of a host, or of `defaults`."""
        if not isinstance(table, dict):
            self._complain(where, f"{shown(table)} is no table; {_HOW}")
            return {}
        found = {}
        for key, value in table.items():
            if key not in KINDS:
                self._complain((*where, key), f"there is no such key{guess(key, KINDS) or _KEYS}")
            elif key in OWN and where == ("defaults",):
                self._complain((*where, key), "each host has its own; write it there")
            else:
                with self._noting(*where, key):
                    found[key] = value_of(key, value, self._folder)
        return found

    def _check_addresses(self, hosts: Sequence[Host]) -> None:
        first: dict[tuple[str, int, str], str] = {}
        for host in hosts:
            # Hosts behind different jump hosts may have the same address.
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
    """Yield each host on the way to one, once."""
    seen: set[str] = set()
    while (name := jumps.get(name, "")) and name not in seen:
        seen.add(name)
        yield name
