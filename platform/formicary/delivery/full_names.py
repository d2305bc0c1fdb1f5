"""The full names of agents, by the names that agents of a container use for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import force_setattr

from formicary.core.message import copied
from formicary.core.names import complete

if TYPE_CHECKING:
    from formicary.core.message import Message
    from formicary.delivery.protocols import Finder

_REMEMBERED = 65_536  # names whose full form is remembered


class FullNames:
    """Completes the names in messages of one container's agents.

    Args:
        domain: the container's.
        platform: the platform's domain.
    """

    def __init__(self, domain: str, platform: str) -> None:
        self._domain = domain
        self._platform = platform
        self.finder: Finder | None = None  # on a local platform, of agents in its other containers
        self.known: dict[str, str] = {}
        """By the names that were used, unless the `finder` knows more."""

    def complete(self, message: Message) -> Message:
        """Return a message with its receivers' full names, each once; the same message if it has them."""
        if isinstance(name := message.to, str):
            if (address := self.of(name)) == name:
                return message
            message = copied(message)  # its other parts were checked when it was created
            force_setattr(message, "to", address)
            return message
        names = message.receivers
        addresses = tuple(dict.fromkeys(map(self.of, names)))
        if addresses == names:
            return message
        return message.replace(to=addresses)

    def of(self, name: str) -> str:
        """Return the full name of an agent by any of its names, as far as known."""
        if self.finder is not None and (found := self.finder.known(name)) is not None:
            return found
        address = self.known.get(name)
        if address is None:
            if len(self.known) >= _REMEMBERED:
                self.known.clear()
            address = self.known[name] = complete(name, self._domain, self._platform)
        return address
