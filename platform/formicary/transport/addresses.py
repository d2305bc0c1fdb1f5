"""Where a container listens for direct connections, and how others learn it: join addresses and offers."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import sys
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from formicary.core.errors import UsageError
from formicary.core.names import check_platform

Tls = bool | Literal["always"]
"""On which connections TLS is used: True: TCP; "always": also Unix sockets; False: none."""

TcpAddress = tuple[Annotated[str, Meta(max_length=64)], Annotated[int, Meta(ge=1, le=65535)]]
"""An IP address and a port."""
SocketAddress = str | TcpAddress
"""The path of a Unix socket, or an IP address and a port."""
Key = Annotated[bytes, Meta(min_length=32, max_length=32)]

NO_FINGERPRINT = bytes(hashlib.sha256().digest_size)
"""The fingerprint of a side that shows no certificate."""

_SCHEME = "formicary://"


def fingerprint(certificate: bytes | None) -> bytes:
    """Return the SHA-256 of a certificate (DER); of none, 32 zero bytes."""
    return hashlib.sha256(certificate).digest() if certificate else NO_FINGERPRINT


class ListenAddresses(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Where a container listens.

    Args:
        host: an id of the machine: equal if both can reach each other by loopback.
        unix: the path of its Unix socket.
        tcp: IP addresses and ports.
        tls: on which of these connections TLS is used.
    """

    host: Annotated[str, Meta(max_length=256)]
    unix: Annotated[str, Meta(max_length=128)] | None
    tcp: Annotated[tuple[TcpAddress, ...], Meta(max_length=16)]
    tls: Tls

    def reachable_from(self, host: str) -> list[SocketAddress]:
        """Return what a container on `host` can dial, best first: paths of Unix sockets, IP addresses."""
        if self.host == host:
            return ([self.unix] if self.unix else []) + list(self.tcp)
        return [place for place in self.tcp if not _is_loopback(place[0])]


class JoinAddress(ListenAddresses, frozen=True, kw_only=True, array_like=True):
    """What others need to join a container. `str()` of it is a secret; `repr()` is not.

    Args:
        domain: the container's domain.
        fingerprint: its certificate's SHA-256; 32 zero bytes without TLS.
        key: the secret that those who join prove (32 bytes).
    """

    domain: str
    fingerprint: Annotated[bytes, Meta(min_length=32, max_length=32)]
    key: Key

    @classmethod
    def parse(cls, text: str) -> JoinAddress:
        """Parse the result of `str()`; UsageError if it is no join address."""
        rest = text.strip().removeprefix(_SCHEME)
        domain, _, packed = rest.partition("/")
        try:
            address = _decoder.decode(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
            check_platform(address.domain)
        except (ValueError, msgspec.MsgspecError):  # InvalidNameError is a ValueError
            address = None
        if address is None or address.domain != domain:
            raise UsageError(
                f"{_shown(domain)} is not a join address; pass the other container's whole "
                f"join_address, which begins with {_SCHEME}"
            )
        return address

    @property
    def platform(self) -> str:
        """The platform of the container to join."""
        return self.domain.partition(".")[2]

    def __str__(self) -> str:
        packed = urlsafe_b64encode(msgspec.msgpack.encode(self)).rstrip(b"=").decode()
        return f"{_SCHEME}{self.domain}/{packed}"

    def __repr__(self) -> str:
        return f"JoinAddress({self.domain!r}, unix={self.unix!r}, tcp={self.tcp!r}, tls={self.tls!r})"


_decoder = msgspec.msgpack.Decoder(JoinAddress)


class Offer(ListenAddresses, frozen=True, kw_only=True, array_like=True):
    """What a container sends to one peer over a trusted path, so that this can connect directly.

    Args:
        certificate: its certificate (DER); empty without TLS.
        key: a secret for this peer's dials (32 bytes).
    """

    certificate: Annotated[bytes, Meta(max_length=4096)]
    key: Key

    @property
    def fingerprint(self) -> bytes:
        """The certificate's SHA-256."""
        return fingerprint(self.certificate)

    def __repr__(self) -> str:
        return f"Offer(unix={self.unix!r}, tcp={self.tcp!r}, tls={self.tls!r})"


def _shown(domain: str) -> str:
    # The text may contain the secret: only its beginning is safe to print.
    return repr(f"{domain[:60]}/...")


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


@cache
def this_host() -> str:
    """Return an id of this machine, the same for all processes that reach each other by loopback."""
    if sys.platform != "linux":
        return f"{uuid.getnode():x}"
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot}/{os.stat('/proc/self/ns/net').st_ino:x}"  # noqa: PTH116 -- Path is no shorter
