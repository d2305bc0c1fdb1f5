"""Start copies of agents elsewhere, with all that a move would carry but the messages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from formicary.core.base_agent import BaseAgent
from formicary.core.errors import FormicaryError, MoveError, NoAnswerError, UnauthorisedError
from formicary.core.logs import get_logger
from formicary.core.names import MANAGEMENT, check_local
from formicary.core.quoting import shorten
from formicary.fipa.language import CLONING, ErrorContent, write_error
from formicary.mobility.kinds import Entrance
from formicary.mobility.quiescence import own_strand, quiesce, resume
from formicary.mobility.snapshot import check_can_be_carried, read_snapshot, restore, take_snapshot
from formicary.mobility.waking import admit, awake

if TYPE_CHECKING:
    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.fipa.management_agent import ManagementAgent

logger = get_logger("formicary.mobility")

_DONE: Final = '{"done": "clone"}'


class _Order(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A request to start a copy.

    Args:
        original: the full name of the agent that is copied.
        name: the copy's own name.
        snapshot: the agent.
    """

    original: str
    name: str
    snapshot: msgspec.Raw


_encode = msgspec.msgpack.Encoder().encode
_read_order = msgspec.msgpack.Decoder(_Order).decode
_read_error = msgspec.json.Decoder(ErrorContent).decode


class Cloning:
    """Starts copies of a container's agents elsewhere, and copies of others here.

    Args:
        container: the container.
        agent: its management agent, which sends and receives the requests.
    """

    def __init__(self, container: Container, agent: ManagementAgent) -> None:
        self._container = container
        self._agent = agent
        agent.serve(CLONING, self.handle)

    # -- asking ---------------------------------------------------------------------------------------------

    async def clone(self, agent: Agent | MicroAgent, domain: str, name: str, timeout: float) -> None:
        """Start a copy of an agent, and return when it has begun.

        The agent is resumed as soon as its snapshot is taken. If cancelled, or if the other container does
        not answer, there may be a copy or not.

        Args:
            agent: one of this container.
            domain: the full domain of the container in which it is to live.
            name: its own name there.
            timeout: how many seconds to wait for that container.

        Raises:
            MoveError: it has not started, as far as is known.
            InvalidNameError: the name is invalid.
        """
        check_local(name)
        check_can_be_carried(agent)
        caller = own_strand(agent)
        await quiesce(agent, caller)
        try:
            snapshot = take_snapshot(agent, caller)
        finally:
            resume(agent)
        order = _Order(agent.address or "", name, msgspec.Raw(snapshot))
        if domain == self._container.domain:
            await self._begin(order)
        else:
            await self._ask(order, domain, timeout)

    async def _ask(self, order: _Order, domain: str, timeout: float) -> None:
        message = self._agent.make_request(f"{MANAGEMENT}@{domain}", _encode(order), CLONING)
        try:
            answer = await self._agent.ask(message.replace(language="msgpack"), timeout)
        except NoAnswerError as error:
            reason = f"container {domain} did not answer within {timeout:g} s, and may still start it"
            raise MoveError(f"it is not known whether {order.original} was cloned: {reason}") from error
        except FormicaryError as error:
            raise MoveError(f"{order.original} was not cloned: {error}") from error
        if answer.performative == "inform":
            return
        try:
            reason = _read_error(answer.body).message
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            reason = f"{answer.sender} says {shorten(answer.body)}"
        raise MoveError(reason)

    # -- being asked ----------------------------------------------------------------------------------------

    async def handle(self, message: Message) -> None:
        """Start a copy for another container, and answer."""
        try:
            await self._begin(self._read(message))
            performative, content = "inform", _DONE
        except FormicaryError as error:
            performative, content = write_error(error, "internal-error")
        except Exception:
            logger.exception("a clone that %s has asked for could not be created", message.sender)
            mistake = MoveError(f"the clone could not be created in container {self._container.name}")
            performative, content = write_error(mistake, "internal-error")
        answer = self._agent.make_answer(message, performative, content)
        if answer is not None:
            await self._agent.send(answer)

    def _read(self, message: Message) -> _Order:
        local, _, domain = (message.sender or "").partition("@")
        if local != MANAGEMENT or domain not in self._container.members:
            raise UnauthorisedError(f"{message.sender} is not one of the platform's containers")
        try:
            return _read_order(message.body)  # type: ignore[arg-type]  # text is refused, too
        except (msgspec.DecodeError, UnicodeError, RecursionError, TypeError) as error:
            raise MoveError(f"what arrived is not a clone: {error}") from error

    async def _begin(self, order: _Order) -> None:
        container = self._container
        address = f"{order.name}@{container.domain}"
        snapshot = read_snapshot(order.snapshot)
        try:
            agent = restore(snapshot, order.name, Entrance.of(container))
            container.lifecycle.check_free(address)
            admit(container, address)
        except FormicaryError as error:
            raise MoveError(f"{order.original} was not cloned: {error}") from error
        hook = None
        if type(agent).after_clone is not BaseAgent.after_clone:
            hook = partial(agent.after_clone, order.original)
        state = snapshot.agent_state
        if not await awake(agent, container, address, state=state, hook=hook, part="after_clone"):
            why = "its after_clone() failed or stopped it" if container.is_open else "the container stops"
            raise MoveError(f"{order.original} was not cloned: {why}")
