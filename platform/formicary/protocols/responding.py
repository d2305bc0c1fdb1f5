"""What participants write: which of an agent's methods answers by which protocol, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from formicary.core.base_agent import BaseAgent
from formicary.core.errors import DefinitionError
from formicary.protocols.table import Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Reply:
    """What a participant says.

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
    """Says that it will be done; the result comes later."""

    __slots__ = ()
    performative = "agree"


class Propose(Reply):
    """Makes a proposal."""

    __slots__ = ()
    performative = "propose"


class Accept(Reply):
    """Accepts what was proposed."""

    __slots__ = ()
    performative = "accept-proposal"


class Reject(Reply):
    """Rejects what was proposed."""

    __slots__ = ()
    performative = "reject-proposal"


class Confirm(Reply):
    """Says that it is so, or that it can be done."""

    __slots__ = ()
    performative = "confirm"


class Disconfirm(Reply):
    """Says that it is not so, or that it cannot be done."""

    __slots__ = ()
    performative = "disconfirm"


class Say(Reply):
    """Says anything, for protocols of your own.

    Args:
        performative: what it does, such as `"query-ref"`.
        body: the content.
        fields: more parameters of the message.
    """

    __slots__ = ("performative",)

    def __init__(self, performative: str, body: str | bytes = "", **fields: Any) -> None:
        super().__init__(body, **fields)
        self.performative = performative


class Refuse(Exception):  # noqa: N818 -- it is what is said, and no mistake
    """Raised by a participant that does not want to; it says why."""


class Failure(Exception):  # noqa: N818 -- as above
    """Raised by a participant that cannot do it; it says why."""


class Participant:
    """A participant of one conversation, as a class: a method for each performative of the initiator's.

    `accept-proposal` is answered by `accept_proposal(message)`, and so on; what is not there is answered as
    by a function. Where the agent is a class with `@responds`, this is made for each conversation.

    Args:
        agent: the agent that takes part.
    """

    def __init__(self, agent: Any) -> None:
        self.agent = agent


class Responder(NamedTuple):
    """What answers by a protocol.

    Attributes:
        protocol: the protocol.
        name: of the agent's method, or of the class of `Participant` in it.
    """

    protocol: Protocol
    name: str


class responds:  # noqa: N801 -- a decorator
    """Has a method of an agent answer by some protocols: `@responds(Request)`.

    The method gets the initiator's message, and returns what is said: text or bytes (which is an
    `Inform`), nothing (an empty one), or a `Reply` such as `Propose("10")`. It may raise `Refuse` or
    `Failure`; any other exception is a failure of the agent, too. Where more than one step is needed it is a
    generator (`answer = yield Propose("10")`), or a class of `Participant`. Each may be `async`.

    Args:
        protocols: the protocols, such as `Request`.

    Raises:
        DefinitionError: something else is given for a protocol, or it is no method of an agent.
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
        """Take the method."""
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
    """Return what a participant's function has said; None where that is nonsense.

    Args:
        given: what it has returned.
    """
    if isinstance(given, Reply):
        return given
    if given is None:
        return Inform()
    return Inform(given) if isinstance(given, str | bytes) else None
