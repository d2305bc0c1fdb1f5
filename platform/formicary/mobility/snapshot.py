"""Turn an agent at rest into msgpack, and that into an agent that can be woken.

Nothing is pickled, and no code is carried. A snapshot that arrives is checked first: the container must
accept its classes, and data must be of the type that its class declares there. Users' `__init__` are not run,
the platform's own are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from formicary.core.agent import Agent
from formicary.core.base_agent import AgentState, BaseAgent
from formicary.core.errors import AgentStateError, FormicaryError, MoveError
from formicary.core.failures import AgentFailures, FailureRecord
from formicary.core.importing import describe_error
from formicary.core.micro import MicroAgent
from formicary.fipa.control_codec import Number  # noqa: TC001 -- msgspec reads the types
from formicary.mobility import kinds, plain_data
from formicary.mobility.behaviours import BehaviourSnapshot, give_behaviour, take_behaviour
from formicary.mobility.declared_data import give_data, take_data, upgrade_data

if TYPE_CHECKING:
    from formicary.core.strand import Strand

LARGEST: Final = 1 << 24
"""The most bytes in a snapshot: 16 MiB."""


class FailuresSnapshot(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An agent's failures.

    Args:
        total: how many there were.
        first: the first, as text.
        latest: the latest.
    """

    total: Number
    first: str
    latest: FailureRecord


class Snapshot(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An agent, as it is carried.

    Args:
        format: the version of this structure.
        kind: its class.
        version: the class's `data_version`.
        state: the state in which it continues.
        data: its `data`.
        knowledge: what it has `set`, as plain data; None if nothing.
        behaviours: those that have not ended, in order.
        failures: its failures; None if there were none.
    """

    format: Literal[1]
    kind: str
    version: Number
    state: Literal["active", "suspended", "waiting"]
    data: msgspec.Raw
    knowledge: msgspec.Raw = plain_data.NIL
    behaviours: tuple[BehaviourSnapshot, ...] = ()
    failures: FailuresSnapshot | None = None

    @property
    def agent_state(self) -> AgentState:
        """The state in which the agent continues."""
        return _STATES[self.state]


_NIL: Final = bytes(plain_data.NIL)
_STATES: Final = {state.value: state for state in AgentState}
_KINDS: Final = (Agent, MicroAgent)

_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(Snapshot)


def check_can_be_carried(agent: Agent | MicroAgent) -> None:
    """Check that an agent may be carried at all, before it is brought to rest.

    Raises:
        MoveError: it may not.
    """
    dispatcher = agent.container.dispatcher
    if agent.address in dispatcher.outlets:
        raise MoveError(f"agent {agent.name} cannot move: it has its own XMPP account, which stays here")
    if agent.address in dispatcher.system_agents:
        raise MoveError(f"agent {agent.name} cannot move: it serves its container")


def take_snapshot(agent: Agent | MicroAgent, caller: Strand | None = None) -> bytes:
    """Return the snapshot of an agent that was brought to rest.

    Args:
        agent: the agent.
        caller: the strand of its own that asked it to move.

    Raises:
        MoveError: some of it cannot be carried, or it is too large; the agent is unchanged.
    """
    check_can_be_carried(agent)
    try:
        encoded = _encode(_take(agent, caller))
    except MoveError as error:
        raise MoveError(f"agent {agent.name} cannot move: {error}") from error
    if len(encoded) > LARGEST:
        raise MoveError(
            f"agent {agent.name} cannot move: it would carry {len(encoded)} bytes, and the limit is "
            f"{LARGEST}; leave some of them behind"
        )
    return encoded


def _take(agent: Agent | MicroAgent, caller: Strand | None) -> Snapshot:
    kind = kinds.name_of(type(agent))
    data, failures = take_data(agent, "its"), _take_failures(agent)
    if not isinstance(agent, Agent):
        return Snapshot(1, kind, agent.data_version, "active", data, failures=failures)
    behaviours = [
        take_behaviour(each, is_caller=caller is not None and each.mailbox.strand is caller)
        for each in agent.behaviours
    ]
    held = agent.container.dispatcher.held.get(agent.address)
    state: Any = "active"
    if held is not None and held.state is not AgentState.ACTIVE:
        state = held.state.value
    knowledge = _take_knowledge(agent)
    return Snapshot(1, kind, agent.data_version, state, data, knowledge, tuple(behaviours), failures)


def _take_knowledge(agent: Agent) -> msgspec.Raw:
    knowledge = agent._knowledge  # noqa: SLF001 -- mobility and agents are one
    if not knowledge:
        return plain_data.NIL
    try:
        return msgspec.Raw(plain_data.encode(knowledge))
    except plain_data.UncarriedError as error:
        raise MoveError(
            f"its knowledge{error.path} {error}, which cannot be carried; put it in `data`, whose "
            "type you can declare, or make it plain data"
        ) from None


def _take_failures(agent: BaseAgent) -> FailuresSnapshot | None:
    failures = agent._failures  # noqa: SLF001 -- as above
    if failures is None:
        return None
    return FailuresSnapshot(failures.total, describe_error(failures.first), failures.latest)


# -- arriving ------------------------------------------------------------------------------------------------


def read_snapshot(payload: bytes | memoryview | msgspec.Raw) -> Snapshot:
    """Return a snapshot that has arrived.

    Raises:
        MoveError: it is invalid, or too large.
    """
    if memoryview(payload).nbytes > LARGEST:
        raise MoveError(f"the agent carries more than {LARGEST} bytes")
    try:
        return _decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MoveError(f"what arrived is not an agent: {error}") from error


def restore(snapshot: Snapshot, name: str, entrance: kinds.Entrance) -> Agent | MicroAgent:
    """Return the agent of a snapshot, not yet started; see `waking.awake`.

    Args:
        snapshot: the snapshot.
        name: the agent's own name.
        entrance: the classes that may arrive.

    Raises:
        MoveError: a class is not accepted or does not exist here, or data is not of the declared type, or of
            a version that cannot be upgraded.
    """
    kind: Any = kinds.find(snapshot.kind, BaseAgent, entrance)
    if not issubclass(kind, _KINDS):
        raise MoveError(f"{snapshot.kind} is not an agent class in container {entrance.name}")
    agent: Any = object.__new__(kind)
    base: Any = Agent if issubclass(kind, Agent) else MicroAgent
    try:
        base.__init__(agent, name)
        if snapshot.version == agent.data_version:
            give_data(agent, snapshot.data, "its")
        else:
            upgrade_data(agent, snapshot.data, snapshot.version)
        if isinstance(agent, Agent):
            for carried in snapshot.behaviours:
                agent.add_behaviour(give_behaviour(carried, entrance))
            if bytes(snapshot.knowledge) != _NIL:
                _give_knowledge(agent, plain_data.decode(snapshot.knowledge))
    except MoveError:
        raise
    except (FormicaryError, ValueError) as error:
        raise MoveError(f"the agent cannot be created in container {entrance.name}: {error}") from error
    if snapshot.failures is not None:
        failures = AgentFailures(AgentStateError(snapshot.failures.first), snapshot.failures.latest)
        failures.total = snapshot.failures.total
        agent._failures = failures  # noqa: SLF001 -- as above
    return agent  # type: ignore[no-any-return]  # its class was checked


def _give_knowledge(agent: Agent, knowledge: Any) -> None:
    if not isinstance(knowledge, dict):
        raise MoveError(f"its knowledge is {type(knowledge).__name__}")
    for name, value in knowledge.items():
        agent.set(name, value)
