"""The hand-overs of one container, as a state machine: events in, instructions out; no I/O, no clock.

`docs/mobility-protocol.md` is the specification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from formicary.core.quoting import shorten
from formicary.fipa.control_codec import encode
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
from formicary.mobility.handover.shared_state import SharedState, home_of
from formicary.mobility.handover.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from formicary.mobility.handover.exchange import Event
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
        domain: as of `SharedState`, as are `lives_here` and `listed`.
        incarnation: its own: the time of its start in microseconds, higher than that of any before.
    """

    def __init__(
        self,
        domain: str,
        incarnation: int,
        lives_here: Callable[[str], bool],
        listed: Callable[[], Collection[str]],
    ) -> None:
        self._shared = SharedState(domain, incarnation, lives_here, listed)
        self.source = Source(self._shared)
        self.destination = Destination(self._shared)
        self.ledger = Ledger(self._shared)
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
        return self._shared.outgoing

    def reaches(self, domain: str) -> bool:
        """Return whether another container can be reached now."""
        return domain in self._shared.members

    def take_envelopes(self, domain: str) -> list[bytes]:
        """Return the events for a container, in payloads of about `ENVELOPE` bytes."""
        own = self._shared
        events = own.outgoing.pop(domain, [])
        self.source.draining.sent(domain)
        parts: list[list[Event]] = []
        size = ENVELOPE
        for event in events:
            weight = len(event.snapshot) if type(event) is Prepare else 0
            if not parts or size + weight > ENVELOPE:  # a large one goes alone: it may be all a link takes
                parts.append([])
                size = 0
            parts[-1].append(event)
            size += weight
        return [encode(Envelope(own.incarnation, own.members[domain], part)) for part in parts]

    def take_instructions(self) -> list[Instruction]:
        """Return what the container is to do, in order."""
        own = self._shared
        if own.to_itself:
            self._settle()
        instructions, own.instructions = own.instructions, []
        return instructions

    # -- what happens ---------------------------------------------------------------------------------------

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when there is a new link to another container: earlier payloads may be lost."""
        own = self._shared
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
        return any(home_of(address) == home for address in self._shared.numbers)

    def _has_to_do_with(self, domain: str) -> bool:
        passages = (*self.source.departures.values(), *self.destination.arrivals.values())
        is_party = any(domain in {it.source, it.place, it.home} for it in passages)
        return is_party or self.hosts(domain) or self.ledger.has_to_do_with(domain)

    def _say_again(self, domain: str) -> None:
        """Repeat what another container may have missed, questions first."""
        self.source.draining.say_again(domain)
        self.source.joined(domain)
        self.destination.joined(domain)
        self._report(domain)

    def lost(self, domain: str) -> None:
        """Called when another container is gone, as far as is known here."""
        self._shared.members.pop(domain, None)
        self._shared.strangers.add(domain)  # it may not know, and continue to send
        self._session_ended(domain)
        for departure in self.source.take_back(domain):
            self.ledger.take_back(departure.address, departure.number)
        self.ledger.lost(domain)
        self.source.lost(domain)
        self.destination.lost(domain)
        self._settle()

    def _session_ended(self, domain: str) -> None:
        self._shared.outgoing.pop(domain, None)
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
        own = self._shared
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
        own = self._shared
        number = max(own.numbers.get(address, 0), own.tried.get(address, 0))
        if home_of(address) == own.domain:
            number = max(number, self.ledger.open_record(address))
        own.tried[address] = number + 1
        return self.source.begin(address, number + 1, place, snapshot, unsettled=unsettled, move=move)

    def ended(self, address: str) -> None:
        """Called when an agent that lived here has ended."""
        number = self._shared.forget(address)
        self.ledger.ended(address)
        home = home_of(address)
        if number is not None and home != self._shared.domain:
            self._shared.tell(home, Status(address, number, State.GONE))

    # -- steps ----------------------------------------------------------------------------------------------

    def _report(self, domain: str) -> None:
        """Report to a home which of its agents are here."""
        leaving = [it for it in self.source.departures.values() if it.home == domain]
        in_doubt = [(it.address, it.number) for it in leaving if it.is_in_doubt]
        left = [(it.address, it.number, it.place, it.incarnation) for it in leaving if it.is_decided]
        elsewhere = {address for address, *_ in (*in_doubt, *left)}
        living = [
            (address, number)
            for address, number in self._shared.numbers.items()
            if home_of(address) == domain and address not in elsewhere
        ]
        arriving = self.destination.arrivals.values()
        prepared = [(it.address, it.number) for it in arriving if it.home == domain]
        self._shared.tell(domain, Hosting(living, prepared, in_doubt, left))
        self._shared.tell(domain, Flush(_REPORTED))

    def _settle(self) -> None:
        """Deliver the events that this container sends itself."""
        own = self._shared
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
            if home_of(address) != self._shared.domain:
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
        if self._shared.numbers.get(event.address, event.number + 1) <= event.number:
            reason = "its home now has another agent with its name"
            self._shared.instructions.append(Terminate(event.address, reason))

    def _status(self, origin: str, event: Status) -> None:
        match event.state:
            case State.CONFIRMED:
                self.source.started(origin, event)
                if home_of(event.address) == self._shared.domain:
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
            self._shared.tell(origin, Flush(event.number, is_answer=True))
        elif event.number == _REPORTED:
            self._shared.instructions.append(Known(origin))
        else:
            self.source.draining.flushed(origin, event)
