"""Finds the behaviours that want a message; their templates are evaluated once for each kind of message."""

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
    """Delivers messages to an agent that has several behaviours, or none.

    Templates look at a few parameters of a message. Messages with equal values of these are of one kind: a
    behaviour that wants one of them wants all. So each template is evaluated once for each kind, and the
    result is remembered. If there are too many kinds, or a template is the user's own code, all templates are
    evaluated for each message.

    Args:
        agent: the agent; it creates another one when its behaviours change.
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
        """Return how to deliver a message, and remember it for others of its kind."""
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
        with suppress(TypeError):  # an unhashable parameter, which is reported elsewhere
            self._ways[self._kind_of(message)] = way
        return way


def _unknown(_: Message) -> None:
    """Return None: the kind of a message is unknown."""


def _kinds(templates: Sequence[Template | None]) -> Callable[[Message], Any]:
    """Return a function that returns the kind of a message."""
    fields: set[str] = set()
    for template in templates:
        if template is not None and type(template) is not Template:
            return _unknown
        fields |= template.fields if template is not None else set()
    return attrgetter(*sorted(fields)) if fields else _unknown
