"""The first message of whoever has dialled, before anything is made for the connection."""

from __future__ import annotations

import asyncio
import select
import socket

from formicary.transport.direct.opening import OpeningError, is_whole_hello

_LOOK_AGAIN = 0.05  # s at most between two looks
_HANDSHAKE = b"\x16\x03"  # TLS: the type of a record, and its major version (RFC 8446, section 5.1)
_RECORD_HEAD = 5  # bytes
_LONGEST_RECORD = 1 << 14  # bytes
_HALF_CLOSED = getattr(select, "POLLRDHUP", 0)  # Linux has it; elsewhere such a connection takes too long


async def first_message(connected: socket.socket, *, with_tls: bool) -> None:
    """Return when the first message has come whole; it is left in the socket for whoever reads it.

    TLS takes some hundred kilobytes for each connection: that is for those who begin to speak it.

    Args:
        connected: the connection, which nobody reads.
        with_tls: whether TLS comes first, or the opening itself.

    Raises:
        OpeningError: it is not TLS, or the connection has ended.
    """
    pause = 0.001
    # What is left in a socket makes it readable, so a reader would be called all the time.
    while not _has_come(connected, with_tls=with_tls):
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LOOK_AGAIN)


def _has_come(connected: socket.socket, *, with_tls: bool) -> bool:
    has_ended = _has_ended(connected)  # before the look: what came before the end is there then
    try:
        data = connected.recv(_RECORD_HEAD + _LONGEST_RECORD, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        raise OpeningError("closed early") from None
    if _is_whole_record(data) if with_tls else is_whole_hello(data):
        return True
    if has_ended or not data:
        raise OpeningError("closed early")
    return False


def _is_whole_record(data: bytes) -> bool:
    length = int.from_bytes(data[_RECORD_HEAD - 2 : _RECORD_HEAD])
    if not _HANDSHAKE.startswith(data[: len(_HANDSHAKE)]) or length > _LONGEST_RECORD:
        raise OpeningError("no TLS")
    return len(data) >= _RECORD_HEAD and len(data) >= _RECORD_HEAD + length


def _has_ended(connected: socket.socket) -> bool:
    """Return whether the other side sends nothing more."""
    if not _HALF_CLOSED:
        return False
    poll = select.poll()
    poll.register(connected, _HALF_CLOSED)
    return bool(poll.poll(0))
