"""The round-trip time and bandwidth to another host.

One host listens, and the others connect with a token. Bytes, seconds and connections are bounded.

For the standard library of Python 3.8: this module is sent to hosts where nothing is installed.
"""

from __future__ import annotations

import errno
import hmac
import socket
import threading
import time
from contextlib import suppress
from typing import Any

from formicary_bench.remote.bootstrap import loop

_PATIENCE = 3.0  # s without an answer
_TOKEN = 32  # characters
_PING = b"p" * 64
_PINGS = 200
_SECONDS_OF_PINGS = 0.3
_MOST_BYTES = 64 << 20
_MOST_SECONDS = 0.5
_PIECE = b"\0" * (1 << 18)
_FEW_AT_ONCE = 8


def listen(address: str, token: str) -> int:
    """Listen at a free port of this IP address until the process ends, for those with the token."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        listener = socket.create_server((address, 0), family=family)
    except OSError as error:
        raise loop.FailedError(f"cannot listen at {address} ({error.strerror})") from None
    few = threading.Semaphore(_FEW_AT_ONCE)
    threading.Thread(target=_accept, args=(listener, token.encode(), few), daemon=True).start()
    return int(listener.getsockname()[1])


def _accept(listener: socket.socket, token: bytes, few: threading.Semaphore) -> None:
    while True:
        few.acquire()  # pylint: disable=consider-using-with -- released by the other thread
        connection, _ = listener.accept()
        threading.Thread(target=_answer, args=(connection, token, few), daemon=True).start()


def _answer(connection: socket.socket, token: bytes, few: threading.Semaphore) -> None:
    try:
        with suppress(OSError), connection:
            connection.settimeout(_PATIENCE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if hmac.compare_digest(_receive(connection, _TOKEN), token):
                _serve(connection)
    finally:
        few.release()


def _serve(connection: socket.socket) -> None:
    """Echo pings, then receive for a while, and answer with the bytes per second."""
    for _ in range(_PINGS):
        ping = _receive(connection, len(_PING))
        if ping != _PING:
            break
        connection.sendall(ping)
    connection.recv(len(_PIECE))
    began, count = time.perf_counter(), 0
    while count < _MOST_BYTES and time.perf_counter() < began + _MOST_SECONDS:
        data = connection.recv(len(_PIECE))
        if not data:
            break
        count += len(data)
    seconds = time.perf_counter() - began
    connection.sendall(f"{count / max(seconds, 1e-6):.0f}".encode())
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(len(_PIECE)):  # closing earlier would revoke the answer
        pass


def _receive(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise OSError(errno.ECONNRESET, "Connection closed by the other side")
        data += part
    return data


def measure(source: str, address: str, port: int, token: str) -> dict[str, Any]:
    """Measure from an address of this host to one of another.

    Returns:
        The median round trip in `seconds`, and `bytes_per_second`; or why it is `blocked`.
    """
    try:
        with socket.create_connection((address, port), _PATIENCE, (source, 0)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(token.encode())
            return {"seconds": _round_trip(connection), "bytes_per_second": _rate(connection)}
    except socket.timeout:  # noqa: UP041 -- before Python 3.10 it is no TimeoutError
        return {"blocked": f"nothing comes back within {_PATIENCE:g} s, as with a firewall that drops"}
    except ConnectionRefusedError:
        return {"blocked": "connections are refused, as by a firewall that rejects"}
    except OSError as error:
        return {"blocked": error.strerror or str(error)}


def _round_trip(connection: socket.socket) -> float:
    times: list[float] = []
    until = time.perf_counter() + _SECONDS_OF_PINGS
    while len(times) < _PINGS and (not times or time.perf_counter() < until):
        began = time.perf_counter()
        connection.sendall(_PING)
        _receive(connection, len(_PING))
        times.append(time.perf_counter() - began)
    return sorted(times)[len(times) // 2]


def _rate(connection: socket.socket) -> float:
    sent, until = 0, time.perf_counter() + _MOST_SECONDS
    while sent + len(_PIECE) <= _MOST_BYTES and time.perf_counter() < until:
        connection.sendall(_PIECE)
        sent += len(_PIECE)
    connection.shutdown(socket.SHUT_WR)
    return float(b"".join(iter(lambda: connection.recv(len(_PIECE)), b"")))


def main() -> None:
    """Answer until standard input ends."""
    loop.serve({"listen": listen, "measure": measure})
