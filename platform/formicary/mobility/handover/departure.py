"""The source's part of hand-overs, as a state machine."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import msgspec

from formicary.mobility.handover.cluster_view import home_of
from formicary.mobility.handover.draining import Draining
from formicary.mobility.handover.exchange import Ask, Outcome, Prepare, Proceed, State, Status, Step
from formicary.mobility.handover.instructions import Drained, Leave, Perished, Settled, Stay

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from formicary.mobility.handover.cluster_view import ClusterView
    from formicary.mobility.handover.exchange import Decided, Prepared, Targets


class _State(Enum):
    HELD = "the destination, which is the home, is told when all that was sent has arrived"
    PREPARING = "the destination makes it ready"
    READY = "the home is asked when all that was sent has arrived"
    IN_DOUBT = "the home was asked, or the destination which is the home"
    DECIDED = "it leaves when the destination is there"
    LEAVING = "it is taken apart"
    LEFT = "the destination starts it"


# No sets: hashing a state takes longer than comparing it with two others.
_UNDECIDED = (_State.PREPARING, _State.READY, _State.HELD)
_DECIDED = (_State.DECIDED, _State.LEAVING, _State.LEFT)


class _Departure(msgspec.Struct):
    number: int
    place: str
    incarnation: int  # of the destination
    home: str
    witness: int  # the home's incarnation
    state: _State
    snapshot: bytes
    is_drained: bool = False
    is_killed: bool = False
    is_refused: bool = False  # whether the destination has stopped with it ready
    has_brought: bool = False  # whether its messages, if any, were sent


class Departures:
    """The agents that are leaving one container; meanwhile they are stopped.

    Args:
        cluster_view: the container's.
        set_number: restores the number of the hand-over that brought an agent, as it does not leave.
    """

    def __init__(self, cluster_view: ClusterView, set_number: Callable[[str, int], None]) -> None:
        self._cluster_view = cluster_view
        self._set_number = set_number
        self.draining = Draining(cluster_view, self._drained)
        self._departures: dict[str, _Departure] = {}

    # -- what is asked for ----------------------------------------------------------------------------------

    def obstacle(self, address: str, place: str) -> str | None:
        """Return why an agent cannot be handed over now, as a sentence; None if it can."""
        members = self._cluster_view.members
        if address in self._departures:
            return f"it is already on its way to {_name(self._departures[address].place)}"
        if place not in members:
            return (
                f"container {_name(place)} is not reachable: it does not exist, or there is no "
                "connection to it"
            )
        if (home := home_of(address)) not in members:
            return f"its home {_name(home)} is not reachable to witness the move; try again when it is back"
        return None

    def begin(
        self, address: str, number: int, place: str, snapshot: bytes, unsettled: Collection[str]
    ) -> None:
        """Hand over an agent that has come to rest and has no `obstacle`.

        Args:
            address: its full name.
            number: of the hand-over.
            place: the destination's domain.
            snapshot: the agent.
            unsettled: domains of the containers to which messages are under way.
        """
        members, home = self._cluster_view.members, home_of(address)
        departure = self._departures[address] = _Departure(
            number, place, members[place], home, members[home], _State.PREPARING, snapshot
        )
        if self.draining.begin(address, [each for each in unsettled if each != place]):
            self._drained(address)
        # No decision before all has arrived: the agent could continue elsewhere, and never hear of what is
        # lost with this container.
        if home == place:
            departure.state = _State.HELD
        else:
            self._prepare(address, departure)

    def left(self, address: str, targets: Targets, *, brings: bool) -> None:
        """Called when an agent was dissolved, as `Leave` said, before its messages are sent.

        Args:
            address: its full name.
            targets: as of `Start`.
            brings: as of `Start`.
        """
        departure = self._departures.get(address)
        if departure is not None and departure.state is _State.LEAVING:
            departure.state, departure.has_brought = _State.LEFT, brings
            self._proceed(address, departure, Step.START, targets, brings=brings)

    def brought(self, address: str, number: int) -> None:
        """Called when the messages of an agent that has left were sent, if there are any."""
        departure = self._departures.get(address)
        is_this = departure is not None and departure.number == number and departure.state is _State.LEFT
        if is_this and departure is not None and departure.has_brought:
            self._proceed(address, departure, Step.BROUGHT)

    def kill(self, address: str) -> bool:
        """End an agent in transit, wherever it is; return False if its move was not decided yet.

        Then it stays, and can be ended like any other; otherwise forget what is here of it.
        """
        departure = self._departures[address]
        if departure.state in _UNDECIDED:
            self._cancel(address, departure)
            return False
        departure.is_killed = True
        if departure.state is not _State.IN_DOUBT:
            self._pass_death_on(address, departure)
        return True

    def cancel(self, address: str, reason: str) -> bool:
        """Cancel a hand-over that is not decided, so that the agent stays; return whether it was."""
        departure = self._departures.get(address)
        if departure is None or departure.state not in _UNDECIDED:
            return False
        self._cancel(address, departure)
        self._cluster_view.instructions.append(Stay(address, departure.number, reason))
        return True

    # -- what others say ------------------------------------------------------------------------------------

    def prepared(self, origin: str, event: Prepared) -> None:
        """Handle that the destination is ready, or refuses the agent."""
        departure = self._departures.get(event.address)
        if departure is None or departure.number != event.number or departure.place != origin:
            if event.refusal is None:
                self._cluster_view.tell(origin, Proceed(event.address, event.number, Step.CANCEL))
        elif event.refusal is not None:
            self._refused(event.address, departure, event.refusal)
        elif departure.state is _State.PREPARING:
            departure.state = _State.READY
            if departure.is_drained:
                self._have_it_decided(event.address, departure)

    def _refused(self, address: str, departure: _Departure, reason: str) -> None:
        """Keep an agent that the destination refuses; if that is its home, this is the decision.

        Also if the destination has stopped with the agent ready, which it will never start.
        """
        if departure.state in _UNDECIDED or departure.place == departure.home:
            self._stay(address, departure, reason)
        elif departure.state is not _State.LEFT:
            departure.is_refused = True
            if departure.state is not _State.IN_DOUBT:
                self._take_back(address, departure)

    def decided(self, origin: str, event: Decided) -> None:
        """Handle the home's decision."""
        address = event.address
        departure = self._departures.get(address)
        if departure is None or departure.number != event.number or departure.home != origin:
            return
        moves = event.outcome is Outcome.MOVES
        if departure.state is _State.READY and moves:
            departure.state = _State.DECIDED
            self._leave(address, departure)
        elif departure.state is _State.READY:
            self._cancel(address, departure)
            self._stay(address, departure, "there is a later record of it here")
        elif departure.state is _State.IN_DOUBT:
            if not moves:
                name = _name(departure.place)
                if origin != departure.place:
                    self._proceed(address, departure, Step.CANCEL)
                self._stay(address, departure, f"container {name} was lost before this was decided")
            else:
                departure.state = _State.DECIDED
                if departure.is_refused:
                    self._take_back(address, departure)
                elif self._cluster_view.is_dead(departure.place, departure.incarnation):
                    self._meet_again(address, departure)
                elif departure.is_killed:
                    self._pass_death_on(address, departure)
                else:
                    self._leave(address, departure)

    def started(self, origin: str, event: Status) -> None:
        """Handle that the destination has started the agent, or ended one that was killed."""
        departure = self._departures.get(event.address)
        if departure is None or departure.number != event.number or departure.place != origin:
            return
        if departure.state is _State.LEFT:  # otherwise it answers something earlier
            self._forget(event.address)
            if not departure.is_killed:
                settled = Settled(event.address, event.number, origin, event.message)
                self._cluster_view.instructions.append(settled)

    # -- who comes and goes ---------------------------------------------------------------------------------

    def joined(self, domain: str) -> None:
        """Called when there is a new link to another container: earlier payloads may be lost."""
        for address, departure in tuple(self._departures.items()):
            if domain == departure.home and departure.state is _State.IN_DOUBT:
                self._ask(address, departure)
            elif domain == departure.place:
                if departure.state is _State.PREPARING:
                    self._prepare(address, departure)
                elif departure.state in _DECIDED:
                    self._meet_again(address, departure)

    def take_back(self, domain: str) -> list[tuple[str, int]]:
        """Revoke the decision on this home's agents that are still here, bound for a lost container.

        Nobody else knows of it yet.

        Args:
            domain: the container, which is gone.

        Returns:
            The agents and their hand-overs.
        """
        taken = []
        for address, departure in self._departures.items():
            is_here = departure.state in {_State.DECIDED, _State.LEAVING} and not departure.is_killed
            if is_here and departure.place == domain and departure.home == self._cluster_view.domain:
                departure.state = _State.READY
                taken.append((address, departure.number))
        return taken

    def lost(self, domain: str) -> None:
        """Called when another container is gone."""
        for address, departure in tuple(self._departures.items()):
            if domain == departure.place and departure.state in _UNDECIDED:
                self.cancel(address, f"container {_name(domain)} was lost before this was decided")

    def _meet_again(self, address: str, departure: _Departure) -> None:
        if self._cluster_view.is_dead(departure.place, departure.incarnation):
            self._forget(address)
            if not departure.is_killed:
                self._cluster_view.instructions.append(Perished(address, departure.number, departure.place))
        elif departure.is_killed:
            self._proceed(address, departure, Step.KILL)
        elif departure.state is _State.LEFT:
            self._proceed(address, departure, Step.START)
            if departure.has_brought:  # as the destination may have taken this container for lost
                self._proceed(address, departure, Step.BROUGHT)
        elif departure.state is _State.DECIDED:
            self._leave(address, departure)

    # -- what is known --------------------------------------------------------------------------------------

    def __contains__(self, address: str) -> bool:
        """Return whether an agent is leaving, or has left and is not known to be started."""
        return address in self._departures

    def is_leaving(self, address: str, number: int) -> bool:
        """Return whether to dissolve an agent, as `Leave` has said; it may have perished meanwhile."""
        departure = self._departures.get(address)
        is_same = departure is not None and departure.number == number
        return is_same and departure is not None and departure.state is _State.LEAVING

    def status(self, address: str) -> tuple[str, str] | None:
        """Return where an agent is going, and what its hand-over waits for; None if there is none.

        The first is the destination's domain, the second follows "waits for" in a sentence.
        """
        departure = self._departures.get(address)
        if departure is None:
            return None
        place, home = _name(departure.place), _name(departure.home)
        is_there = self._cluster_view.is_there
        match departure.state:
            case _State.PREPARING:
                what = f"{place} to make it ready"
            case _State.IN_DOUBT if is_there(departure.home, departure.witness):
                what = f"its home {home} to decide"
            case _State.IN_DOUBT:
                what = f"its home {home}, which is away and has to decide"
            case _State.LEFT | _State.LEAVING:
                what = f"{place} to start it"
            case _State.HELD | _State.READY:
                what = "messages that it sent earlier to arrive"
            case _:
                what = f"{place} to be back"
        return departure.place, what

    def has_to_do_with(self, domain: str) -> bool:
        """Return whether another container is the destination or the home of a leaving agent."""
        return any(domain in {it.place, it.home} for it in self._departures.values())

    def in_doubt(self, home: str) -> Iterator[tuple[str, int]]:
        """Iterate over a home's agents whose decisions are unknown here."""
        return (
            (address, it.number)
            for address, it in self._departures.items()
            if it.home == home and it.state is _State.IN_DOUBT
        )

    def left_for(self, home: str) -> Iterator[tuple[str, int, str, int]]:
        """Iterate over a home's agents that belong to another container, which may not know it yet."""
        return (
            (address, it.number, it.place, it.incarnation)
            for address, it in self._departures.items()
            if it.home == home and it.state in _DECIDED
        )

    # -- steps ----------------------------------------------------------------------------------------------

    def _proceed(
        self, address: str, departure: _Departure, step: Step, targets: Targets = (), *, brings: bool = False
    ) -> None:
        self._cluster_view.tell(departure.place, Proceed(address, departure.number, step, targets, brings))

    def _prepare(self, address: str, departure: _Departure) -> None:
        if departure.home == departure.place:
            departure.state = _State.IN_DOUBT
        prepare = Prepare(address, departure.number, departure.witness, departure.snapshot)
        self._cluster_view.tell(departure.place, prepare)

    def _ask(self, address: str, departure: _Departure) -> None:
        """Ask the home: for the move if the destination is ready, else for its decision."""
        own = self._cluster_view
        ask = Ask(
            address, departure.number, own.domain, own.incarnation, departure.place, departure.incarnation,
            departure.witness, is_ready=departure.home != departure.place,
        )  # fmt: skip
        own.tell(departure.home, ask)

    def _drained(self, address: str) -> None:
        if (departure := self._departures.get(address)) is not None:
            self._cluster_view.instructions.append(Drained(address, departure.number))

    def drained(self, address: str, number: int) -> None:
        """Called when nothing is under way that an agent could overtake, as asked by `Drained`."""
        departure = self._departures.get(address)
        if departure is not None and departure.number == number:
            departure.is_drained = True
            if departure.state is _State.HELD:
                self._prepare(address, departure)
            elif departure.state is _State.READY:
                self._have_it_decided(address, departure)

    def _have_it_decided(self, address: str, departure: _Departure) -> None:
        """Ask the home for the move, as all has arrived and the destination is ready."""
        if departure.home == self._cluster_view.domain:
            self._ask(address, departure)
        elif self._cluster_view.is_there(departure.home, departure.witness):
            departure.state, departure.snapshot = _State.IN_DOUBT, b""
            self._ask(address, departure)
        else:
            self.cancel(address, f"its home {_name(departure.home)} is not reachable to witness the move")

    def _leave(self, address: str, departure: _Departure) -> None:
        if not departure.is_killed:
            departure.snapshot = b""
            if self._cluster_view.is_there(departure.place, departure.incarnation):
                departure.state = _State.LEAVING
                leave = Leave(address, departure.number, departure.place)
                self._cluster_view.instructions.append(leave)

    def _pass_death_on(self, address: str, departure: _Departure) -> None:
        departure.state = _State.LEFT
        self._proceed(address, departure, Step.KILL)

    def _cancel(self, address: str, departure: _Departure) -> None:
        self._forget(address)
        self._proceed(address, departure, Step.CANCEL)

    def _stay(self, address: str, departure: _Departure, reason: str) -> None:
        self._forget(address)
        if departure.is_killed:
            self._cluster_view.tell(departure.home, Status(address, departure.number, State.GONE))
        else:
            self._cluster_view.instructions.append(Stay(address, departure.number, reason))

    def _take_back(self, address: str, departure: _Departure) -> None:
        """Resume an agent that belonged to another container, as if it had returned from there."""
        number = departure.number + 1
        self._cluster_view.tell(departure.home, Status(address, number, State.CONFIRMED))
        if departure.is_killed:
            self._cluster_view.tell(departure.home, Status(address, number, State.GONE))
            self._forget(address)
        else:
            self._set_number(address, number)
            self._stay(address, departure, f"container {_name(departure.place)} stops")

    def _forget(self, address: str) -> None:
        self._departures.pop(address, None)
        self.draining.forget(address)


def _name(domain: str) -> str:
    return domain.partition(".")[0]
