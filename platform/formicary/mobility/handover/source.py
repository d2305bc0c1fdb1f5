"""Decide what the source of hand-overs does: the state machine of agents that leave."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import msgspec

from formicary.mobility.handover.draining import Draining
from formicary.mobility.handover.exchange import Outcome, Prepare, Proceed, State, Status, Step
from formicary.mobility.handover.instructions import Leave, Perished, Settled, Stay
from formicary.mobility.handover.shared_state import Passage, home_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from formicary.mobility.handover.exchange import Decided, Prepared, Targets
    from formicary.mobility.handover.shared_state import SharedState


class _Phase(Enum):
    HELD = "the destination, which is the home, is told when all that was sent has arrived"
    PREPARING = "the destination makes it ready"
    READY = "the home is asked when all that was sent has arrived"
    IN_DOUBT = "the home was asked, or the destination which is the home"
    DECIDED = "it leaves when the destination is there"
    LEAVING = "it is taken apart"
    LEFT = "the destination starts it"
    OVER = "it is settled"


# No sets: hashing a phase takes longer than comparing it with two others.
_UNDECIDED = (_Phase.PREPARING, _Phase.READY, _Phase.HELD)
_DECIDED = (_Phase.DECIDED, _Phase.LEAVING, _Phase.LEFT)


class Departure(Passage, eq=False):
    """An agent that leaves, and is stopped meanwhile; `move` is what the container keeps of the move."""

    move: Any
    phase: _Phase = _Phase.PREPARING
    flushes: set[int] = msgspec.field(default_factory=set)  # those that are not answered
    is_drained: bool = False
    is_killed: bool = False
    is_refused: bool = False  # whether the destination has stopped with it ready
    has_brought: bool = False  # whether its messages, if any, were sent

    @property
    def is_leaving(self) -> bool:
        """Whether to take the agent apart, as `Leave` said; it may have perished meanwhile."""
        return self.phase is _Phase.LEAVING

    @property
    def is_in_doubt(self) -> bool:
        """Whether the decision was asked for, and is unknown."""
        return self.phase is _Phase.IN_DOUBT

    @property
    def is_decided(self) -> bool:
        """Whether it belongs to the destination, which may not know it yet."""
        return self.phase in _DECIDED


class Source:
    """The agents that are leaving one container.

    Args:
        shared: the container's.
    """

    def __init__(self, shared: SharedState) -> None:
        self._shared = shared
        self.draining = Draining(shared)
        self.departures: dict[str, Departure] = {}
        """Those that are leaving, or have left and are not known to be started, by full name."""

    # -- what is asked for ----------------------------------------------------------------------------------

    def obstacle(self, address: str, place: str) -> str | None:
        """Return why an agent cannot be handed over now, as a sentence; None if it can."""
        members = self._shared.members
        if address in self.departures:
            return f"it is already on its way to {_name(self.departures[address].place)}"
        if place not in members:
            return (
                f"container {_name(place)} is not reachable: it does not exist, or there is no "
                "connection to it"
            )
        if (home := home_of(address)) not in members:
            return f"its home {_name(home)} is not reachable to witness the move; try again when it is back"
        return None

    def begin(
        self, address: str, number: int, place: str, snapshot: bytes, *, unsettled: Collection[str], move: Any
    ) -> Departure:
        """Begin to hand over an agent that has come to rest and has no `obstacle`.

        Arguments as of `Departure`; `unsettled`: the containers to which messages are under way.
        """
        own, home = self._shared, home_of(address)
        departure = self.departures[address] = Departure(
            address, number, own.domain, own.incarnation, place, own.members[place], own.members[home],
            snapshot, move,
        )  # fmt: skip
        self.draining.begin(departure, [each for each in unsettled if each != place])
        # No decision before all has arrived: the agent could continue elsewhere, and never hear of what is
        # lost with this container.
        if home == place:
            departure.phase = _Phase.HELD
        else:
            self._prepare(departure)
        return departure

    def drained(self, departure: Departure) -> None:
        """Called when nothing is under way that an agent could overtake, as asked by `Drained`."""
        departure.is_drained = True
        if departure.phase is _Phase.HELD:
            self._prepare(departure)
        elif departure.phase is _Phase.READY:
            self._have_it_decided(departure)

    def left(self, departure: Departure, targets: Targets = (), *, brings: bool = False) -> None:
        """Called when an agent was taken apart, before its messages are sent.

        Args:
            departure: the agent, which is leaving.
            targets: as of `Proceed`.
            brings: as of `Proceed`.
        """
        self._shared.forget(departure.address)
        departure.phase, departure.has_brought = _Phase.LEFT, brings
        self._proceed(departure, Step.START, targets, brings=brings)

    def brought(self, departure: Departure) -> None:
        """Called when the messages of an agent that has left were sent, if there are any."""
        if departure.phase is _Phase.LEFT and departure.has_brought:
            self._proceed(departure, Step.BROUGHT)

    def kill(self, departure: Departure) -> bool:
        """End an agent in transit, wherever it is; return False if its move was not decided yet.

        Then it stays, and can be ended like any other; otherwise forget it here.
        """
        if departure.phase in _UNDECIDED:
            self._cancel(departure)
            return False
        departure.is_killed = True
        if departure.phase is not _Phase.IN_DOUBT:
            self._pass_death_on(departure)
        return True

    def cancel(self, departure: Departure, reason: str) -> bool:
        """Cancel a hand-over that is not decided, so that the agent stays; return whether it was."""
        if departure.phase not in _UNDECIDED:
            return False
        self._cancel(departure)
        self._shared.instructions.append(Stay(departure, reason))
        return True

    # -- what others say ------------------------------------------------------------------------------------

    def prepared(self, origin: str, event: Prepared) -> None:
        """Handle that the destination is ready, or refuses the agent."""
        departure = self.departures.get(event.address)
        if departure is None or departure.number != event.number or departure.place != origin:
            if event.refusal is None:
                self._shared.tell(origin, Proceed(event.address, event.number, Step.CANCEL))
        elif event.refusal is not None:
            self._refused(departure, event.refusal)
        elif departure.phase is _Phase.PREPARING:
            departure.phase = _Phase.READY
            if departure.is_drained:
                self._have_it_decided(departure)

    def _refused(self, departure: Departure, reason: str) -> None:
        """Keep an agent that the destination refuses; if that is its home, this is the decision.

        Also if the destination has stopped with the agent ready, which it will never start.
        """
        if departure.phase in _UNDECIDED or departure.place == departure.home:
            self._stay(departure, reason)
        elif departure.phase is not _Phase.LEFT:
            departure.is_refused = True
            if departure.phase is not _Phase.IN_DOUBT:
                self._take_back(departure)

    def decided(self, origin: str, event: Decided) -> None:
        """Handle the home's decision."""
        departure = self.departures.get(event.address)
        if departure is None or departure.number != event.number or departure.home != origin:
            return
        moves = event.outcome is Outcome.MOVES
        if departure.phase not in {_Phase.READY, _Phase.IN_DOUBT}:
            return
        if not moves:
            if origin != departure.place:
                self._proceed(departure, Step.CANCEL)
            is_late = departure.phase is _Phase.READY
            lost = f"container {_name(departure.place)} was lost before this was decided"
            self._stay(departure, "there is a later record of it here" if is_late else lost)
            return
        departure.phase = _Phase.DECIDED
        if departure.is_refused:
            self._take_back(departure)
        elif self._shared.is_dead(departure.place, departure.incarnation):
            self._meet_again(departure)
        elif departure.is_killed:
            self._pass_death_on(departure)
        else:
            self._leave(departure)

    def started(self, origin: str, event: Status) -> None:
        """Handle that the destination has started the agent, or ended one that was killed."""
        departure = self.departures.get(event.address)
        if departure is None or departure.number != event.number or departure.place != origin:
            return
        if departure.phase is _Phase.LEFT:  # otherwise it answers something earlier
            self._forget(departure)
            if not departure.is_killed:
                self._shared.instructions.append(Settled(departure, event.report))

    # -- who comes and goes ---------------------------------------------------------------------------------

    def joined(self, domain: str) -> None:
        """Called when there is a new link to another container: earlier payloads may be lost."""
        for departure in tuple(self.departures.values()):
            if domain == departure.home and departure.phase is _Phase.IN_DOUBT:
                self._ask(departure)
            elif domain == departure.place:
                if departure.phase is _Phase.PREPARING:
                    self._prepare(departure)
                elif departure.is_decided:
                    self._meet_again(departure)

    def take_back(self, domain: str) -> list[Departure]:
        """Revoke and return the decisions on this home's agents that are still here, bound for `domain`.

        That container is lost, and nobody else knows of them yet.
        """
        taken = []
        for departure in self.departures.values():
            is_here = departure.phase in {_Phase.DECIDED, _Phase.LEAVING} and not departure.is_killed
            if is_here and departure.place == domain and departure.home == self._shared.domain:
                departure.phase = _Phase.READY
                taken.append(departure)
        return taken

    def lost(self, domain: str) -> None:
        """Called when another container is gone."""
        for departure in tuple(self.departures.values()):
            if domain == departure.place:
                self.cancel(departure, f"container {_name(domain)} was lost before this was decided")

    def _meet_again(self, departure: Departure) -> None:
        """Repeat what a destination may have missed, or give up an agent that is lost with it."""
        if self._shared.is_dead(departure.place, departure.incarnation):
            self._forget(departure)
            if not departure.is_killed:
                self._shared.instructions.append(Perished(departure))
        elif departure.is_killed:
            self._proceed(departure, Step.KILL)
        elif departure.phase is _Phase.LEFT:
            self._proceed(departure, Step.START)
            self.brought(departure)  # as the destination may have taken this container for lost
        elif departure.phase is _Phase.DECIDED:
            self._leave(departure)

    # -- what is known --------------------------------------------------------------------------------------

    def what_blocks(self, departure: Departure) -> str:
        """Return what a hand-over waits for; it follows "waits for" in a sentence."""
        place, home = _name(departure.place), _name(departure.home)
        match departure.phase:
            case _Phase.PREPARING:
                return f"{place} to make it ready"
            case _Phase.IN_DOUBT if self._shared.is_there(departure.home, departure.witness):
                return f"its home {home} to decide"
            case _Phase.IN_DOUBT:
                return f"its home {home}, which is away and has to decide"
            case _Phase.LEFT | _Phase.LEAVING:
                return f"{place} to start it"
            case _Phase.HELD | _Phase.READY:
                return "messages that it sent earlier to arrive"
            case _:
                return f"{place} to be back"

    # -- steps ----------------------------------------------------------------------------------------------

    def _proceed(
        self, departure: Departure, step: Step, targets: Targets = (), *, brings: bool = False
    ) -> None:
        proceed = Proceed(departure.address, departure.number, step, targets, brings)
        self._shared.tell(departure.place, proceed)

    def _tell_home(self, departure: Departure, number: int, state: State) -> None:
        self._shared.tell(departure.home, Status(departure.address, number, state))

    def _prepare(self, departure: Departure) -> None:
        if departure.home == departure.place:
            departure.phase = _Phase.IN_DOUBT
        prepare = Prepare(departure.address, departure.number, departure.witness, departure.snapshot)
        self._shared.tell(departure.place, prepare)

    def _ask(self, departure: Departure) -> None:
        """Ask the home: for the move if the destination is ready, else for its decision."""
        home = departure.home
        self._shared.tell(home, departure.question(is_ready=home != departure.place))

    def _have_it_decided(self, departure: Departure) -> None:
        """Ask the home for the move, as all has arrived and the destination is ready."""
        if departure.home == self._shared.domain:
            self._ask(departure)
        elif self._shared.is_there(departure.home, departure.witness):
            departure.phase, departure.snapshot = _Phase.IN_DOUBT, b""
            self._ask(departure)
        else:
            self.cancel(departure, f"its home {_name(departure.home)} is not reachable to witness the move")

    def _leave(self, departure: Departure) -> None:
        departure.snapshot = b""
        if self._shared.is_there(departure.place, departure.incarnation):
            departure.phase = _Phase.LEAVING
            self._shared.instructions.append(Leave(departure))

    def _pass_death_on(self, departure: Departure) -> None:
        departure.phase = _Phase.LEFT
        self._proceed(departure, Step.KILL)

    def _cancel(self, departure: Departure) -> None:
        self._forget(departure)
        self._proceed(departure, Step.CANCEL)

    def _stay(self, departure: Departure, reason: str) -> None:
        self._forget(departure)
        if departure.is_killed:
            self._tell_home(departure, departure.number, State.GONE)
        else:
            self._shared.instructions.append(Stay(departure, reason))

    def _take_back(self, departure: Departure) -> None:
        """Resume an agent that belonged to another container, as if it had returned from there."""
        number = departure.number + 1
        self._tell_home(departure, number, State.CONFIRMED)
        if departure.is_killed:
            self._tell_home(departure, number, State.GONE)
            self._forget(departure)
        else:
            self._shared.numbers[departure.address] = number
            self._stay(departure, f"container {_name(departure.place)} stops")

    def _forget(self, departure: Departure) -> None:
        del self.departures[departure.address]
        departure.phase = _Phase.OVER
        departure.flushes.clear()


def _name(domain: str) -> str:
    return domain.partition(".")[0]
