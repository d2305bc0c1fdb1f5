"""Which of an agent's behaviours want a message: asked of their templates once for messages of a kind."""

from __future__ import annotations

from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from formicary.core.template import Template

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.core.agent import Agent
    from formicary.core.mailbox import Deliver, MessageSink
    from formicary.core.message import Message

_REMEMBERED = 64  # kinds of messages, for each agent


class Choice:
    """The way in to an agent that has several behaviours, or none.

    Templates look at a few parameters of a message. Messages that are equal in these are of one kind: who
    wants one of them wants all. So each template is asked once for each kind, and remembered is how messages
    of that kind are handed over. Where there are too many kinds, or a template is code of the user's own, all
    templates are asked for each message.

    Args:
        agent: it makes another one when its behaviours change.
    """

    __slots__ = ("_agent", "_kind_of", "_ways")

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._ways: dict[Any, Deliver] = {}
        self._kind_of = _kinds([behaviour.template for behaviour in agent.behaviours])

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Hand a message to every behaviour that wants it; return the mailboxes that are full."""
        try:
            way = self._ways[self._kind_of(message)]
        except (KeyError, TypeError):
            way = self._find(message)
        return way(message)

    def _find(self, message: Message) -> Deliver:
        """Return how to hand over a message, and remember it for others of its kind."""
        agent = self._agent
        if self._kind_of is _unknown:
            return agent.deliver_message
        wanting = [
            mailbox
            for mailbox in (behaviour.mailbox for behaviour in agent.behaviours)
            if mailbox.matches is None or mailbox.matches(message)
        ]
        way = wanting[0].take if len(wanting) == 1 else agent.deliver_message
        if len(self._ways) >= _REMEMBERED:
            self._kind_of = _unknown
            self._ways.clear()
            return way
        with suppress(TypeError):  # it has a parameter that cannot be a key: others will complain about that
            self._ways[self._kind_of(message)] = way
        return way


def _unknown(_: Message) -> None:
    """Return None: messages are of no known kind."""


def _kinds(templates: Sequence[Template | None]) -> Callable[[Message], Any]:
    """Return what tells messages apart as templates do."""
    fields: set[str] = set()
    for template in templates:
        if template is not None and type(template) is not Template:
            return _unknown
        fields |= template.fields if template is not None else set()
    return attrgetter(*sorted(fields)) if fields else _unknown
