"""Probes on the path of messages while somebody watches: they count all, and record those to show."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from formicary.core.agent import Agent
from formicary.core.mailbox import Mailbox
from formicary.core.names import MANAGEMENT
from formicary.observe.events import LONGEST_BODY, Filters, MessageSeen, MessageTaken
from formicary.observe.sampling import MARKS, SUSPECT, Marks, Sampler, Suspects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary.container.container import Container
    from formicary.core.mailbox import Deliver, MessageSink
    from formicary.core.message import Message

    Matches = Callable[[Message], bool]

_WAITING: Final = 2000  # messages checked for whether they still wait
_LOOKED_AT: Final = 20_000  # messages in mailboxes examined for that at a time
_BODIES: Final = 100_000  # characters of all bodies in one answer
SHOWN: Final = (f"{MANAGEMENT}@", "df@")  # the containers' own agents that FIPA defines


_ROOMY: Final[Sampler[MessageSeen]] = Sampler(1)
"""Stands in for a sampler when there are filters: messages that match are counted even without room."""


class Probe:
    """Records messages to one agent, for one viewer."""

    # Each message passes here while somebody watches. A method, not a closure: Python specializes such calls,
    # which halves their time.
    __slots__ = (
        "address",
        "beyond",
        "mailbox",
        "mark",
        "marks",
        "own",
        "passed",
        "probes",
        "sampler",
        "sender",
        "shows",
    )

    def __init__(self, probes: Probes, address: str) -> None:
        self.probes = probes
        self.address = address
        self.own = probes.marks[address]
        self.passed = 0
        """The number of messages."""
        self.beyond: Deliver
        self.mailbox: Mailbox | None
        """The mailbox that `beyond` leads to, if the agent has one behaviour with a simple template."""
        self.sampler: Sampler[MessageSeen]
        self.marks: Marks
        self.shows: Matches | None
        self.sender: str | None
        self.mark: int

    def lead_to(self, beyond: Deliver, filters: Filters) -> None:
        """Deliver messages to `beyond` from now on, and record those that match the filters."""
        self.beyond = beyond
        mailbox = getattr(beyond, "__self__", None)
        is_simple = isinstance(mailbox, Mailbox) and (
            mailbox.matches is None or mailbox.performative is not None
        )
        self.mailbox = mailbox if is_simple else None
        is_filtered = filters != Filters()
        self.shows = Matcher(filters, self.address).matches if is_filtered else None
        self.marks = Suspects(filters.conversation) if is_filtered else self.probes.marks
        self.sampler = _ROOMY if is_filtered else self.probes.sampler
        # Sender of the latest message without a conversation, and its mark.
        self.sender = None
        self.mark = MARKS if filters.conversation else SUSPECT

    def deliver(self, message: Message) -> Sequence[MessageSink] | None:
        """Count a message, and record it if it is to be shown."""
        self.passed += 1
        if threshold := self.sampler.threshold:  # under load there is no room most of the time
            conversation = message.conversation_id
            if conversation is None and (conversation := message.thread) is None:
                mark = self.mark if message.sender is self.sender else self._mark_of(message.sender)
            else:
                mark = self.marks[conversation]
            if mark < threshold:
                return self._look_at(message)
        mailbox = self.mailbox
        if mailbox is None:
            return self.beyond(message)
        # Inlined `Mailbox.accept`: calling it would be half the cost of watching.
        wanted = mailbox.performative
        if wanted is not None and message.performative != wanted:
            return self.beyond(message)
        strand = mailbox.strand
        if strand is not None and strand.waiting:
            strand.waiting = False
            scheduler = mailbox.scheduler
            ready = scheduler.ready
            ready.append(strand)
            ready.append(message)
            if not scheduler.awake:
                scheduler.wake()
            return None
        return None if mailbox.put(message) else (mailbox,)

    def _mark_of(self, sender: str | None) -> int:
        """Return the mark of a message without a conversation, and cache it for the sender's next one."""
        self.sender = sender
        if self.shows is None:
            self.mark = self._mark_between(sender)
        return self.mark

    def _mark_between(self, sender: str | None) -> int:
        return self.probes.marks[sender] ^ self.own  # the same in both directions between two agents

    def _look_at(self, message: Message) -> Sequence[MessageSink] | None:
        """Deliver a message, and record it if it matches the filters and there is room."""
        conversation = message.thread if message.conversation_id is None else message.conversation_id
        mark = self._mark_between(message.sender) if conversation is None else self.probes.marks[conversation]
        if (shows := self.shows) is not None:
            if not shows(message):
                return self.beyond(message)
            self.probes.matched += 1
            if mark >= self.probes.sampler.threshold:
                return self.beyond(message)
        return self.probes.note(message, self.address, mark, self.beyond)


