"""Asks a group's gatekeeper, which runs in the container of the group's manager, for a role."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from formicary.core.base_agent import AgentState
from formicary.core.errors import AdmissionError, FormicaryError, GroupError, InvalidMessageError, MoveError
from formicary.core.logs import get_logger
from formicary.core.names import MANAGEMENT, is_container_of
from formicary.core.quoting import shorten
from formicary.fipa.language import LANGUAGE, REQUEST, ErrorContent
from formicary.groups.naming import ONTOLOGY

if TYPE_CHECKING:
    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.core.message import Message
    from formicary.fipa.management_agent import ManagementAgent
    from formicary.groups.naming import Role

Gatekeeper = Callable[[str, str, Any], bool | str | Awaitable[bool | str]]
"""Decides who may play a role: `(agent, role, pass_key)` to True, False, or the reason why not."""

logger = get_logger("formicary.groups")

_PATIENCE: Final = 10.0  # s for a gatekeeper's decision
_LONGEST: Final = 1000  # characters of a reason
_LOOK: Final = 0.02  # s between checks whether a manager has arrived
_TRANSIT = AgentState.TRANSIT


class RequestRole(
    msgspec.Struct, frozen=True, tag_field="action", tag="request-role", forbid_unknown_fields=True
):
    """A request of an agent's container to that of a group's manager.

    Args:
        manager: the full name of the manager.
        agent: the full name of the agent that requests the role.
        community: the name of the community.
        group: the name of the group.
        role: the name of the role.
        pass_key: passed to the gatekeeper.
    """

    manager: str
    agent: str
    community: str
    group: str
    role: str
    pass_key: Any = None


class _Done(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    done: str


class MethodGatekeeper:
    """A gatekeeper that is a method of a manager that has moved here.

    Args:
        agents: the container's agents, by full name.
        manager: the full name of the manager.
        name: the name of the method.
    """

    def __init__(self, agents: Mapping[str | None, BaseAgent], manager: str, name: str) -> None:
        self.name = name
        self._agents = agents
        self._manager = manager

    def __call__(self, agent: str, role: str, pass_key: object) -> bool | str | Awaitable[bool | str]:
        """Decide; see `Gatekeeper`."""
        decide: Gatekeeper = getattr(self._agents[self._manager], self.name)
        return decide(agent, role, pass_key)


def is_method(kind: type, name: str) -> bool:
    """Return whether a class has a method of this name."""
    return inspect.isfunction(getattr(kind, name, None))


class AdmissionControl:
    """Asks gatekeepers in other containers, and calls those of this container's agents."""

    def __init__(self, container: Container, agent: ManagementAgent) -> None:
        self._container = container
        self._agent = agent
        self._gatekeepers: dict[tuple[str, str, str], Gatekeeper] = {}  # by manager, community and group
        agent.serve(ONTOLOGY, self.handle)

    def set_gatekeeper(self, manager: str, community: str, group: str, gatekeeper: Gatekeeper) -> None:
        """Set the gatekeeper of a group that an agent of this container manages."""
        self._gatekeepers[manager, community, group] = gatekeeper

    def remove_gatekeeper(self, manager: str, community: str, group: str) -> None:
        """Remove the gatekeeper of a group, if any."""
        self._gatekeepers.pop((manager, community, group), None)

    # -- asking ---------------------------------------------------------------------------------------------

    async def ask(self, agent: str, role: Role, manager: str, domain: str, pass_key: object) -> None:
        """Return if an agent may play a role.

        Args:
            agent: its full name.
            role: the role.
            manager: the full name of the group's manager.
            domain: the domain of the manager's last known container.
            pass_key: passed to the gatekeeper: any value that JSON can encode.

        Raises:
            AdmissionError: it may not, for the gatekeeper's reason.
            GroupError: the manager's container cannot be asked.
            InvalidMessageError: JSON cannot encode the pass key.
        """
        content = _write(RequestRole(manager, agent, *role, pass_key))
        if domain == self._container.domain:
            reason = await self._decide(
                _requests.decode(content)
            )  # decoded, so that the pass key is the same as elsewhere
            if reason is not None:
                raise AdmissionError(reason)
            return
        message = self._agent.make_request(f"{MANAGEMENT}@{domain}", content, ONTOLOGY)
        try:
            answer = await self._agent.ask(message)
        except FormicaryError as error:
            raise GroupError(f"the manager of the group {role.group!r} cannot be reached: {error}") from error
        if answer.performative != "inform":
            raise _read_error(answer)

    # -- incoming requests ----------------------------------------------------------------------------------

    async def handle(self, message: Message) -> None:
        """Answer a request."""
        try:
            request = self._read(message)
        except ValueError as error:
            await self._answer(message, "not-understood", ErrorContent("unrecognised-value", str(error)))
            return
        reason = await self._decide(request)
        if reason is None:
            await self._answer(message, "inform", _Done("request-role"))
        else:
            await self._answer(message, "refuse", ErrorContent("refused", reason))

    def _read(self, message: Message) -> RequestRole:
        """Return the request in a message; ValueError if it is invalid or its sender may not make it."""
        if message.performative != "request" or message.protocol not in {None, REQUEST}:
            raise ValueError("of groups, a container understands the performative request, with fipa-request")
        if message.language not in {None, LANGUAGE}:
            raise ValueError(f"a request for a role must be in the language {LANGUAGE!r}")
        try:
            request = _requests.decode(message.body)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise ValueError(f"cannot read the request for a role: {error}") from None
        home = request.agent.partition("@")[2]
        speaker, _, domain = (message.sender or "").partition("@")
        # The name of an agent that has moved does not show its container; other members are trusted.
        is_member = domain == home or domain in self._container.members
        if speaker != MANAGEMENT or not is_member or not is_container_of(home, self._container.platform):
            raise ValueError(f"{message.sender} may not ask for {shorten(request.agent)}: its container does")
        return request

    async def _decide(self, request: RequestRole) -> str | None:
        """Return None if an agent may play a role, otherwise why not."""
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._wait_while_away(request.manager)
                gatekeeper = self._gatekeepers.get((request.manager, request.community, request.group))
                if gatekeeper is None:
                    return f"{request.manager} no longer manages the group {request.group!r}"
                decision: object = gatekeeper(request.agent, request.role, request.pass_key)
                if inspect.isawaitable(decision):
                    decision = await decision
        except TimeoutError:
            return f"the gatekeeper of the group {request.group!r} has not decided within {_PATIENCE:g} s"
        except Exception as error:
            logger.exception("the gatekeeper of the group %r failed", request.group)
            reason = f"the gatekeeper of the group {request.group!r} failed: {type(error).__name__}: {error}"
            return _shorten(reason)
        if isinstance(decision, str):
            return _shorten(decision)
        if isinstance(decision, bool):
            return None if decision else f"the gatekeeper of the group {request.group!r} refused"
        logger.error("the gatekeeper of the group %r returned %s", request.group, type(decision).__name__)
        return f"the gatekeeper of the group {request.group!r} returned neither True nor False"

    async def _wait_while_away(self, manager: str) -> None:
        """Wait while a manager is between containers, as its decisions would not move with it."""
        agents = self._container.dispatcher.agents
        while (agent := agents.get(manager)) and agent.state is _TRANSIT:  # noqa: ASYNC110 -- it ends in many ways
            await asyncio.sleep(_LOOK)

    # -- managers that move ---------------------------------------------------------------------------------

    def hand_over(self, manager: str, role: Role) -> str | None:
        """Return the name of the method that is the gatekeeper of a manager's group; None if it has none.

        Raises:
            MoveError: the gatekeeper is no method of the manager, and cannot move.
        """
        gatekeeper = self._gatekeepers.get((manager, role.community, role.group))
        if gatekeeper is None:
            return None
        if isinstance(gatekeeper, MethodGatekeeper):
            return gatekeeper.name
        agent = self._container.dispatcher.agents.get(manager)
        name = str(getattr(gatekeeper, "__name__", ""))
        if getattr(gatekeeper, "__self__", None) is agent and is_method(type(agent), name):
            return name
        raise MoveError(
            f"agent {manager.partition('@')[0]} cannot move: the gatekeeper of the group "
            f"{role.group!r} is not one of its methods, so it would stay here; make it a method of "
            "the agent's class"
        )

    def take_over(self, manager: str, role: Role, name: str) -> None:
        """Set a method of an agent that has arrived as the gatekeeper of its group."""
        agents = self._container.dispatcher.agents
        self._gatekeepers[manager, role.community, role.group] = MethodGatekeeper(agents, manager, name)

    async def _answer(self, message: Message, performative: str, content: _Done | ErrorContent) -> None:
        answer = self._agent.make_answer(message, performative, msgspec.json.encode(content).decode())
        if answer is not None:
            with suppress(FormicaryError):  # it is among the dead letters
                await self._agent.send(answer)


def _shorten(reason: str) -> str:
    """Return a reason, cut to the length that can be sent."""
    return reason[:_LONGEST].encode(errors="replace").decode()


def _write(request: RequestRole) -> str:
    try:
        return msgspec.json.encode(request).decode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidMessageError(f"a pass key must be valid JSON: {error}") from None


def _read_error(answer: Message) -> GroupError:
    try:
        content = _errors.decode(answer.body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return GroupError(f"the group's manager refused, saying {shorten(answer.body)}")
    return (AdmissionError if answer.performative == "refuse" else GroupError)(content.message)


_requests = msgspec.json.Decoder(RequestRole)
_errors = msgspec.json.Decoder(ErrorContent)
