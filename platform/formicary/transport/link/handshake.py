"""How the ends of a link find out who is there: hellos that ask and answer questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from formicary.transport.link.header import HEADER, HELLO, LOWEST_VERSION, VERSION, write_parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.transport.link.header import SessionParameters

_AGAIN: Final = 1.0  # s between hellos without an answer
_CHALLENGE: Final = 0.1  # s between questions to senders of frames of other sessions
_FRESH: Final = 10.0  # s after which to ask a new question: an answer to the old one proves little


class Handshake:
    """The hellos of one end.

    Attributes:
        asked_at: when the present question was first asked.
        previous: as of `SessionParameters`.
    """

    def __init__(self, random: Callable[[], int], parameters: SessionParameters) -> None:
        self.parameters = parameters
        self.asked_at = 0.0
        self.previous: tuple[int, int, int] | None = None
        self._random = random
        self._nonce = 0  # the present question; 0 for none
        self._hello_at = self._challenged_at = float("-inf")

    def new_number(self) -> int:
        """Return a random number other than 0, for an incarnation or a question."""
        return self._random() or 1

    def write(self, own: int, peer: int, now: float, *, asks: bool, echo: int = 0) -> bytes:
        """Return a hello that asks a question if `asks`, and answers the question `echo` if that is not 0."""
        if asks and not (self._nonce and self.is_fresh(now)):
            self._nonce = self.new_number()
            self.asked_at = now
        parameters = msgspec.structs.replace(self.parameters, previous=self.previous)
        return HEADER.pack(HELLO, own, peer, self._nonce if asks else 0, echo) + write_parameters(parameters)

    def is_fresh(self, now: float) -> bool:
        """Return whether the last question was asked recently."""
        return now - self.asked_at <= _FRESH

    def is_answer(self, echo: int) -> bool:
        """Return whether a hello to this end answers its question, which is settled then."""
        if not self._nonce or echo != self._nonce:
            return False
        self._nonce = 0
        return True

    def forget(self) -> None:
        """Ignore answers to earlier questions."""
        self._nonce = 0

    def is_hello_due(self, now: float) -> bool:
        """Return whether to repeat the hello that was not answered."""
        return now >= self._hello_at + _AGAIN

    def greet(self, own: int, now: float) -> bytes:
        """Return a hello that asks whoever is there."""
        self._hello_at = now
        return self.write(own, 0, now, asks=True)

    def may_challenge(self, now: float) -> bool:
        """Return whether to ask the sender of a frame of another session; if so, the caller must do it."""
        if now < self._challenged_at + _CHALLENGE:
            return False
        self._challenged_at = now
        return True


def disagreement(parameters: SessionParameters) -> str | None:
    """Return why the two ends have no version in common; None if they have."""
    lowest, highest = parameters.versions
    if lowest <= VERSION and highest >= LOWEST_VERSION:
        return None
    return (
        f"it supports versions {lowest} to {highest} of the link protocol, and this container "
        f"{LOWEST_VERSION} to {VERSION}"
    )
