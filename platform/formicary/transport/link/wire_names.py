"""Agents' names in batches, and back.

An agent whose home is the container at that end of the link goes by its own name. Others, such as agents that
have moved, go by their home's as well: `alice@c1`, or an address outside the platform.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from formicary.core.names import check_local, check_receiver, complete, shorten_for
from formicary.core.quoting import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_REMEMBERED = 1 << 22  # bytes of remembered names, about 14 000 ordinary ones
_NAME = 256  # bytes that a remembered name takes in addition to its characters


class NamelessError(ValueError):
    """The receiver's name is empty: this is an order to the link itself."""


class AbsentError(ValueError):
    """A message is for an agent of another container, which is not here."""


class UnbelievedError(ValueError):
    """A container that is no member of the platform speaks for an agent of another container."""


class _Remembered(dict[str, str]):
    """A cache of names at one end of a link, which is emptied when it gets too large."""

    def __init__(self, domain: str) -> None:
        super().__init__()
        self.domain = domain
        self.platform = domain.partition(".")[2]
        self._size = 0

    def _remember(self, key: str, name: str) -> str:
        self._size += len(key) + len(name) + _NAME
        if self._size > _REMEMBERED:
            self._overflow()
            self._size = len(key) + len(name) + _NAME
        self[key] = name
        return name

    def _overflow(self) -> None:
        self.clear()


class WireNames(_Remembered):
    """Agents' names in batches, by their full names."""

    has_forgotten = False
    """Whether the cache was ever emptied."""

    def __missing__(self, name: str) -> str:
        return self._remember(name, shorten_for(name, self.domain))

    def _overflow(self) -> None:
        self.has_forgotten = True
        self.clear()


class Names(_Remembered):
    """Agents' full names by their names in batches, each checked once."""

    def __init__(self, domain: str) -> None:
        super().__init__(domain)
        self._suffix = f"@{domain}"

    def __missing__(self, name: str) -> str:
        if "@" in name:
            return self._other(name)
        if not name:
            raise NamelessError("an agent's name is empty")
        return self._remember(name, check_local(name) + self._suffix)

    def _other(self, name: str) -> str:
        """Return the full name for one that includes the home; ValueError if it is invalid."""
        return self._remember(name, self._complete(name))

    def _complete(self, name: str) -> str:
        full = complete(check_receiver(name), self.domain, self.platform)
        if shorten_for(full, self.domain) != name:
            raise ValueError(f"{shorten(name)} is longer than that agent is called")
        return full


class SenderNames(Names):
    """The full names of the agents that another container speaks for.

    `is_believed` returns whether it may speak for agents of other containers; `on_heard` is called with each
    agent that it speaks for, the first time.
    """

    def __init__(
        self, domain: str, is_believed: Callable[[str], bool], on_heard: Callable[[str, str], None]
    ) -> None:
        super().__init__(domain)
        self._is_believed = is_believed
        self._on_heard = on_heard

    def __missing__(self, name: str) -> str:
        full = super().__missing__(name)
        self._on_heard(self.domain, full)
        return full

    def _other(self, name: str) -> str:
        if not self._is_believed(self.domain):
            self._refuse(self._complete(name))
        return super()._other(name)

    def has_heard(self, full: str) -> bool:
        """Return whether the container has spoken for an agent."""
        return shorten_for(full, self.domain) in self

    def forget(self, full: str) -> None:
        """Forget an agent, so that `on_heard` is called when the container speaks for it again."""
        name = shorten_for(full, self.domain)
        if self.pop(name, None) is not None:
            self._size -= len(name) + len(full) + _NAME

    def _refuse(self, name: str) -> NoReturn:
        raise UnbelievedError(
            f"container {self.domain.partition('.')[0]} is not known here as a member of the platform, and "
            f"cannot speak for {name}"
        )


class ReceiverNames(Names):
    """The full names of possible receivers: a container's own agents, and visitors.

    `visitors` are agents of other containers that live here, or did. They come and go, and are not cached.
    """

    def __init__(self, domain: str, visitors: Mapping[str, str]) -> None:
        super().__init__(domain)
        self._visitors = visitors

    def _other(self, name: str) -> str:
        full = self._visitors.get(name)
        if full is None:
            raise AbsentError(self._complete(name))
        return full
