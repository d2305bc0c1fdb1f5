"""Record where a home's agents are, and decide their moves: the home's state machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from formicary.mobility.handover.exchange import Decided, Hello, Outcome, Query, State
from formicary.mobility.handover.inquiries import LIFE, Inquiries
from formicary.mobility.handover.instructions import Freed, Missing, Moving, Placed

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.mobility.handover.exchange import Ask, Hosting, Status
    from formicary.mobility.handover.shared_state import SharedState


_START: Final = 100  # µs of a home's start time in the numbers of one agent


class _Record(msgspec.Struct):
    place: str
    incarnation: int  # of the place
    number: int  # of the hand-over that brought it there
    refused: int = 0  # the latest hand-over that was decided not to happen
    is_lost: bool = False  # whether the place is gone


class Ledger:
    """Records where the agents of one home are that have moved.

    Args:
        shared: the container's.
    """

    def __init__(self, shared: SharedState) -> None:
        self._shared = shared
        self._records: dict[str, _Record] = {}
        self._first_life = shared.incarnation // _START
        self._life = self._first_life  # of the next agent that moves for the first time
        self._at: dict[str, set[str]] = {}  # agents by the domain of their place
        # By agent: decided hand-overs whose source (with its incarnation) may not know the decision.
        self._unheard: dict[str, dict[tuple[str, int], int]] = {}
        self._inquiries = Inquiries(shared, self)

    # -- what is known --------------------------------------------------------------------------------------

    def place_of(self, address: str) -> str | None:
        """Return the domain of the container that an agent of this home has moved to; None if it has not."""
        record = self._records.get(address)
        return None if record is None or record.is_lost else record.place

    # -- what the container itself does ---------------------------------------------------------------------

    def open_record(self, address: str) -> int:
        """Return the number on record of an agent that lives here; begin a record if there is none.

        Successive agents of one name have different, increasing numbers.
        """
        record, own = self._records.get(address), self._shared
        if record is None or record.is_lost:
            self._drop(address)
            self._set(address, own.domain, own.incarnation, LIFE * self._life)
        return self._records[address].number

    def ended(self, address: str) -> None:
        """Called when an agent that lives here has ended, wherever its home is."""
        record = self._records.get(address)
        if record is not None and record.place == self._shared.domain:
            self._drop(address)

    def take_back(self, address: str, number: int) -> None:
        """Record that an agent of this home stays after all; nobody else knows that it was to move."""
        own = self._shared
        self._set(address, own.domain, own.incarnation, number)
        self._records[address].refused = number

    # -- what others say ------------------------------------------------------------------------------------

    def ask(self, origin: str, event: Ask) -> None:
        """Answer with the decision on a hand-over; decide if there is none."""
        outcome, is_source = None, origin == event.source
        if is_source and self._has_taken_back(origin, event):
            self._take_started(origin, event.address, event.number - 1, is_back=True)
        if event not in self._inquiries:
            outcome = self.outcome(event, is_source=is_source)
        if outcome is None and event.witness != self._shared.incarnation:
            self._inquiries.ask(origin, event)
            return
        if outcome is None:
            outcome = event.is_ready and self._can_move(event)
            self.decide(event, moves=outcome)
        self.answer(origin, event, moves=outcome)

    def _has_taken_back(self, origin: str, event: Ask) -> bool:
        """Return whether a source still has an agent that should have left by an earlier hand-over.

        It has said so by a `started` that was lost.
        """
        told = self._unheard.get(event.address, {})
        number = told.get((origin, self._shared.members[origin]), event.number)
        record = self._records.get(event.address)
        if number >= event.number - 1 or (record is not None and record.number != number):
            return False
        self._forget_unheard(event.address, lambda by, _: by[0] == origin)
        return True

    def answer(self, origin: str, event: Ask, *, moves: bool) -> None:
        """Answer with a decision; also that the agent must end, if its name is no longer its own."""
        own, record = self._shared, self._records.get(event.address)
        own.tell(origin, Decided(event.address, event.number, Outcome.MOVES if moves else Outcome.STAYS))
        is_here = self._shared.lives_here(event.address) and origin != own.domain  # another of this name
        if moves and origin == event.place and record is not None and not is_here:  # which starts it by this
            record.is_lost = False
        if moves or origin != event.source or origin == own.domain:
            return
        is_elsewhere = record is not None and not record.is_lost and record.place != origin
        is_over = self._is_over(event.address, event.number)
        if is_elsewhere or is_over or self.has_another(event.address, event.number):
            self._end(origin, event.address, event.number)
        elif record is not None and record.is_lost and record.place == origin:
            record.is_lost = False
            own.instructions.append(Placed(event.address, origin))

    def outcome(self, event: Ask, *, is_source: bool) -> bool | None:
        """Return the decision; None if there is none, or it is unknown."""
        if event.number in self._unheard.get(event.address, {}).values():
            return True
        record = self._records.get(event.address)
        if record is None:
            return False if self._is_over(event.address, event.number) else None
        if record.number == event.number:
            return record.place == event.place
        if event.witness != self._shared.incarnation:
            return self._outcome_of_before(event, record, is_source=is_source)
        is_elsewhere = is_source and record.place != event.source
        return False if max(record.number, record.refused) >= event.number or is_elsewhere else None

    def _outcome_of_before(self, event: Ask, record: _Record, *, is_source: bool) -> bool | None:
        """Return what is known of a hand-over that began before this container started."""
        if record.number // LIFE != event.number // LIFE:  # another agent of its name
            return None
        if is_source and record.place != event.source:  # it can only be elsewhere if it has left there
            return True
        return False if record.number > event.number or record.refused == event.number else None

    def _can_move(self, event: Ask) -> bool:
        """Return whether an agent is where its source says, and its destination is alive."""
        own = self._shared
        if not own.is_there(event.place, event.incarnation):
            return False
        record = self._records.get(event.address)
        if self._shared.lives_here(event.address) and event.source != own.domain:
            return False
        return record is None or record.place == event.source

    def decide(self, event: Ask, *, moves: bool, has_source: bool = True) -> None:
        """Record a decision; `has_source`: whether the source may have the agent, if nothing is known."""
        own, record = self._shared, self._records.get(event.address)
        is_earlier = record is not None and record.number // LIFE < event.number // LIFE
        if is_earlier and record is not None and record.place not in {event.source, event.place, own.domain}:
            self._end(record.place, event.address, event.number)  # that has lost its name
        if moves:
            if not self._shared.lives_here(event.address) or event.source == own.domain:
                self._set(event.address, event.place, event.incarnation, event.number)
                if event.source != own.domain:
                    own.instructions.append(Moving(event.address, event.source))
            if event.source != own.domain:
                source = event.source, event.source_incarnation
                self._unheard.setdefault(event.address, {})[source] = event.number
        elif record is not None and not is_earlier:
            record.refused = max(record.refused, event.number)
        elif (
            has_source
            and not self._shared.lives_here(event.address)
            and not own.is_dead(event.source, event.source_incarnation)
        ):
            is_there = own.is_there(event.source, event.source_incarnation)
            number = event.number // LIFE * LIFE  # it is unknown which one brought it there
            self._set(event.address, event.source, event.source_incarnation, number, is_lost=not is_there)
            self._records[event.address].refused = event.number
            if is_there:
                own.instructions.append(Placed(event.address, event.source))
                own.tell(event.source, Hello())  # it may have ended there, as reported before

    def started(self, origin: str, event: Status) -> None:
        """Record that an agent runs at its destination."""
        address, number = event.address, event.number
        source = origin, self._shared.members[origin]
        is_back = self._unheard.get(address, {}).get(source) == number - 1  # it did not leave after all
        self._forget_unheard(address, lambda by, told: told == number or (is_back and by == source))
        self._take_started(origin, address, number, is_back=is_back)

    def _take_started(self, origin: str, address: str, number: int, *, is_back: bool = False) -> None:
        """Record that a container has started an agent; end it if another has its name by now."""
        own = self._shared
        if origin != own.domain and not is_back and self._is_over(address, number):
            self._end(origin, address, number)
            return
        self._take_claim(address, number, origin, own.members[origin])
        record = self._records.get(address)
        if origin == own.domain:
            return
        is_taken = record is not None and not record.is_lost and record.number // LIFE == number // LIFE
        if not is_taken and self.has_another(address, number):
            self._end(origin, address, number)

    def have(self, origin: str, event: Status) -> None:
        """Record the state of an agent in a container that was asked for it, or has started it."""
        if self._inquiries.have(origin, event) and event.state is not State.STARTED:
            return
        if event.state is State.STARTED:
            self._take_started(origin, event.address, event.number)
        elif event.state is State.UNKNOWN and self._record_of(event.address, event.number, origin):
            self._free(event.address)

    def gone(self, origin: str, event: Status) -> None:
        """Record that an agent has ended, or has left for another container."""
        record = self._records.get(event.address)
        if record is not None and record.place == origin and record.number <= event.number:
            self._free(event.address)

    def hosting(self, origin: str, event: Hosting) -> None:
        """Record which of this home's agents a container has."""
        own = self._shared
        known = {address for address, _ in (*event.living, *event.prepared, *event.in_doubt)}
        known |= {address for address, *_ in event.left}
        for address in [each for each in self._at.get(origin, ()) if each not in known]:
            # The answer will be newer than the decision, as this report may not be.
            own.tell(origin, Query(address, self._records[address].number))
        incarnation = own.members[origin]
        for address, number in event.living:
            if not self._take_claim(address, number, origin, incarnation):
                self._end(origin, address, number)
        for address, number in event.prepared:
            record = self._record_of(address, number, origin)
            if record is not None and not own.lives_here(address):
                record.is_lost = False
        for address, number, place, of_place in event.left:
            if place != own.domain and self.has_another(address, number):
                self._end(origin, address, number)  # which may still have it
            elif not self._is_over(address, number):
                is_on_record = self._take_claim(address, number, place, of_place, is_started=False)
                if is_on_record and own.is_there(place, of_place) and place != own.domain:
                    own.instructions.append(Moving(address, origin))
                self._ask_whether_it_lives(address, number, place)
        self._inquiries.heard(origin)

    def _end(self, domain: str, address: str, number: int) -> None:
        """Ask a container to end an agent whose name is another one's."""
        self._shared.tell(domain, Decided(address, number, Outcome.ENDS))

    def _ask_whether_it_lives(self, address: str, number: int, place: str) -> None:
        """Ask the container on record for an agent that another container claims to have.

        It may have ended there, and this may have been reported to an earlier process.
        """
        if place != self._shared.domain and self._record_of(address, number, place):
            self._shared.tell(place, Query(address, number))

    def _take_claim(
        self, address: str, number: int, place: str, incarnation: int, *, is_started: bool = True
    ) -> bool:
        """Record that an agent is at a place; return False if another has its name, or it was moved since."""
        record, own = self._records.get(address), self._shared
        if own.is_dead(place, incarnation):
            return True
        is_other = self._shared.lives_here(address) and place != own.domain
        if is_other or (record is not None and _is_later(record, place, number)):
            return False
        is_there = own.is_there(place, incarnation)
        if record is not None and (record.place, record.incarnation) == (place, incarnation):
            record.number, record.is_lost = number, not is_there
        else:
            refused = 0 if record is None else record.refused
            if record is not None and record.number // LIFE != number // LIFE and record.place != place:
                self._end(record.place, address, number)  # an earlier one, which has lost its name
            self._set(address, place, incarnation, number, is_lost=not is_there)
            self._records[address].refused = refused
        if is_there and is_started:
            own.instructions.append(Placed(address, place))
        return True

    def has_another(self, address: str, number: int) -> bool:
        """Return whether a name now belongs to another agent than that of a hand-over begun elsewhere."""
        record = self._records.get(address)
        is_later = record is not None and record.number // LIFE > number // LIFE  # one that may return
        return is_later or self._shared.lives_here(address)

    def _is_over(self, address: str, number: int) -> bool:
        """Return whether an agent has ended that began to move after this process started.

        It was on record then, so what arrives about it is late.
        """
        return address not in self._records and number // LIFE >= self._first_life

    # -- who comes and goes ---------------------------------------------------------------------------------

    def joined(self, domain: str) -> None:
        """Called when there is a new link to another container, which reports its agents, if any."""
        for address in tuple(self._at.get(domain, ())):
            record = self._records[address]
            if self._shared.is_dead(domain, record.incarnation):
                self._free(address)
        self._inquiries.link_changed(domain)
        for address in tuple(self._unheard):
            self._forget_unheard(address, lambda source, _: self._shared.is_dead(*source))

    def lost(self, domain: str) -> None:
        """Called when another container is gone: its agents are missing until it returns."""
        for address in tuple(self._at.get(domain, ())):
            record = self._records[address]
            if not record.is_lost:
                record.is_lost = True
                self._shared.instructions.append(Missing(address))
        self._inquiries.link_changed(domain)

    def has_to_do_with(self, domain: str) -> bool:
        """Return whether agents of this home are in another container, or bound for it."""
        return domain in self._at or domain in self._inquiries.parties()

    # -- records --------------------------------------------------------------------------------------------

    def _record_of(self, address: str, number: int, place: str) -> _Record | None:
        """Return the record of an agent if it was brought to a place by a hand-over, as far as is known."""
        record = self._records.get(address)
        return record if record is not None and (record.place, record.number) == (place, number) else None

    def _forget_unheard(self, address: str, is_over: Callable[[tuple[str, int], int], bool]) -> None:
        told = self._unheard.pop(address, None)
        if told is None:
            return
        if left := {source: number for source, number in told.items() if not is_over(source, number)}:
            self._unheard[address] = left

    def _set(self, address: str, place: str, incarnation: int, number: int, *, is_lost: bool = False) -> None:
        if address in self._records:
            self._take_out(address)
        self._records[address] = _Record(place, incarnation, number, 0, is_lost)
        if place in self._at:
            self._at[place].add(address)
        else:
            self._at[place] = {address}

    def _drop(self, address: str) -> None:
        """Forget an agent; the next one of its name is a new one."""
        if (record := self._records.get(address)) is not None:
            self._life = max(self._life, max(record.number, record.refused) // LIFE + 1)
            self._take_out(address)

    def _take_out(self, address: str) -> None:
        place = self._records.pop(address).place
        self._at[place].discard(address)
        if not self._at[place]:
            del self._at[place]

    def _free(self, address: str) -> None:
        self._drop(address)
        self._shared.instructions.append(Freed(address))


def _is_later(record: _Record, place: str, number: int) -> bool:
    """Return whether a record is later than a claim that the agent is at a place."""
    if record.number != number:
        return record.number > number
    return record.place != place and not record.is_lost
