"""The opening, in which both sides of a new connection prove who they are: bytes in, bytes out, no I/O.

The dialler names itself and the acceptor; the acceptor proves that it has the key that it made for that
dialler (or the token for those who join); the dialler proves the same; the acceptor lets it in. Proofs cover
everything said before and the acceptor's certificate, so that nobody can sit in the middle who speaks TLS to
one side only, for example in place of a Unix socket. `docs/direct-links.md` specifies every byte.
"""

from __future__ import annotations

import hmac
import secrets
import struct
from typing import TYPE_CHECKING

from formicary.core.errors import AuthenticationError, LinkError
from formicary.core.names import check_platform
from formicary.core.quoting import printable

if TYPE_CHECKING:
    from collections.abc import Callable

MAGIC = b"formicary"
VERSION = 1

BY_KEY, BY_TOKEN = 0, 1
"""What the dialler proves: the key that the acceptor made for it, or the token for those who join."""

_HEAD = struct.Struct(f"!{len(MAGIC)}sB")
_HELLO = struct.Struct("!B32sBB")  # what is proven, nonce, lengths of the domains of dialler and acceptor
_VERDICT = struct.Struct("!BH")  # 0 for welcome or 1 for refused, length of the reason
_NONCE = _PROOF = 32
_LONGEST_REASON = 1000  # bytes


class OpeningError(Exception):
    """The acceptor refuses: with a reason, to be counted, and an answer."""

    def __init__(self, reason: str, answer: bytes = b"") -> None:
        super().__init__(reason)
        self.reason = reason
        self.answer = answer


class _Opening:
    """The state of either side: unread bytes, and what the proofs cover."""

    def __init__(self, certificate: bytes, nonce: bytes | None) -> None:
        self._certificate = certificate
        self.is_done = False
        self.rest = b""  # unread bytes; once done, those after the opening
        self._nonce = nonce or secrets.token_bytes(_NONCE)
        self._hello = b""

    def _prove(self, side: bytes, key: bytes, nonce: bytes) -> bytes:
        return hmac.digest(key, side + self._hello + nonce + self._certificate, "sha256")


class DiallerOpening(_Opening):
    """The dialling side.

    Args:
        domain: our container's.
        peer: the domain of the container that is dialled.
        key: the secret, 32 bytes.
        by_token: whether the key is the token for those who join.
        certificate: the fingerprint of the acceptor's.
        nonce: 32 bytes; random if None.
    """

    def __init__(
        self,
        domain: str,
        peer: str,
        key: bytes,
        *,
        by_token: bool,
        certificate: bytes,
        nonce: bytes | None = None,
    ) -> None:
        super().__init__(certificate, nonce)
        self.peer = peer
        self._key = key
        self._is_proven = False
        ours, theirs = domain.encode(), peer.encode()
        self._hello = b"".join((
            _HEAD.pack(MAGIC, VERSION),
            _HELLO.pack(BY_TOKEN if by_token else BY_KEY, self._nonce, len(ours), len(theirs)),
            ours,
            theirs,
        ))  # fmt: skip

    def first(self) -> bytes:
        """Return the dialler's first message."""
        return self._hello

    def received(self, data: bytes) -> bytes:
        """Handle the acceptor's message; return the answer.

        Raises:
            AuthenticationError: it did not prove to be `peer`.
            LinkError: it speaks another protocol or version, or refuses this container.
        """
        self.rest += data
        answer = b""
        if not self._is_proven:
            answer = self._check_proof()
        if self._is_proven:
            self._read_verdict()
        return answer

    def _check_proof(self) -> bytes:
        if not MAGIC.startswith(self.rest[: len(MAGIC)]):
            raise LinkError(f"what answers there is not {self.peer}: it speaks another protocol")
        if len(self.rest) > len(MAGIC) and self.rest[len(MAGIC)] != VERSION:
            raise LinkError(
                f"{self.peer} speaks version {self.rest[len(MAGIC)]} of direct connections and this "
                f"container version {VERSION}; run the same release of Formicary on both sides"
            )
        end = _HEAD.size + _NONCE + _PROOF
        if len(self.rest) < end:
            return b""
        nonce, proof = self.rest[_HEAD.size : _HEAD.size + _NONCE], self.rest[end - _PROOF : end]
        self.rest = self.rest[end:]
        if not hmac.compare_digest(proof, self._prove(b"acceptor", self._key, nonce)):
            raise AuthenticationError(
                f"what answers there did not prove to be {self.peer}; get its address again"
            )
        self._is_proven = True
        return self._prove(b"dialler", self._key, nonce)

    def _read_verdict(self) -> None:
        if len(self.rest) < _VERDICT.size:
            return
        refused, length = _VERDICT.unpack_from(self.rest)
        if refused > 1 or length > _LONGEST_REASON or (length and not refused):
            raise LinkError(f"{self.peer} sent an unexpected answer")
        end = _VERDICT.size + length
        if len(self.rest) < end:
            return
        if refused:
            reason = self.rest[_VERDICT.size : end].decode(errors="replace")
            raise LinkError(f"{self.peer} refused this container: {printable(reason)}")
        self.rest = self.rest[end:]
        self.is_done = True


