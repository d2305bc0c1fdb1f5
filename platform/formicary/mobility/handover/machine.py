"""The hand-overs of one container, as a state machine: events in, instructions out; no I/O, no clock.

`docs/mobility-protocol.md` is the specification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from formicary.core.quoting import shorten
from formicary.fipa.control_codec import encode
from formicary.mobility.handover.cluster_view import ClusterView, home_of
from formicary.mobility.handover.destination import Destination
from formicary.mobility.handover.exchange import (
    Ask,
    Decided,
    Envelope,
    Flush,
    Hello,
    Hosting,
    Outcome,
    Prepare,
    Prepared,
    Proceed,
    Query,
    State,
    Status,
    decode,
)
from formicary.mobility.handover.instructions import Known, Terminate
from formicary.mobility.handover.ledger import Ledger
from formicary.mobility.handover.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from formicary.mobility.handover.destination import Arrival
    from formicary.mobility.handover.exchange import Event, Targets
    from formicary.mobility.handover.instructions import Instruction
    from formicary.mobility.handover.source import Departure

ENVELOPE: Final = 1 << 18
"""About how many bytes of snapshots go into one payload."""

_REPORTED: Final = 0
"""The number of the flush that follows the report to a home; others begin with 1."""


class HandOver:
    """Decides what one container does for agents that move: as source, destination and home.

    After each call perform what `take_instructions` returns, in order, and send what `take_envelopes`
    returns for each of `receivers`: in order, behind all that was sent there before.

    Args:
        domain: the container's full domain.
        incarnation: its own: the time of its start in microseconds, higher than that of any before.
        lives_here: returns whether an agent of a name lives in the container, wherever its home is.
        listed: as of `ClusterView`.
    """

    def __init__(
        self,
        domain: str,
        incarnation: int,
        lives_here: Callable[[str], bool],
        listed: Callable[[], Collection[str]],
    ) -> None:
        self._cluster_view = ClusterView(domain, incarnation, listed)
        self._lives_here = lives_here
        self._numbers: dict[str, int] = {}  # of the hand-overs that brought agents here
        self._tried: dict[str, int] = {}  # the latest hand-overs that have begun here
        self.source = Source(self._cluster_view, self._numbers.__setitem__)
        self.destination = Destination(self._cluster_view, self._number_of)
        self.ledger = Ledger(self._cluster_view, lives_here)
        self._takers: dict[type[Event], Callable[[str, Any], None]] = {
            Prepare: self.destination.prepare,
            Prepared: self.source.prepared,
            Ask: self.ledger.ask,
            Decided: self._decided,
            Proceed: self.destination.proceed,
            Status: self._status,
            Hosting: self.ledger.hosting,
            Query: self.destination.query,
            Hello: self._hello,
            Flush: self._flush,
        }

    # -- results --------------------------------------------------------------------------------------------

    @property
    def receivers(self) -> Collection[str]:
        """The domains of the containers for which there are events."""
        return self._cluster_view.outgoing

    def reaches(self, domain: str) -> bool:
        """Return whether another container can be reached now."""
        return domain in self._cluster_view.members

    def take_envelopes(self, domain: str) -> list[bytes]:
        """Return the events for a container, in payloads of about `ENVELOPE` bytes."""
        own = self._cluster_view
        events = own.outgoing.pop(domain, [])
        self.source.draining.sent(domain)
        if len(events) == 1:  # as when agents move one after the other
            return [encode(Envelope(own.incarnation, own.members[domain], events))]
        part: list[Event] = []
        envelopes, size = [], 0
        for event in events:
            weight = len(event.snapshot) if type(event) is Prepare else 0
            if part and size + weight > ENVELOPE:  # a large one goes alone: it may be all that a link takes
                envelopes.append(encode(Envelope(own.incarnation, own.members[domain], part)))
                part, size = [], 0
            part.append(event)
            size += weight
        if part:
            envelopes.append(encode(Envelope(own.incarnation, own.members[domain], part)))
        return envelopes

    def take_instructions(self) -> list[Instruction]:
        """Return what the container is to do, in order."""
        own = self._cluster_view
        if own.to_itself:
            self._settle()
        instructions, own.instructions = own.instructions, []
        return instructions

    # -- what happens ---------------------------------------------------------------------------------------

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when there is a new link to another container: earlier payloads may be lost."""
        own = self._cluster_view
        own.members[domain] = incarnation
        self._session_ended(domain)
        if domain in own.strangers or self._has_to_do_with(domain):
            own.strangers.discard(domain)
            own.tell(domain, Hello())  # what it sent while it was unknown here was ignored
            self._say_again(domain)
        self.ledger.joined(domain)
        self._settle()

    def hosts(self, home: str) -> bool:
        """Return whether an agent of another home lives here."""
        return any(home_of(address) == home for address in self._numbers)

    def _has_to_do_with(self, domain: str) -> bool:
        parts = (self.source, self.destination, self.ledger)
        return self.hosts(domain) or any(part.has_to_do_with(domain) for part in parts)

    def _say_again(self, domain: str) -> None:
        """Repeat what another container may have missed, questions first."""
        self.source.draining.say_again(domain)
        self.source.joined(domain)
        self.destination.joined(domain)
        self._report(domain)

    def lost(self, domain: str) -> None:
        """Called when another container is gone, as far as is known here."""
        self._cluster_view.members.pop(domain, None)
        self._cluster_view.strangers.add(domain)  # it may not know, and continue to send
        self._session_ended(domain)
        for departure in self.source.take_back(domain):
            self.ledger.take_back(departure.address, departure.number)
        self.ledger.lost(domain)
        self.source.lost(domain)
        self.destination.lost(domain)
        self._settle()

    def _session_ended(self, domain: str) -> None:
        self._cluster_view.outgoing.pop(domain, None)
        self.source.draining.session_ended(domain)

    def receive(self, origin: str, payload: bytes | memoryview) -> None:
        """Handle a payload of another container.

        Args:
            origin: the domain of that container, proven.
            payload: the payload.

        Raises:
            ValueError: it is invalid; nothing has changed.
        """
        envelope = decode(payload)
        own = self._cluster_view
        for event in envelope.events:
            self._check(origin, event)
        if envelope.receiver != own.incarnation:
            return  # it is for an earlier container of this name
        if envelope.sender != own.members.get(origin):
            own.strangers.add(origin)
            return
        for event in envelope.events:
            self._take(origin, event)
        if own.to_itself:
            self._settle()

    # -- what the container does ----------------------------------------------------------------------------

    def begin(
        self,
        address: str,
        place: str,
        snapshot: bytes,
        unsettled: Collection[str] = (),
        move: object = None,
    ) -> Departure:
        """Hand over an agent that has come to rest here, if `source.obstacle` returns None.

        Arguments and result as of `Source.begin`.
        """
        number = max(self._numbers.get(address, 0), self._tried.get(address, 0))
        if home_of(address) == self._cluster_view.domain:
            number = max(number, self.ledger.open_record(address))
        self._tried[address] = number + 1
        return self.source.begin(address, number + 1, place, snapshot, unsettled=unsettled, move=move)

    def left(self, departure: Departure, targets: Targets = (), *, brings: bool = False) -> None:
        """Called when an agent was taken apart, as `Leave` said; arguments as of `Source.left`."""
        self._forget(departure.address)
        self.source.left(departure, targets, brings=brings)

    def started(self, arrival: Arrival, message: bytes = b"") -> None:
        """Called when an agent was started, as `Wake` said; arguments as of `Destination.started`."""
        self._numbers[arrival.address] = arrival.number
        self.destination.started(arrival, message)

    def ended(self, address: str) -> None:
        """Called when an agent that lived here has ended."""
        number = self._forget(address)
        self.ledger.ended(address)
        home = home_of(address)
        if number is not None and home != self._cluster_view.domain:
            self._cluster_view.tell(home, Status(address, number, State.GONE))

    def _forget(self, address: str) -> int | None:
        self._tried.pop(address, None)
        return self._numbers.pop(address, None)

    def _number_of(self, address: str) -> int | None:
        return self._numbers.get(address, 0) if self._lives_here(address) else None

    # -- steps ----------------------------------------------------------------------------------------------

    def _report(self, domain: str) -> None:
        """Report to a home which of its agents are here."""
        in_doubt, left = self.source.in_doubt(domain), self.source.left_for(domain)
        elsewhere = {address for address, *_ in (*in_doubt, *left)}
        living = [
            (address, number)
            for address, number in self._numbers.items()
            if home_of(address) == domain and address not in elsewhere
        ]
        prepared = self.destination.ready(domain)
        self._cluster_view.tell(domain, Hosting(living, prepared, in_doubt, left))
        self._cluster_view.tell(domain, Flush(_REPORTED))

    def _settle(self) -> None:
        """Deliver the events that this container sends itself."""
        own = self._cluster_view
        while own.to_itself:
            events, own.to_itself = own.to_itself, []
            for event in events:
                self._take(own.domain, event)

    def _check(self, origin: str, event: Event) -> None:
        """Check that a container may send an event.

        Raises:
            ValueError: it may not.
        """
        claims: list[str] = []  # agents whose home this has to be
        match event:
            case Ask():
                if origin not in {event.source, event.place}:
                    raise ValueError(f"{origin} asks about a move from {shorten(event.source)}")
                if event.is_ready and origin != event.source:
                    raise ValueError(f"{origin} wants an agent moved that is at {shorten(event.source)}")
                claims = [event.address]
            case Status() if event.state is not State.CONFIRMED:
                claims = [event.address]
            case Hosting():
                claims = [address for address, _ in (*event.living, *event.prepared, *event.in_doubt)]
                claims += [address for address, *_ in event.left]
            case Decided() | Query() if home_of(event.address) != origin:
                raise ValueError(f"{origin} is not the home of {shorten(event.address)}")
        for address in claims:
            if home_of(address) != self._cluster_view.domain:
                raise ValueError(f"this is not the home of {shorten(address)}")

    def _take(self, origin: str, event: Event) -> None:
        self._takers[type(event)](origin, event)

    def _decided(self, origin: str, event: Decided) -> None:
        if event.outcome is Outcome.ENDS:
            self._end(event)
        else:
            self.source.decided(origin, event)
            self.destination.decided(origin, event)

    def _end(self, event: Decided) -> None:
        if self._numbers.get(event.address, event.number + 1) <= event.number:
            reason = "its home now has another agent with its name"
            self._cluster_view.instructions.append(Terminate(event.address, reason))

    def _status(self, origin: str, event: Status) -> None:
        match event.state:
            case State.CONFIRMED:
                self.source.started(origin, event)
                if home_of(event.address) == self._cluster_view.domain:
                    self.ledger.started(origin, event)
            case State.GONE:
                self.destination.gone(origin, event)
                self.ledger.gone(origin, event)
            case _:
                self.ledger.have(origin, event)

    def _hello(self, origin: str, _: Hello) -> None:
        self._say_again(origin)

    def _flush(self, origin: str, event: Flush) -> None:
        if not event.is_answer:
            self._cluster_view.tell(origin, Flush(event.number, is_answer=True))
        elif event.number == _REPORTED:
            self._cluster_view.instructions.append(Known(origin))
        else:
            self.source.draining.flushed(origin, event)
