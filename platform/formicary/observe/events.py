"""What somebody who watches a platform is told: one class for each kind of event, as data."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from formicary.container.blockers import Blocker  # noqa: TC001 -- msgspec reads the types

At: TypeAlias = Annotated[float, Meta(ge=0, le=253_402_300_799)]
"""A time in seconds since 1970, up to the year 9999: calendars have no other, so none is believed."""

LONGEST_BODY = 2000
"""How many characters of a message's body are told."""


class _Event(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What all events have in common: they are written as lists that begin with the name of the class."""


class MessageSeen(_Event, frozen=True, gc=False):
    """A message that was handed to its receiver.

    Args:
        at: when, in seconds since 1970.
        number: which one it was in its container, from 1 on; with `container` it names the message.
        sender: the full name.
        receiver: the full name of who got it; of several receivers each has an event.
        performative: as of the message; empty where it has none, as with all other parameters.
        protocol: as of the message.
        conversation: its conversation, or else its thread.
        reply_with: as of the message.
        in_reply_to: as of the message.
        language: as of the message.
        ontology: as of the message.
        body: its first 2000 characters; bytes as Python writes them.
        size: of how many characters or bytes the whole body is.
        container: the name of the container where it was seen.
        waited: how many seconds it waited in the mailbox; None as long as it does (`MessageTaken` says
            it), and of micro-agents.
        outcome: `delivered`; or `dead`: nobody took it.
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
    """A message that has waited in a mailbox was received.

    Args:
        at: when, in seconds since 1970, to a tenth of a second.
        number: as of the `MessageSeen`.
        container: as of the `MessageSeen`.
        waited: how many seconds it waited, to a tenth.
    """

    at: At
    number: int
    container: str
    waited: float


class AgentSeen(_Event, frozen=True, gc=False):
    """An agent has come, has another state, or is gone.

    Args:
        at: when, in seconds since 1970.
        name: its full name.
        container: the name of the container where it lives, or has lived.
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
        at: when that was known, in seconds since 1970.
        number: the how manieth dead letter of its container it is.
        sender: the full name.
        receiver: the full name of who should have got it.
        performative: as of the message.
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
    """How many of the messages that the filter lets through were shown since the last one of these.

    Args:
        at: when, in seconds since 1970.
        container: the name of the container.
        shown: how many messages had an event.
        left_out: how many had none, as there were too many.
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
        cpu: seconds of CPU of the process in a second; None where that is not known yet.
        memory: bytes of the process.
        agents: how many live there.
        waiting: messages in mailboxes.
        messages: messages that were delivered there in a second; None where that is not known.
        dead_letters: how many there were.
        failures: how often its agents have failed.
        subscriptions: how many to the directory are open there.
        blocked: how often something has blocked its event loop.
        blockers: who did so most often.
        cpu_by_group: seconds of CPU by group, where the container accounts for it.
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
        state: the name of the state that a state machine is in; empty of any other.
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
        messages: how many it got in a second; None where that is not known.
        cpu: seconds of CPU in a second, where the container accounts for it.
        failures: how often it has failed.
        behaviours: those that have not ended; none of a micro-agent.
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
        is_up: whether the other end is there.
        sent: messages that go there in a second; None where that is not known yet.
        received: messages that come from there in a second.
        unacknowledged: how many frames wait to be acknowledged.
        failed: how many messages could not be delivered there.
        rtt: seconds of the latest ping's round trip; None before there was one.
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
        agent: the full name of who offers it.
        type: what it is.
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
        community: of the group.
        group: the group.
        role: the role.
    """

    agent: str
    community: str
    group: str
    role: str


class Figures(_Event, frozen=True):
    """How the platform is, about once a second for each container: what has changed since the last one.

    Args:
        at: when, in seconds since 1970.
        containers: all of which something was learnt.
        agents: those that are new, or of which something has changed, but no more than some thousand; others
            come in the next one.
        gone: the full names of agents that are not there any more.
        links: all of these containers.
        directory: all entries, up to a thousand; None where nothing has changed.
        groups: all roles, up to a thousand; None where nothing has changed.
        missing: containers that could not be asked, with the reason as a sentence.
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
    """What was told before does not hold any more: somebody has gone to another time of a recording.

    A `Figures` follows with all that there was then, and then the latest messages before it, with
    how many were left out.

    Args:
        at: which time it is, in seconds since 1970.
    """

    at: At


Event = MessageSeen | MessageTaken | AgentSeen | DeadLetter | LeftOut | Figures | Begun


class Filters(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which messages are told; what is empty lets all through. All that are given have to hold.

    Args:
        agent: a part of the sender's or the receiver's name.
        performative: the type of the communicative act.
        protocol: the interaction protocol.
        conversation: the conversation or thread.
        text: a part of the body.
    """

    agent: str = ""
    performative: str = ""
    protocol: str = ""
    conversation: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        if any(len(getattr(self, name)) > LONGEST_BODY for name in self.__struct_fields__):
            raise ValueError(f"a message filter can have at most {LONGEST_BODY} characters")
