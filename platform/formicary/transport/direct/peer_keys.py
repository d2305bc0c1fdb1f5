"""The keys that a container has made for its peers, and the certificates that they will show."""

from __future__ import annotations

import secrets
import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from formicary.core.errors import AuthenticationError
from formicary.transport.addresses import NO_FINGERPRINT, fingerprint
from formicary.transport.direct.opening import BY_TOKEN, OpeningError

if TYPE_CHECKING:
    from formicary.transport.direct.identity import Identity

_KNOWN = 4096  # peers; beyond that, the one unheard of for longest is forgotten


@dataclass
class _Peer:
    """What is known about one peer."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    is_offered: bool = False  # whether the key was handed out
    certificate: bytes = b""


class PeerKeys:
    """The peers that a container knows.

    Args:
        identity: the container's; None without TLS.
        token: what those who join prove; None if nobody can join.
    """

    def __init__(self, identity: Identity | None, token: bytes | None) -> None:
        self._identity = identity
        self._token = token
        self._known: dict[str, _Peer] = {}
        self._loaded = 0  # how many certificates are in the context
        self._context = identity.accepting() if identity else None

    def key_for(self, peer: str) -> bytes:
        """Return the key to hand out to `peer`, the same until it is forgotten."""
        known = self._touch(peer)
        known.is_offered = True
        return known.key

    def expect(self, peer: str, certificate: bytes) -> None:
        """Accept only this certificate (DER) from `peer`; AuthenticationError if it is invalid."""
        known = self._known.get(peer)
        if self._context is None or (known and known.certificate == certificate):
            return
        if certificate:
            try:
                self._context.load_verify_locations(cadata=certificate)
            except ssl.SSLError:
                raise AuthenticationError(
                    f"{peer} presented an invalid certificate; run the same release on both sides"
                ) from None
            self._loaded += 1
        self._touch(peer).certificate = certificate

    def forget(self, peer: str) -> None:
        """Forget `peer`, its certificate and the key made for it."""
        self._known.pop(peer, None)

    def context(self) -> ssl.SSLContext:
        """Return the TLS context for an accepted connection."""
        assert self._identity is not None
        assert self._context is not None
        if self._loaded > 2 * len(self._known) + 64:  # those of forgotten peers cannot be removed
            self._context = self._identity.accepting()
            trusted = [peer.certificate for peer in self._known.values() if peer.certificate]
            for certificate in trusted:
                self._context.load_verify_locations(cadata=certificate)
            self._loaded = len(trusted)
        return self._context

    def key_of(self, peer: str, kind: int, *, seen: bytes | None) -> bytes:
        """Return the key that a dialler must prove.

        Args:
            peer: the domain that it claims.
            kind: what it proves: `BY_KEY` or `BY_TOKEN`.
            seen: the fingerprint of the certificate that it showed; None without TLS.

        Raises:
            OpeningError: the peer is unknown, or has another certificate.
        """
        if kind == BY_TOKEN:
            if self._token is None:
                raise OpeningError("nobody may join")
            return self._token
        known = self._known.get(peer)
        if known is None or not known.is_offered:
            raise OpeningError("unknown peer")
        if seen is not None and (seen == NO_FINGERPRINT or seen != fingerprint(known.certificate)):
            raise OpeningError("other certificate")
        return known.key

    def _touch(self, peer: str) -> _Peer:
        known = self._known.pop(peer, None) or _Peer()
        self._known[peer] = known
        if len(self._known) > _KNOWN:
            del self._known[next(iter(self._known))]
        return known
