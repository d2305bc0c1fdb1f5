"""What participants define: the methods that answer by a protocol, and their replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from formicary.core.base_agent import BaseAgent
from formicary.core.errors import DefinitionError
from formicary.protocols.table import Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Reply:
    """A participant's reply.

    Args:
        body: the content.
        fields: more parameters of the message, such as `language`.
    """

    __slots__ = ("body", "fields")

    performative = "inform"

    def __init__(self, body: str | bytes = "", **fields: Any) -> None:
        self.body = body
        self.fields = fields


class Inform(Reply):
    """Tells the result."""

    __slots__ = ()


class Agree(Reply):
    """Agrees to a request; the result follows later."""

    __slots__ = ()
    performative = "agree"


class Propose(Reply):
    """Makes a proposal."""

    __slots__ = ()
    performative = "propose"


class Accept(Reply):
    """Accepts a proposal."""

    __slots__ = ()
    performative = "accept-proposal"


class Reject(Reply):
    """Rejects a proposal."""

    __slots__ = ()
    performative = "reject-proposal"


class Confirm(Reply):
    """Confirms that something is true, or can be done."""

    __slots__ = ()
    performative = "confirm"


class Disconfirm(Reply):
    """Denies that something is true, or can be done."""

    __slots__ = ()
    performative = "disconfirm"


class Say(Reply):
    """A reply with any performative, for protocols of your own.

    Args:
        performative: its performative, such as `"query-ref"`.
        body: the content.
        fields: more parameters of the message.
    """

    __slots__ = ("performative",)

    def __init__(self, performative: str, body: str | bytes = "", **fields: Any) -> None:
        super().__init__(body, **fields)
        self.performative = performative


class Refuse(Exception):  # noqa: N818 -- a reply, not an error
    """Raised by a participant to refuse, with the reason."""


class Failure(Exception):  # noqa: N818 -- as above
    """Raised by a participant that has failed, with the reason."""


class Participant:
    """A participant of one conversation as a class, with a method for each performative of the initiator.

    `accept-proposal` is answered by `accept_proposal(message)`, and so on; a missing method answers as a
    function would. Inside an agent's class, with `@responds`, it is created for each conversation.

    Args:
        agent: the agent that takes part.
    """

    def __init__(self, agent: Any) -> None:
        self.agent = agent


class Responder(NamedTuple):
    """An agent's method or class that answers by a protocol.

    Attributes:
        protocol: the protocol.
        name: the name of the agent's method, or of its class of `Participant`.
    """

    protocol: Protocol
    name: str


class responds:  # noqa: N801 -- a decorator
    """Makes a method of an agent answer by some protocols: `@responds(Request)`.

    The method is called with the initiator's message, and returns its reply: text or bytes (an `Inform`),
    None (an empty one), or a `Reply` such as `Propose("10")`. It may raise `Refuse` or `Failure`; any other
    exception is recorded as a failure of the agent, too. For more than one step, use a generator
    (`answer = yield Propose("10")`), or a class of `Participant`. Each may be `async`.

    Args:
        protocols: the protocols, such as `Request`.

    Raises:
        DefinitionError: an argument is no protocol, or the decorated function is no method of an agent.
    """

    def __init__(self, *protocols: Protocol) -> None:
        for protocol in protocols:
            if not isinstance(protocol, Protocol):
                raise DefinitionError(
                    f"responds() takes protocols, such as Request, not {protocol!r}: write @responds(Request)"
                )
        self._protocols = protocols
        self._method: Any = None

    def __call__(self, method: Callable[..., Any]) -> Any:
        """Decorate a method."""
        self._method = method
        return self

    def __set_name__(self, owner: type, name: str) -> None:
        if not issubclass(owner, BaseAgent):
            raise DefinitionError(
                f"{owner.__name__}.{name} has @responds, which only works on methods of agents"
            )
        own = {(each.name, each.opening): Responder(each, name) for each in self._protocols}
        owner.responders = {**owner.responders, **own}
        setattr(owner, name, self._method)


def as_reply(given: object) -> Reply | None:
    """Return the reply for a participant's result; None if the result is invalid."""
    if isinstance(given, Reply):
        return given
    if given is None:
        return Inform()
    return Inform(given) if isinstance(given, str | bytes) else None
