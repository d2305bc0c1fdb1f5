"""The events sent to viewers of a platform: one class for each kind."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from formicary.core.blockers import Blocker  # noqa: TC001 -- msgspec reads the types

At: TypeAlias = Annotated[float, Meta(ge=0, le=253_402_300_799)]
"""A time in seconds since 1970, up to the year 9999, the last that `datetime` supports."""

LONGEST_BODY = 2000
"""How many characters of a message's body an event contains."""


class _Event(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Base of all events, which are encoded as lists that begin with the class name."""


class MessageSeen(_Event, frozen=True, gc=False):
    """A message that was handed to its receiver.

    Args:
        at: when, in seconds since 1970.
        number: its number in its container, from 1; with `container` it identifies the message.
        sender: the full name.
        receiver: the receiver's full name; each of several receivers has its own event.
        performative: as in the message; empty if it has none, like all other parameters.
        protocol: as in the message.
        conversation: its conversation, or its thread.
        reply_with: as in the message.
        in_reply_to: as in the message.
        language: as in the message.
        ontology: as in the message.
        body: its first 2000 characters; bytes as a Python literal.
        size: characters or bytes of the whole body.
        container: the name of its container.
        waited: seconds it waited in the mailbox; None while it waits (`MessageTaken` follows), and for
            micro-agents.
        outcome: `delivered`, or `dead` if nobody took it.
    """

    at: At
    number: int
    sender: str
    receiver: str
    performative: str = ""
    protocol: str = ""
    conversation: str = ""
    reply_with: str = ""
    in_reply_to: str = ""
    language: str = ""
    ontology: str = ""
    body: str = ""
    size: int = 0
    container: str = ""
    waited: float | None = None
    outcome: str = "delivered"


class MessageTaken(_Event, frozen=True, gc=False):
    """A message that waited in a mailbox was received.

    Args:
        at: when, in seconds since 1970, to a tenth of a second.
        number: as of the `MessageSeen`.
        container: as of the `MessageSeen`.
        waited: seconds it waited, to a tenth.
    """

    at: At
    number: int
    container: str
    waited: float


class AgentSeen(_Event, frozen=True, gc=False):
    """An agent has appeared, changed its state, or gone.

    Args:
        at: when, in seconds since 1970.
        name: its full name.
        container: the name of the container where it lives or lived.
        kind: the name of its class.
        state: `active`, `suspended`, `waiting`, `transit`, `asleep`, `ended` or `failed`.
    """

    at: At
    name: str
    container: str
    kind: str
    state: str


class DeadLetter(_Event, frozen=True, gc=False):
    """A message that could not be delivered.

    Args:
        at: when, in seconds since 1970.
        number: its number among the container's dead letters.
        sender: the full name.
        receiver: the intended receiver's full name.
        performative: as in the message.
        reason: why it could not be delivered, as a sentence.
        container: the name of the container that could not deliver it.
        conversation: as of `MessageSeen`.
    """

    at: At
    number: int
    sender: str
    receiver: str
    performative: str
    reason: str
    container: str
    conversation: str = ""


class LeftOut(_Event, frozen=True, gc=False):
    """How many of the messages that match the filters were shown since the last event of this kind.

    Args:
        at: when, in seconds since 1970.
        container: the name of the container.
        shown: how many messages had an event.
        left_out: how many had none because there were too many.
    """

    at: At
    container: str
    shown: int
    left_out: int


class ContainerFigures(msgspec.Struct, frozen=True):
    """A container, in the last second.

    Args:
        name: its own name.
        host: the machine's name.
        pid: the number of its process there.
        cpu: CPU seconds of the process per second; None if not yet known.
        memory: bytes of the process.
        agents: how many live there.
        waiting: messages in mailboxes.
        messages: messages delivered there per second; None if unknown.
        dead_letters: how many there were.
        failures: how often its agents failed.
        subscriptions: open subscriptions to the directory.
        blocked: how often something blocked its event loop.
        blockers: what did so most often.
        cpu_by_group: CPU seconds by group, if the container accounts for them.
    """

    name: str
    host: str
    pid: int
    cpu: float | None
    memory: int
    agents: int
    waiting: int
    messages: float | None
    dead_letters: int
    failures: int
    subscriptions: int = 0
    blocked: int = 0
    blockers: tuple[Blocker, ...] = ()
    cpu_by_group: dict[str, float] = {}


class BehaviourFigures(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A behaviour of an agent.

    Args:
        name: its class.
        waiting: how many messages are in its mailbox.
        state: the current state of a state machine; empty for any other.
    """

    name: str
    waiting: int
    state: str = ""


class AgentFigures(msgspec.Struct, frozen=True):
    """An agent, in the last second.

    Args:
        name: its full name.
        container: the name of the container where it lives.
        kind: the name of its class.
        state: as of `AgentSeen`.
        waiting: how many messages are in its mailboxes.
        messages: how many it received per second; None if unknown.
        cpu: CPU seconds per second, if the container accounts for them.
        failures: how often it failed.
        behaviours: those that have not ended; none for a micro-agent.
    """

    name: str
    container: str
    kind: str
    state: str
    waiting: int = 0
    messages: float | None = None
    cpu: float | None = None
    failures: int = 0
    behaviours: tuple[BehaviourFigures, ...] = ()


class LinkFigures(msgspec.Struct, frozen=True):
    """A container's link to another one.

    Args:
        container: the name of the container.
        peer: the name of the other one.
        way: how frames go there: `direct`, `xmpp`, `relay` or `none`.
        is_up: whether the other end is connected.
        sent: messages sent there per second; None if not yet known.
        received: messages received from there per second.
        unacknowledged: how many frames wait to be acknowledged.
        failed: how many messages could not be delivered there.
        rtt: round-trip time of the latest ping in seconds; None before the first.
    """

    container: str
    peer: str
    way: str
    is_up: bool
    sent: float | None
    received: float | None
    unacknowledged: int
    failed: int
    rtt: float | None


class Entry(msgspec.Struct, frozen=True):
    """An entry of the directory.

    Args:
        agent: the full name of the agent that offers it.
        type: the service type.
        name: its own name.
        properties: further named values, each as text.
    """

    agent: str
    type: str
    name: str
    properties: dict[str, str] = {}


class RolePlayed(msgspec.Struct, frozen=True):
    """A role that an agent plays.

    Args:
        agent: the full name.
        community: the group's community.
        group: the group.
        role: the role.
    """

    agent: str
    community: str
    group: str
    role: str


class Figures(_Event, frozen=True):
    """Changes of the platform's state since the last event of this kind, about once a second per container.

    Args:
        at: when, in seconds since 1970.
        containers: all with new data.
        agents: those that are new or changed, up to a few thousand; the rest follow in the next event.
        gone: the full names of agents that are gone.
        links: all links of these containers.
        directory: all entries, up to a thousand; None if unchanged.
        groups: all roles, up to a thousand; None if unchanged.
        missing: containers that could not be reached, with the reason as a sentence.
    """

    at: At
    containers: tuple[ContainerFigures, ...] = ()
    agents: tuple[AgentFigures, ...] = ()
    gone: tuple[str, ...] = ()
    links: tuple[LinkFigures, ...] = ()
    directory: tuple[Entry, ...] | None = None
    groups: tuple[RolePlayed, ...] | None = None
    missing: dict[str, str] = {}


class Begun(_Event, frozen=True):
    """All earlier events are void: a recording jumped to another time.

    A `Figures` with the whole state at that time follows, and then the latest messages before it, with how
    many were left out.

    Args:
        at: the new time, in seconds since 1970.
    """

    at: At


Event = MessageSeen | MessageTaken | AgentSeen | DeadLetter | LeftOut | Figures | Begun


class Filters(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which messages to include; all filters that are not empty must match.

    Args:
        agent: a substring of the sender's or the receiver's name.
        performative: the performative.
        protocol: the interaction protocol.
        conversation: the conversation or thread.
        text: a substring of the body.
    """

    agent: str = ""
    performative: str = ""
    protocol: str = ""
    conversation: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        if any(len(getattr(self, name)) > LONGEST_BODY for name in self.__struct_fields__):
            raise ValueError(f"a message filter can have at most {LONGEST_BODY} characters")
