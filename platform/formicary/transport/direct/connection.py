"""An open connection between two containers: frames out, frames in. The hot path: measure before a change."""

from __future__ import annotations

import asyncio
from struct import Struct
from typing import TYPE_CHECKING

from formicary.errors import LinkError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

LONGEST_FRAME = (1 << 20) + 1024
"""Bytes that a frame may have."""

_HIGH_WATER = 1 << 20  # bytes that may wait to be written before senders have to
_CLOSE_TIMEOUT = 2.0  # seconds that the other side gets to take what was written

_LENGTH = Struct("!I")
_PREFIX = _LENGTH.size
_pack, _unpack = _LENGTH.pack, _LENGTH.unpack_from


def _ignore(_: object) -> None:
    pass


class DirectConnection(asyncio.Protocol):
    """An established connection, on which both sides have proven who they are.

    Args:
        transport: what carries it; reading is paused.
        peer: the domain of the other container.
        is_dialler: whether this side has dialled.
        description: what it is, such as `TCP 127.0.0.1:40000 with TLS 1.3`.
        rest: what has come in already behind the opening.
        dropped: where a connection that is ended for what the peer sent is counted.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        peer: str,
        *,
        is_dialler: bool,
        description: str,
        rest: bytes,
        dropped: Counter[str],
    ) -> None:
        self.peer = peer
        self.is_dialler = is_dialler
        self.description = description
        self.has_room = True
        self._transport = transport
        self._write: Callable[[bytes], None] = transport.write
        self._early = rest
        self._parts: list[bytes] = []  # of a frame that is not whole yet
        self._missing = 0  # bytes until it is, or until its length is known
        self._dropped = dropped
        self._framed: Callable[[bytes], None] | None = None
        self._rested: Callable[[], None]
        self._writable: Callable[[bool], None] = _ignore
        self._lost: Callable[[LinkError], None] = _ignore
        self._error: LinkError | None = None
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        transport.set_write_buffer_limits(high=_HIGH_WATER)

    def start(
        self,
        *,
        framed: Callable[[bytes], None],
        rested: Callable[[], None],
        writable: Callable[[bool], None],
        lost: Callable[[LinkError], None],
    ) -> None:
        """Begin to read, and to pass on what comes; also what came before.

        Args:
            framed: called with each frame.
            rested: called when everything that came in at once has been passed on.
            writable: called with whether there is room to write, when that changes.
            lost: called once when the connection has ended by itself, with the cause.
        """
        self._framed, self._rested, self._writable, self._lost = framed, rested, writable, lost
        early, self._early = self._early, b""
        if early:
            self.data_received(early)
        if self._closed.done():
            asyncio.get_running_loop().call_soon(self._tell)
        else:
            self.resume()

    def send(self, frame: bytes) -> None:
        """Send a frame; nothing where the connection has ended, as `lost` is to tell."""
        try:
            self._write(_pack(len(frame)) + frame)
        except RuntimeError:  # so uvloop says that the connection has just broken
            self._write = _ignore

    def pause(self) -> None:
        """Read nothing more until `resume`."""
        if not self._transport.is_closing():
            self._transport.pause_reading()

    def resume(self) -> None:
        """Read again."""
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def abort(self) -> None:
        """End the connection at once; nothing is called any more, and what waits to be written is lost."""
        self._silence()
        self._transport.abort()

    async def close(self) -> None:
        """End the connection when what was sent has gone out, or after 2 s; nothing is called any more.

        If cancelled, the connection is cut.
        """
        self._silence()
        try:
            if not self._closed.done() and not self._transport.is_closing():
                self._finish()
                await asyncio.wait([self._closed], timeout=_CLOSE_TIMEOUT)
        finally:
            if not self._closed.done():
                self._transport.abort()
        await asyncio.wait([self._closed])

    def _finish(self) -> None:
        self.resume()  # to see the other side's end
        if self._transport.can_write_eof():
            # Closed with something unread, a socket would throw away what the other side has not taken yet.
            self._transport.write_eof()
        else:
            self._transport.close()

    def _silence(self) -> None:
        self._write = self._framed = self._writable = self._lost = _ignore
        self._rested = lambda: None

    # -- asyncio's side -------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Pass on the frames in what has come; for asyncio."""
        if self._framed is None:
            self._early += data
            return
        if self._missing:
            if len(data) < self._missing:
                self._parts.append(data)
                self._missing -= len(data)
                return
            self._parts.append(data)
            data = b"".join(self._parts)
            self._parts.clear()
            self._missing = 0
        position, end = 0, len(data)
        while end - position >= _PREFIX:
            (length,) = _unpack(data, position)
            stop = position + _PREFIX + length
            if stop > end or length > LONGEST_FRAME:
                if length > LONGEST_FRAME:
                    self._refuse(length)
                    return
                self._missing = stop - end
                break
            self._framed(data[position + _PREFIX : stop])
            position = stop
        if position < end:
            self._parts.append(data[position:])
            self._missing = self._missing or _PREFIX - (end - position)
        self._rested()

    def _refuse(self, length: int) -> None:
        self._dropped["frame too long"] += 1
        self._error = LinkError(
            f"{self.peer} sent a frame of {length} bytes, and {LONGEST_FRAME} are the most; run the same "
            "release of Formicary on both sides"
        )
        self._transport.abort()

    def eof_received(self) -> None:
        """End, as the other side has; for asyncio."""
        self._write = _ignore

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever uses the connection; for asyncio."""
        self._closed.set_result(None)
        self._error = self._error or LinkError(
            f"the direct connection to {self.peer} ({self.description}) "
            f"{f'broke: {exc}' if exc else 'was closed by the other side'}"
        )
        self._write = _ignore
        if self._framed is not None:
            self._tell()

    def _tell(self) -> None:
        assert self._error is not None
        lost = self._lost
        self._silence()
        lost(self._error)

    def pause_writing(self) -> None:
        """Pass on that there is no room; for asyncio."""
        self.has_room = False
        self._writable(False)

    def resume_writing(self) -> None:
        """Pass on that there is room again; for asyncio."""
        self.has_room = True
        self._writable(True)
