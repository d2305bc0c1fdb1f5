"""A container's listening sockets."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.core.errors import LinkError, UsageError
from formicary.core.scratch import MARK, PREFIX, ScratchFolder
from formicary.core.systems import random_port
from formicary.transport.accepting import Acceptor
from formicary.transport.direct.half_open import HalfOpen
from formicary.transport.os_errors import reason_and

if TYPE_CHECKING:
    from collections import Counter

    from formicary.transport.addresses import TcpAddress
    from formicary.transport.direct.half_open import Welcome

LOOPBACK = "127.0.0.1"

_SOCKET = "direct"
_BACKLOG = 128
_LONGEST_PATH = 104  # bytes of a Unix socket's path on any system (Linux: 107)


class Listener:
    """A container's listening sockets; arguments as of `HalfOpen`."""

    def __init__(self, domain: str, welcome: Welcome, dropped: Counter[str]) -> None:
        self._acceptor = Acceptor(f"{domain} accepts no direct connections", dropped)
        self._welcome = welcome
        self._dropped = dropped
        self._folder: ScratchFolder | None = None
        self._sockets: list[socket.socket] = []
        self._tasks: list[asyncio.Task[None]] = []
        self.unix: str | None = None
        self.tcp: tuple[TcpAddress, ...] = ()

    async def open(
        self, listen: str | None, *, unix: str | None = None, tcp: tuple[TcpAddress, ...] = ()
    ) -> None:
        """Listen at a Unix socket and over TCP.

        Args:
            listen: the IP address or host name, with or without `:port`; None for loopback only.
            unix: the path of a former Unix socket, to use again if possible.
            tcp: former addresses, whose ports to use again if possible and `listen` names none.

        Raises:
            UsageError: `listen` is no address of this host.
            LinkError: the system refuses, with the cause.
        """
        try:
            places = await _resolve(listen or LOOPBACK)
            self._open_unix(unix)
            former = dict(tcp)
            self.tcp = tuple(self._open_tcp(family, address, former) for family, address in places)
        except BaseException:
            await self.close()
            raise
        self._tasks = [asyncio.create_task(self._accept(listening)) for listening in self._sockets]

    async def close(self) -> None:
        """Stop listening; close half-open connections."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for listening in self._sockets:
            listening.close()
        self._sockets.clear()
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    def _open_unix(self, former: str | None) -> None:
        if not hasattr(socket, "AF_UNIX"):
            return
        self._folder = (_former(Path(former)) if former is not None else None) or ScratchFolder.make()
        path = str(self._folder.path / _SOCKET)
        if len(os.fsencode(path)) > _LONGEST_PATH:
            return  # TCP only
        self.unix = path
        self._bind(socket.AF_UNIX, path)

    def _open_tcp(self, family: int, address: tuple[str, int], former: dict[str, int]) -> TcpAddress:
        """Listen over TCP; without a port, at the former one, or at one that a restart will find free."""
        ip, port = address
        for chosen in () if port else (former.get(ip) or random_port(), random_port()):
            with contextlib.suppress(OSError):
                self._bind(family, (ip, chosen))
                return ip, chosen
        try:
            listening = self._bind(family, address)
        except OSError as error:
            raise LinkError(
                f"cannot listen at {address[0]}, port {address[1]}: "
                f"{reason_and('use an address of this host and a free port', error)}"
            ) from None
        ip, port = listening.getsockname()[:2]
        return ip, port

    def _bind(self, family: int, address: str | tuple[str, int]) -> socket.socket:
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setblocking(False)
            if family != getattr(socket, "AF_UNIX", None):
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_BACKLOG)
        except BaseException:
            listening.close()
            raise
        self._sockets.append(listening)
        return listening

    async def _accept(self, listening: socket.socket) -> None:
        """Accept connections, but none while too many are half open.

        Each socket counts its own, so that members on this host can still use the Unix socket.
        """
        half_open = HalfOpen(self._welcome, self._dropped)

        async def let_go() -> None:
            await half_open.make_room(max(0, len(half_open) - 1))

        try:
            while True:
                connected, address = await self._acceptor.accept(listening, let_go)
                if connected.family != getattr(socket, "AF_UNIX", None):
                    # Asyncio does this only for sockets that it has accepted itself.
                    with contextlib.suppress(OSError):  # on some systems, if it has ended already
                        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                half_open.add(connected, address)
                await half_open.make_room()
        finally:
            await half_open.close()


def _former(path: Path) -> ScratchFolder | None:
    """Return the folder of a former Unix socket, without the socket; None if it cannot be used safely."""
    folder = path.parent
    if path.name != _SOCKET or not folder.name.startswith(PREFIX):
        return None
    try:
        # Anything else there belongs to somebody, and must not be removed with the folder.
        if folder.exists() and not {each.name for each in folder.iterdir()} <= {_SOCKET, MARK}:
            return None
        if path.exists() and (not path.is_socket() or _is_used(path)):
            return None
        claimed = ScratchFolder.claim(folder)
        if claimed is not None:
            path.unlink(missing_ok=True)
    except OSError:
        return None
    return claimed


def _is_used(path: Path) -> bool:
    """Return whether a process listens at a Unix socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        except OSError:
            return True
        return True


async def _resolve(listen: str) -> list[tuple[int, tuple[str, int]]]:
    host, port = _part(listen)
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise UsageError(
            f"cannot find host {host!r} to listen at; use an IP address of this host, such as {LOOPBACK}"
        ) from None
    places = list(dict.fromkeys((family, (address[0], address[1])) for family, _, _, _, address in found))
    if any(ipaddress.ip_address(str(address[0]).partition("%")[0]).is_unspecified for _, address in places):
        raise UsageError(
            f"{host} stands for every address, and others cannot connect to it; use the address at "
            "which they reach this host"
        )
    return [(family, (str(address[0]), int(address[1]))) for family, address in places]


def _part(listen: str) -> tuple[str, int]:
    """Split host and port; an IPv6 address with a port is in brackets."""
    host, port = listen, "0"
    if listen.startswith("["):
        host, _, port = listen[1:].partition("]")
        port = port.removeprefix(":") or "0"
    elif listen.count(":") == 1:
        host, _, port = listen.partition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:  # noqa: PLR2004 -- ports
        raise UsageError(
            f"{listen!r} is not an address to listen at; use an address, or address and port, such "
            f"as {LOOPBACK}:5400"
        )
    return host, int(port)
