"""An open connection between two containers: frames out, frames in. The hot path: measure before a change."""

from __future__ import annotations

import asyncio
import socket
import sys
from contextlib import suppress
from struct import Struct
from typing import TYPE_CHECKING

from formicary.core.errors import LinkError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

LONGEST_FRAME = (1 << 20) + 1024
"""Bytes that a frame may have."""

_HIGH_WATER = 1 << 20  # bytes that may wait to be written before senders have to
_CLOSE_TIMEOUT = 2.0  # seconds that the other side gets to read what was written

_LARGE = 32_768  # bytes

_LENGTH = Struct("!I")
_PREFIX = _LENGTH.size
_pack, _unpack = _LENGTH.pack, _LENGTH.unpack_from


def _widen(transport: asyncio.Transport) -> None:
    """Enlarge a Unix socket's buffers to whole frames: doubles the rate at 100 kB. TCP adapts itself."""
    connected = transport.get_extra_info("socket")
    if connected is not None and connected.family == socket.AF_UNIX:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _HIGH_WATER)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _HIGH_WATER)


def _ignore(*_: object) -> None:
    pass


class DirectConnection(asyncio.Protocol):
    """A connection on which both sides have proven who they are.

    Args:
        transport: what carries it; reading is paused.
        peer: the domain of the other container.
        is_dialler: whether this side has dialled.
        description: such as `TCP 127.0.0.1:40000 with TLS 1.3`.
        rest: bytes that were read after the opening.
        dropped: counts connections ended because of what the peer sent.
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
        is_tls = transport.get_extra_info("ssl_object") is not None
        # uvloop's TLS warns of each write while it is closing, and does not tell us that it is.
        self._write: Callable[[bytes], None] = self._write_if_open if is_tls else transport.write
        self._large = sys.maxsize  # bytes from which a frame is not joined to its length
        if type(transport).__module__.startswith("uvloop") and not is_tls:
            # Halves the time for 100 kB. Asyncio's transports join them, or forget a full buffer.
            self._large = _LARGE
        self._head = b""  # part of a length
        self._parts = [rest]  # of a frame whose length is known
        self._missing = sys.maxsize  # bytes of it; until `start`, everything that comes is kept
        self._dropped = dropped
        self._on_frame: Callable[[bytes], None] = _ignore
        self._on_read_end: Callable[[], None] = _ignore
        self._on_room: Callable[[bool], None] = _ignore
        self._on_lost: Callable[[LinkError], None] = _ignore
        self._error: LinkError | None = None
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        transport.set_write_buffer_limits(high=_HIGH_WATER)
        _widen(transport)

    def start(
        self,
        *,
        on_frame: Callable[[bytes], None],
        on_read_end: Callable[[], None],
        on_room: Callable[[bool], None],
        on_lost: Callable[[LinkError], None],
    ) -> None:
        """Begin to read, and to pass on frames, including those that came before.

        Args:
            on_frame: called with each frame.
            on_read_end: called when everything read at once has been passed on.
            on_room: called when there is room to write, or no longer, with which.
            on_lost: called once, with the cause, if the connection ends by itself.
        """
        self._on_frame, self._on_read_end = on_frame, on_read_end
        self._on_room, self._on_lost = on_room, on_lost
        early = b"".join(self._parts)
        self._parts.clear()
        self._missing = 0
        if early:
            self.data_received(early)
        if self._closed.done():
            asyncio.get_running_loop().call_soon(self._tell)
        else:
            self.resume()

    def send(self, frame: bytes) -> None:
        """Send a frame; do nothing if the connection has ended, as `on_lost` will report."""
        try:
            if len(frame) < self._large:
                self._write(_pack(len(frame)) + frame)
            else:
                self._transport.writelines((_pack(len(frame)), frame))
        except RuntimeError:  # from uvloop: the connection has just broken
            self._stop_writing()

    def _write_if_open(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)

    def pause(self) -> None:
        """Read nothing more until `resume`."""
        with suppress(RuntimeError):  # as in `send`
            self._transport.pause_reading()

    def resume(self) -> None:
        """Read again."""
        with suppress(RuntimeError):
            self._transport.resume_reading()

    def rebind(self) -> None:
        """Have the loop call the methods that the class has now: uvloop caches `data_received`."""
        if not self._transport.is_closing():
            self._transport.set_protocol(self)

    def abort(self) -> None:
        """End the connection at once, without further callbacks; what waits to be written is lost."""
        self._silence()
        self._transport.abort()

    async def close(self) -> None:
        """End the connection, without further callbacks, when what was sent has gone out, or after 2 s.

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
            # If closed with unread data, a socket would discard what the other side has not read yet.
            self._transport.write_eof()
        else:
            self._transport.close()

    def _stop_writing(self) -> None:
        self._write, self._large = _ignore, sys.maxsize

    def _silence(self) -> None:
        self._stop_writing()
        self._on_frame = self._on_read_end = self._on_room = self._on_lost = _ignore

    # -- asyncio's side -------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Pass on the frames in what was read; for asyncio."""
        position, end = 0, len(data)
        if end > _PREFIX and not self._missing and not self._head:
            (length,) = _unpack(data)
            if length == end - _PREFIX <= LONGEST_FRAME:  # one frame, as when an answer is awaited
                self._on_frame(data[_PREFIX:])
                self._on_read_end()
                return
        if self._missing:
            if end < self._missing:
                self._parts.append(data)
                self._missing -= end
                return
            position = self._missing
            self._complete(data if position == end else data[:position])
        elif self._head:
            data = self._head + data
            self._head, end = b"", len(data)
        while end - position >= _PREFIX:
            (length,) = _unpack(data, position)
            position += _PREFIX
            stop = position + length
            if stop > end or length > LONGEST_FRAME:
                if length > LONGEST_FRAME:
                    self._refuse(length)
                    return
                self._missing = stop - end
                self._parts.append(data[position:])
                position = end
                break
            self._on_frame(data[position:stop])
            position = stop
        if position < end:
            self._head = data[position:]
        self._on_read_end()

    def _complete(self, last: bytes) -> None:
        """Pass on a frame whose last part was read."""
        self._parts.append(last)
        frame = b"".join(self._parts)
        self._parts.clear()
        self._missing = 0
        self._on_frame(frame)

    def _refuse(self, length: int) -> None:
        self._dropped["frame too long"] += 1
        self._error = LinkError(
            f"{self.peer} sent a frame of {length} bytes, and the limit is {LONGEST_FRAME}; run the "
            "same release of Formicary on both sides"
        )
        self._transport.abort()

    def eof_received(self) -> None:
        """End the connection, as the other side reads no more; for asyncio."""
        self._stop_writing()
        self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Call `on_lost`; for asyncio."""
        how = f"broke: {exc}" if exc else "was closed by the other side"
        self._error = self._error or LinkError(
            f"the direct connection to {self.peer} ({self.description}) {how}"
        )
        self._closed.set_result(None)
        self._stop_writing()
        self._tell()

    def _tell(self) -> None:
        assert self._error is not None
        if self._on_lost is not _ignore:
            on_lost = self._on_lost
            self._silence()
            on_lost(self._error)

    def pause_writing(self) -> None:
        """Report that there is no room to write; for asyncio."""
        self.has_room = False
        self._on_room(False)

    def resume_writing(self) -> None:
        """Report that there is room to write again; for asyncio."""
        self.has_room = True
        self._on_room(True)