def is_whole_hello(data: bytes) -> bool:
    """Return whether a dialler's first message is complete, or certainly invalid."""
    magic, version = data[: len(MAGIC)], data[len(MAGIC) : _HEAD.size]
    if not MAGIC.startswith(magic) or version not in {b"", bytes([VERSION])}:
        return True
    names = _HEAD.size + _HELLO.size
    return len(data) >= names and len(data) >= names + sum(data[names - 2 : names])


class AcceptorOpening(_Opening):
    """The accepting side.

    Args:
        domain: our container's.
        key_of: called with the dialler's domain and what it proves; returns the key, or raises OpeningError.
        admit: called with the domain of a dialler that has proven the token; returns why it must not join,
            or None.
        certificate: the fingerprint of this side's.
        nonce: 32 bytes; random if None.
    """

    def __init__(
        self,
        domain: str,
        *,
        key_of: Callable[[str, int], bytes],
        admit: Callable[[str], str | None],
        certificate: bytes,
        nonce: bytes | None = None,
    ) -> None:
        super().__init__(certificate, nonce)
        self.peer = ""  # once proven
        self._domain = domain
        self._key_of = key_of
        self._admit = admit
        self._key = b""
        self._claimed = ""
        self._by_token = False

    def received(self, data: bytes) -> bytes:
        """Handle the dialler's message; return the answer. OpeningError if it is refused."""
        self.rest += data
        answer = b""
        if not self._key:
            answer = self._read_hello()
            if self._key and self.rest:
                raise OpeningError("garbage")  # it cannot continue without our nonce
        elif len(self.rest) >= _PROOF:
            answer = self._check_proof()
        return answer

    def _read_hello(self) -> bytes:
        data = self.rest
        if not MAGIC.startswith(data[: len(MAGIC)]):
            raise OpeningError("no opening")
        if len(data) > len(MAGIC) and data[len(MAGIC)] != VERSION:
            raise OpeningError("other version", _HEAD.pack(MAGIC, VERSION))
        start = _HEAD.size + _HELLO.size
        if len(data) < start:
            return b""
        kind, _, ours, theirs = _HELLO.unpack_from(data, _HEAD.size)
        end = start + ours + theirs
        if len(data) < end:
            return b""
        self._hello, self.rest = data[:end], data[end:]
        self._check_names(kind, data[start : start + ours], data[start + ours : end])
        self._key = self._key_of(self._claimed, kind)
        proof = self._prove(b"acceptor", self._key, self._nonce)
        return _HEAD.pack(MAGIC, VERSION) + self._nonce + proof

    def _check_names(self, kind: int, dialler: bytes, acceptor: bytes) -> None:
        try:
            self._claimed = check_platform(dialler.decode("ascii"))
        except ValueError:  # no ASCII, or no name
            raise OpeningError("garbage") from None
        if kind not in {BY_KEY, BY_TOKEN}:
            raise OpeningError("garbage")
        if acceptor != self._domain.encode() or self._claimed == self._domain:
            raise OpeningError("not for us")
        self._by_token = kind == BY_TOKEN

    def _check_proof(self) -> bytes:
        proof, self.rest = self.rest[:_PROOF], self.rest[_PROOF:]
        if not hmac.compare_digest(proof, self._prove(b"dialler", self._key, self._nonce)):
            raise OpeningError("wrong proof")
        if self._by_token and (reason := self._admit(self._claimed)) is not None:
            text = reason.encode()[:_LONGEST_REASON]
            raise OpeningError("not admitted", _VERDICT.pack(1, len(text)) + text)
        self.peer = self._claimed
        self.is_done = True
        return _VERDICT.pack(0, 0)
