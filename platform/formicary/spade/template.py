"""SPADE's templates, which select a behaviour's messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from formicary.spade.message import MessageBase, value_of

if TYPE_CHECKING:
    from formicary import Message as PlatformMessage
    from formicary.spade.agent import Agent


class BaseTemplate(ABC):
    """A template, combinable by `&` (both), `|` (either), `^` (exactly one) and `~` (not)."""

    @abstractmethod
    def match(self, message: Any) -> bool:
        """Return whether a message matches."""

    def our_takes(self, message: PlatformMessage, agent: Agent) -> bool:
        """Return whether a platform message matches; for the platform."""
        return self.match(agent.our_message_of(message))

    def __and__(self, other: object) -> BaseTemplate:
        return ANDTemplate(self, _checked(other))

    def __or__(self, other: object) -> BaseTemplate:
        return ORTemplate(self, _checked(other))

    def __xor__(self, other: object) -> BaseTemplate:
        return XORTemplate(self, _checked(other))

    def __invert__(self) -> BaseTemplate:
        return NOTTemplate(self)


def _checked(other: object) -> BaseTemplate:
    if not isinstance(other, BaseTemplate):
        raise TypeError(
            f"a template can only be combined with another template, not with {type(other).__name__}"
        )
    return other


class NOTTemplate(BaseTemplate):
    """Matches what another template does not match."""

    def __init__(self, expr: BaseTemplate) -> None:
        self.expr = expr

    def match(self, message: Any) -> bool:
        """Return whether a message matches."""
        return not self.expr.match(message)


class _Pair(BaseTemplate):
    def __init__(self, expr1: BaseTemplate, expr2: BaseTemplate) -> None:
        self.expr1 = expr1
        self.expr2 = expr2


class ANDTemplate(_Pair):
    """Matches what both of two templates match."""

    def match(self, message: Any) -> bool:
        """Return whether a message matches."""
        return self.expr1.match(message) and self.expr2.match(message)


class ORTemplate(_Pair):
    """Matches what at least one of two templates matches."""

    def match(self, message: Any) -> bool:
        """Return whether a message matches."""
        return self.expr1.match(message) or self.expr2.match(message)


class XORTemplate(_Pair):
    """Matches what exactly one of two templates matches."""

    def match(self, message: Any) -> bool:
        """Return whether a message matches."""
        return self.expr1.match(message) != self.expr2.match(message)


class Template(BaseTemplate, MessageBase):
    """Matches messages that contain each of its values.

    Arguments: as of `Message`. It can be changed later.
    """

    def match(self, message: Any) -> bool:
        """Return whether a message matches."""
        return MessageBase.match(self, message)

    def our_takes(self, message: PlatformMessage, agent: Agent) -> bool:
        """Return whether a message matches, without creating a SPADE message; as `BaseTemplate`."""
        if type(self).match is not Template.match:
            return super().our_takes(message, agent)
        for key, value in self._metadata.items():
            if (message.performative if key == "performative" else value_of(message, key)) != value:
                return False
        return (
            (not self._to or agent.jid == self._to)
            and (not self._body or message.body == self._body)
            and (not self._thread or message.thread == self._thread)
            and (not self._sender or agent.container.jid_of(message.sender) == self._sender)
        )

    def __str__(self) -> str:
        return self._text("template")
