"""What stands on the way of messages while somebody watches: it counts all, and notes those to be shown."""

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

_WAITING: Final = 2000  # messages of which it is looked whether they still wait
_LOOKED_AT: Final = 20_000  # messages in mailboxes that are gone through for that at one time
_BODIES: Final = 100_000  # characters of all bodies of one answer
SHOWN: Final = (f"{MANAGEMENT}@", "df@")  # of the containers' own agents, those that are FIPA's


_ROOMY: Final[Sampler[MessageSeen]] = Sampler(1)
"""In the place of a sampler where there are filters: what these let through is counted, room or not."""


class Probe:
    """Stands on the way to one agent, for one viewer.

    Args:
        probes: those of all agents.
        address: the agent's full name.
    """

    # Each message passes here while somebody watches. It is a method and no closure, as Python calls those
    # that it has seen before in half the time.
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
        """How many messages have come."""
        self.beyond: Deliver
        self.mailbox: Mailbox | None
        """Where an agent has one behaviour with a simple template: `beyond` is this one's."""
        self.sampler: Sampler[MessageSeen]
        self.marks: Marks
        self.shows: Matches | None
        self.sender: str | None
        self.mark: int

    def lead_to(self, beyond: Deliver, filters: Filters) -> None:
        """Hand messages to `beyond` from now on, and note those that the filters let through."""
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
        # Of a message of no conversation: whose the latest was, and the mark of such.
        self.sender = None
        self.mark = MARKS if filters.conversation else SUSPECT

    def deliver(self, message: Message) -> Sequence[MessageSink] | None:
        """Count a message, and note it if it is one of those to be shown."""
        self.passed += 1
        if threshold := self.sampler.threshold:  # most of the time there is no room, where much comes
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
        # As `Mailbox.accept`: to call it would be half of what it costs to watch.
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
        """Return the mark of a message of no conversation, and remember it for the next one of its sender."""
        self.sender = sender
        if self.shows is None:
            self.mark = self._mark_between(sender)
        return self.mark

    def _mark_between(self, sender: str | None) -> int:
        return self.probes.marks[sender] ^ self.own  # both ways between two agents have the same mark

    def _look_at(self, message: Message) -> Sequence[MessageSink] | None:
        """Hand a message over, and note it if the filters let it through and there is room."""
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
    """Stands on the way to one of the container's own agents: what containers say to it is not noted."""

    __slots__ = ()

    def deliver_of_agents(self, message: Message) -> Sequence[MessageSink] | None:
        """Deliver a message like `deliver`, if a user's agent has sent it."""
        return self.beyond(message) if str(message.sender).startswith(SHOWN) else self.deliver(message)


class Probes:
    """Stands on the way to all agents of a container, for one viewer.

    Args:
        container: the container.
        filters: which messages are noted.
        most: how many of them are kept until they are taken.
        clock: tells the time of day, in seconds since 1970.
    """

    def __init__(self, container: Container, filters: Filters, most: int, clock: Callable[[], float]) -> None:
        self._container = container
        self._clock = clock
        self.marks = Marks()
        self.sampler: Sampler[MessageSeen] = Sampler(most)
        self.by_agent: dict[str, Probe] = {}
        self.filters = filters
        self.matched = 0
        """With filters, how many messages they have let through since the last time."""
        self._number = 0
        self._counted = 0  # of those that count, up to the last time
        self._gone = 0  # what had come to agents that are gone
        self._own: dict[str, OwnProbe] = {}  # on the way to the container's own agents
        # What was put into a mailbox: where, what, its number, and when.
        self._waiting: deque[tuple[Mailbox, Message, int, float]] = deque(maxlen=_WAITING)

    def set_filters(self, filters: Filters) -> None:
        """Change which messages are recorded; the entrances have to be made anew."""
        self.filters = filters
        self.sampler.reset()
        self._counted = self.passed()
        self.matched = 0

    @property
    def is_filtered(self) -> bool:
        """Whether not all messages are let through."""
        return self.filters != Filters()

    def passed(self) -> int:
        """Return how many messages have passed since somebody watches."""
        return self._gone + sum(
            probe.passed for probes in (self.by_agent, self._own) for probe in probes.values()
        )

    def forget_gone(self) -> None:
        """Keep counts of those agents only that are there."""
        agents = self._container.dispatcher.agents
        for address in [each for each in self.by_agent if each not in agents]:
            self._gone += self.by_agent.pop(address).passed

    # -- on the way -----------------------------------------------------------------------------------------

    def wrap(self, address: str, beyond: Deliver) -> Deliver:
        """Return the way in to an agent with the full name `address`; `beyond` takes all messages."""
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
        """Record a message, and hand it to `beyond`."""
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
        """Return the mailbox in which a message waits, or before which; None where it does not."""
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
        """Return what was noted since the last time, and how many more messages there were."""
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
        inside: dict[int, set[int]] = {}  # by mailbox, what is in it
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
    """Return the beginning of a parameter as it can be told; empty where it has no value."""
    if value is None:
        return ""
    value = value[:longest]
    return value if value.isascii() else value.encode(errors="replace").decode()


def _shortened(messages: list[MessageSeen]) -> list[MessageSeen]:
    """Return messages that are told together, with no more of their bodies than one answer can hold."""
    size = sum(len(message.body) for message in messages)
    if size <= _BODIES:
        return messages
    longest = _BODIES // len(messages)
    return [replace(message, body=message.body[:longest]) for message in messages]


def _number(message: MessageSeen) -> int:
    return message.number


class Matcher:
    """Tells whether filters let a message to a receiver through.

    Args:
        filters: the filters.
        receiver: the receiver's full name.
    """

    __slots__ = ("_agent", "_conversation", "_part", "_performative", "_protocol")

    def __init__(self, filters: Filters, receiver: str) -> None:
        self._agent = "" if filters.agent in receiver else filters.agent
        self._part = filters.text
        self._performative, self._protocol = filters.performative, filters.protocol
        self._conversation = filters.conversation

    def matches(self, message: Message) -> bool:
        """Return whether the filters let a message through."""
        conversation, part = self._conversation, self._part
        if conversation and conversation != (message.conversation_id or message.thread):
            return False
        return not (
            (self._performative and message.performative != self._performative)
            or (self._protocol and message.protocol != self._protocol)
            or (self._agent and self._agent not in str(message.sender))
            or (part and not (isinstance(message.body, str) and part in message.body))
        )
