"""A federation: several servers, one per host, that form one platform, with their containers.

Every container's domain is a component of exactly one server, and every server knows all others' addresses,
from `federation.json` in its state folder, written by `formicary server config --federate`.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from formicary.core import names
from formicary.core.errors import InvalidNameError, ServerError, UsageError
from formicary.core.private import read_private

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.server.folder import StateFolder

S2S_PORT = 5269
"""TCP port at which servers listen for each other by default, as registered with IANA."""

_FORMAT = 1
_LONGEST = 1 << 24  # bytes of the file
_HIGHEST_PORT = 65535
_FORM = "NAME=CONTAINER,CONTAINER@IP-ADDRESS"


@dataclass(frozen=True, slots=True)
class Member:
    """A server of a federation.

    Attributes:
        name: its own name; its domain is this below the platform's.
        containers: names of the containers that connect to it.
        address: IP address at which it listens for the other servers.
        port: TCP port at `address`.
    """

    name: str
    containers: tuple[str, ...]
    address: str
    port: int = S2S_PORT

    def domains(self, platform: str) -> list[str]:
        """Return its domains: its own and its containers'."""
        return [f"{name}.{platform}" for name in (self.name, *self.containers)]

    @property
    def endpoint(self) -> str:
        """Address and port as one text."""
        address = f"[{self.address}]" if ":" in self.address else self.address
        return f"{address}:{self.port}"


@dataclass(frozen=True, slots=True)
class Federation:
    """A federation as one server sees it.

    Attributes:
        platform: the domain below which all names are.
        me: the server's own name.
        members: all servers, including this one.
        format: version of the file's format.
    """

    platform: str
    me: str
    members: tuple[Member, ...]
    format: int = _FORMAT

    @property
    def own(self) -> Member:
        """This server."""
        return next(member for member in self.members if member.name == self.me)

    @property
    def domain(self) -> str:
        """The domain of this server."""
        return f"{self.me}.{self.platform}"

    def routes(self) -> dict[str, Member]:
        """Return the other servers by domain."""
        return {
            domain: member
            for member in self.members
            if member.name != self.me
            for domain in member.domains(self.platform)
        }

    def check(self, container: str) -> None:
        """Check that a container belongs to this server.

        Raises:
            ServerError: it belongs to another server, or to none.
        """
        if container in self.own.containers:
            return
        for member in self.members:
            if container in member.containers:
                raise ServerError(
                    f"the container {container!r} belongs to the server {member.name} at {member.endpoint}, "
                    f"not to {self.me}; start it on that host"
                )
        raise ServerError(
            f"no server of the federation has a container {container!r}; list it in a --federate of "
            "formicary server config, and copy the new folders to all hosts"
        )


def parse_member(text: str) -> Member:
    """Parse a server from a text such as `a=c1,c2@192.0.2.1`, optionally with `:PORT`.

    Raises:
        InvalidNameError: a name is invalid.
        UsageError: the text is malformed, or a server cannot listen at the address.
    """
    name, equals, rest = text.partition("=")
    containers, at, endpoint = rest.rpartition("@")
    if not (equals and at):
        raise UsageError(f"--federate {text} is not of the form {_FORM}, as in a=c1,c2@192.0.2.1")
    address, port = _parse_endpoint(endpoint)
    wanted = tuple(names.check_container(container.strip()) for container in containers.split(","))
    return Member(names.check_container(name.strip()), wanted, address, port)


def _parse_endpoint(text: str) -> tuple[str, int]:
    host, port = text, str(S2S_PORT)
    if text.startswith("["):
        host, _, port = text[1:].partition("]")
        port = port.removeprefix(":") or str(S2S_PORT)
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        raise UsageError(
            f"{host!r} in --federate is not an IP address; use the one at which that host's server "
            "listens and the others reach it"
        ) from None
    if address.is_unspecified or address.is_multicast:
        raise UsageError(f"{host} is not a single address; use the one at which that host's server listens")
    if not port.isdecimal() or not 1 <= int(port) <= _HIGHEST_PORT:
        raise UsageError(f"{port!r} in --federate is not a TCP port; choose one from 1024 to {_HIGHEST_PORT}")
    return str(address), int(port)


def check_members(members: Sequence[Member], platform: str) -> None:
    """Check that servers can form a federation.

    Raises:
        InvalidNameError: the platform's domain is none.
        UsageError: they cannot, with the reason.
    """
    names.check_platform(platform)
    if len(members) < 2:  # noqa: PLR2004 -- two is what the word says
        raise UsageError("a federation has two or more servers; repeat --federate for each of them")
    seen: dict[str, str] = {}
    for member in members:
        for name in (member.name, *member.containers):
            names.check_platform(f"{name}.{platform}")  # checks the length
            if name in seen:
                raise UsageError(
                    f"the name {name!r} is given twice, at the servers {seen[name]} and "
                    f"{member.name}; every server and container needs its own name"
                )
            seen[name] = member.name
    endpoints = [member.endpoint for member in members]
    for endpoint in endpoints:
        if endpoints.count(endpoint) > 1:
            raise UsageError(f"two servers would listen at {endpoint}; give each its own address or port")


def read_federation(folder: StateFolder) -> Federation | None:
    """Return a server's federation; None if it has none.

    Raises:
        ServerError: the file cannot be read or is invalid.
    """
    path = folder.federation
    try:
        found = msgspec.json.decode(read_private(path, _LONGEST), type=Federation)
        names.check_platform(found.domain)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ServerError(f"{path} cannot be read ({error.strerror})") from error
    except (msgspec.DecodeError, UnicodeDecodeError, InvalidNameError) as error:
        raise ServerError(
            f"{path} is damaged ({error}); recreate it with: formicary server config --federate ..."
        ) from error
    if found.format != _FORMAT or found.me not in {member.name for member in found.members}:
        raise ServerError(
            f"{path} is from another version of Formicary; recreate it with: formicary server "
            "config --federate ..."
        )
    return found
