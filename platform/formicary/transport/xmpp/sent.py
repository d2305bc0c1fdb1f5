"""What went out lately: its messages are needed if the server sends it back."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.transport.link.outbox import Letter

_KEPT = 1024  # stanzas
_KEPT_BYTES = 1 << 23  # how large these may be together


class Sent:
    """The messages of the latest stanzas, by the stanzas' ids."""

    def __init__(self) -> None:
        self._stanzas: OrderedDict[str, tuple[str, list[Letter], int]] = OrderedDict()  # to, what, bytes
        self._bytes = 0
        self._number = 0

    @property
    def next_id(self) -> str:
        """The id that the next stanza gets."""
        return f"f{self._number + 1}"

    def add(self, to: str, letters: list[Letter], size: int) -> str:
        """Keep the messages of a stanza of `size` bytes for `to` for a while; return its id."""
        stanza_id = self.next_id
        self._number += 1
        self._stanzas[stanza_id] = (to, letters, size)
        self._bytes += size
        while len(self._stanzas) > _KEPT or (self._bytes > _KEPT_BYTES and len(self._stanzas) > 1):
            self._bytes -= self._stanzas.popitem(last=False)[1][2]
        return stanza_id

    def take(self, stanza_id: str, origin: str) -> list[Letter]:
        """Return, once, what went to `origin` in a stanza; nothing if no such stanza did."""
        to, letters, size = self._stanzas.get(stanza_id, ("", [], 0))
        if origin.partition("/")[0] != to.partition("/")[0]:  # anybody could make an id up
            return []
        if letters:
            del self._stanzas[stanza_id]
            self._bytes -= size
        return letters