class OwnProbe(Probe):
    """Records messages to one of the container's own agents, except those of containers."""

    __slots__ = ()

    def deliver_of_agents(self, message: Message) -> Sequence[MessageSink] | None:
        """Deliver a message; record it like `deliver` if a user's agent sent it."""
        return self.beyond(message) if str(message.sender).startswith(SHOWN) else self.deliver(message)


class Probes:
    """Records messages to all agents of a container, for one viewer.

    Args:
        container: the container.
        filters: which messages to record.
        most: how many of them to keep until they are taken.
        clock: returns the time in seconds since 1970.
    """

    def __init__(self, container: Container, filters: Filters, most: int, clock: Callable[[], float]) -> None:
        self._container = container
        self._clock = clock
        self.marks = Marks()
        self.sampler: Sampler[MessageSeen] = Sampler(most)
        self.by_agent: dict[str, Probe] = {}
        self.filters = filters
        self.matched = 0
        """With filters, how many messages matched since the last `take`."""
        self._number = 0
        self._counted = 0  # messages up to the last `take`
        self._gone = 0  # messages to agents that are gone
        self._own: dict[str, OwnProbe] = {}  # probes of the container's own agents
        # Messages put into mailboxes: mailbox, message, number and time.
        self._waiting: deque[tuple[Mailbox, Message, int, float]] = deque(maxlen=_WAITING)

    def set_filters(self, filters: Filters) -> None:
        """Change which messages to record; the caller renews the entrances."""
        self.filters = filters
        self.sampler.reset()
        self._counted = self.passed()
        self.matched = 0

    @property
    def is_filtered(self) -> bool:
        """Whether there are any filters."""
        return self.filters != Filters()

    def passed(self) -> int:
        """Return how many messages have passed since watching began."""
        return self._gone + sum(
            probe.passed for probes in (self.by_agent, self._own) for probe in probes.values()
        )

    def forget_gone(self) -> None:
        """Drop the counts of agents that are gone."""
        agents = self._container.dispatcher.agents
        for address in [each for each in self.by_agent if each not in agents]:
            self._gone += self.by_agent.pop(address).passed

    # -- on the way -----------------------------------------------------------------------------------------

    def wrap(self, address: str, beyond: Deliver) -> Deliver:
        """Return the entrance of the agent with the full name `address`; `beyond` gets all messages."""
        if address not in self._container.dispatcher.agents:
            return self._past_own(address, beyond)
        probe = self.by_agent.get(address)
        if probe is None:
            probe = self.by_agent[address] = Probe(self, address)
        probe.lead_to(beyond, self.filters)
        return probe.deliver

    def _past_own(self, address: str, beyond: Deliver) -> Deliver:
        if not address.startswith(SHOWN):
            return beyond
        probe = self._own.setdefault(address, OwnProbe(self, address))
        probe.lead_to(beyond, self.filters)
        return probe.deliver_of_agents

    def note(
        self, message: Message, receiver: str, mark: int, beyond: Deliver
    ) -> Sequence[MessageSink] | None:
        """Record a message, and deliver it to `beyond`."""
        self._number += 1
        number, at = self._number, self._clock()
        letters = self._container.dead_letters
        dead_before = letters.total
        full = beyond(message)
        outcome, waited = "delivered", None
        if letters.total != dead_before:
            outcome = "dead"
        elif (mailbox := self._mailbox(message, receiver, full)) is not None:
            self._waiting.append((mailbox, message, number, at))
        else:
            waited = 0.0
        body = message.body
        seen = MessageSeen(
            at,
            number,
            str(message.sender),
            receiver,
            text(message.performative),
            text(message.protocol),
            text(message.conversation_id or message.thread),
            text(message.reply_with),
            text(message.in_reply_to),
            text(message.language),
            text(message.ontology),
            text(body if isinstance(body, str) else repr(body[:LONGEST_BODY]), LONGEST_BODY),
            len(body),
            self._container.name,
            waited,
            outcome,
        )
        self.sampler.add(mark, seen)
        return full

    def _mailbox(self, message: Message, receiver: str, full: Sequence[MessageSink] | None) -> Mailbox | None:
        """Return the mailbox in or for which a message waits; None if it does not wait."""
        agent = self._container.dispatcher.agents.get(receiver)
        if not isinstance(agent, Agent):
            return None
        for behaviour in agent.behaviours:
            mailbox = behaviour.mailbox
            if (waiting := mailbox.messages) and (waiting[-1] is message or (full and mailbox in full)):
                return mailbox
        return None

    # -- what was noted -------------------------------------------------------------------------------------

    def take(self) -> tuple[list[MessageSeen], int]:
        """Return the messages recorded since the last call, and how many more there were."""
        messages = _shortened(sorted(self.sampler.take(), key=_number))
        if self.is_filtered:
            count, self.matched = self.matched, 0
        else:
            passed = self.passed()
            count, self._counted = passed - self._counted, passed
        return messages, max(0, count - len(messages))

    def taken(self) -> Iterator[MessageTaken]:
        """Return the messages that were received since the last call."""
        at, name = self._clock(), self._container.name
        inside: dict[int, set[int]] = {}  # contents by mailbox
        looked_at, still = 0, []
        for each in self._waiting:
            mailbox, message, number, since = each
            there = inside.get(id(mailbox))
            if there is None:
                looked_at += len(mailbox.messages or ())
                if looked_at > _LOOKED_AT:
                    still.append(each)
                    continue
                there = inside[id(mailbox)] = set(map(id, mailbox.messages or ()))
            if id(message) in there:
                still.append(each)
            elif not mailbox.is_done():
                yield MessageTaken(at, number, name, at - since)
        self._waiting = deque(still, maxlen=_WAITING)


