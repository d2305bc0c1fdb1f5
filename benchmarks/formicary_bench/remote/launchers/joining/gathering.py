"""The controller's side of hosts that join: a place where they meet, and who has come."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Self

import msgspec

from formicary.errors import FormicaryError
from formicary.transport.direct.identity import Identity
from formicary_bench.remote.launchers.joining.meeting import Joined, Meeting, Welcome, write_meeting

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_SECONDS_TO_GREET = 10.0
_MOST_AT_ONCE = 256  # connections that have not said yet who they are
_LONGEST = 1 << 12  # bytes of what a host says first


class Arrived(NamedTuple):
    """A host that has joined.

    Attributes:
        said: what it says of itself.
        address: the IP address that it came from.
        reader: what it says further.
        writer: what it reads.
    """

    said: Joined
    address: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class Gathering:
    """Listens for hosts at one address, and writes the file by which they find it; `async with` is its life.

    Args:
        names: those that are expected.
        address: the IP address to listen at.
        path: the file.
    """

    def __init__(self, names: Iterable[str], address: str, path: Path) -> None:
        self._arrivals: dict[str, asyncio.Future[Arrived]] = {name: asyncio.Future() for name in names}
        self._address = address
        self._path = path
        self._secret = secrets.token_bytes(32)
        self._unknown = 0
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        identity = Identity.make()
        self._server = await asyncio.start_server(
            self._greet,
            self._address,
            0,
            ssl=identity.accepting(),
            ssl_handshake_timeout=_SECONDS_TO_GREET,
            limit=_LONGEST,
        )
        port = self._server.sockets[0].getsockname()[1]
        try:
            write_meeting(
                self._path,
                Meeting(
                    address=self._address, port=port, fingerprint=identity.fingerprint, secret=self._secret
                ),
            )
        except FormicaryError:
            self._server.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self._path.unlink(missing_ok=True)
        if self._server is not None:
            self._server.close()
        for arrival in self._arrivals.values():
            if arrival.done() and not arrival.cancelled():
                arrival.result().writer.close()
            arrival.cancel()

    async def arrival(self, name: str) -> Arrived:
        """Wait for a host; after cancellation it may still come."""
        return await asyncio.shield(self._arrivals[name])

    def is_here(self, name: str) -> bool:
        """Say whether a host has come."""
        return self._arrivals[name].done()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._unknown >= _MOST_AT_ONCE:
            writer.close()
            return
        self._unknown += 1
        try:
            async with asyncio.timeout(_SECONDS_TO_GREET):
                said = msgspec.json.decode(await reader.readline(), type=Joined)
        except (OSError, TimeoutError, ValueError, msgspec.DecodeError):
            writer.close()
            return
        finally:
            self._unknown -= 1
        self._take(Arrived(said, writer.get_extra_info("peername")[0], reader, writer))

    def _take(self, arrived: Arrived) -> None:
        said, writer = arrived.said, arrived.writer
        arrival = self._arrivals.get(said.name)
        if not hmac.compare_digest(said.secret, self._secret):
            refused = "the secret is that of another meeting"
        elif arrival is None:
            refused = f"the host {said.name} is not one of this run's: {', '.join(self._arrivals)}"
        elif arrival.done():
            refused = f"another program has joined for the host {said.name}"
        else:
            refused = ""
        with suppress(OSError):
            writer.write(msgspec.json.encode(Welcome(refused=refused)) + b"\n")
        if refused or arrival is None:
            writer.close()
        else:
            arrival.set_result(arrived)