def text(value: str | None, longest: int = 200) -> str:
    """Return the start of a parameter as text; empty if it has no value."""
    if value is None:
        return ""
    value = value[:longest]
    return value if value.isascii() else value.encode(errors="replace").decode()


def _shortened(messages: list[MessageSeen]) -> list[MessageSeen]:
    """Return an answer's messages with bodies cut to what it can hold."""
    size = sum(len(message.body) for message in messages)
    if size <= _BODIES:
        return messages
    longest = _BODIES // len(messages)
    return [replace(message, body=message.body[:longest]) for message in messages]


def _number(message: MessageSeen) -> int:
    return message.number


class Matcher:
    """Matches messages to a receiver against filters, ignoring the case of names and text."""

    __slots__ = ("_agent", "_conversation", "_part", "_performative", "_protocol")

    def __init__(self, filters: Filters, receiver: str) -> None:
        agent = filters.agent.casefold()
        self._agent = "" if agent in receiver.casefold() else agent
        self._part = filters.text.casefold()
        self._performative, self._protocol = filters.performative, filters.protocol
        self._conversation = filters.conversation

    def matches(self, message: Message) -> bool:
        """Return whether a message matches the filters."""
        conversation, part = self._conversation, self._part
        if conversation and conversation != (message.conversation_id or message.thread):
            return False
        return not (
            (self._performative and message.performative != self._performative)
            or (self._protocol and message.protocol != self._protocol)
            or (self._agent and self._agent not in str(message.sender).casefold())
            or (part and not (isinstance(message.body, str) and part in message.body.casefold()))
        )
