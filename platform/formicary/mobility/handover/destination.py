"""Decide what the destination of hand-overs does: the state machine of agents that arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from formicary.mobility.handover.exchange import (
    LONGEST_REASON,
    Decided,
    Outcome,
    Prepared,
    State,
    Status,
    Step,
)
from formicary.mobility.handover.instructions import Build, Discard, Expect, Terminate, Wake
from formicary.mobility.handover.shared_state import Passage, home_of

if TYPE_CHECKING:
    from formicary.mobility.handover.exchange import Prepare, Proceed, Query, Report, Targets
    from formicary.mobility.handover.shared_state import SharedState

_MOST_STARTED: Final = 10_000  # completed hand-overs whose source may not know it


class Arrival(Passage, eq=False):
    """An agent that is being prepared, or is ready, and has not started."""

    guest: Any = None
    """The agent as the container has created it; None until then."""
    targets: Targets = ()
    """As of `Proceed`."""
    is_waking: bool = False
    is_incomplete: bool = False  # whether it starts only when the messages that follow have come
    is_by_source: bool = False  # whether the source has started it, rather than the home


class Destination:
    """The agents that are arriving in one container.

    Args:
        shared: the container's.
    """

    def __init__(self, shared: SharedState) -> None:
        self._shared = shared
        self.arrivals: dict[str, Arrival] = {}
        """Those that have not started, by full name."""
        # By agent: hand-over, source and its incarnation, if completed.
        self._started: dict[str, tuple[int, str, int]] = {}

    # -- what the container says ----------------------------------------------------------------------------

    def built(self, arrival: Arrival, guest: Any) -> bool:
        """Take note that an agent was created, as `Build` said; return False to forget it again."""
        if self.arrivals.get(arrival.address) is not arrival:
            return False
        arrival.guest, arrival.snapshot = guest, b""
        own = self._shared
        if arrival.home == own.domain:  # this container decides, at once
            own.tell(own.domain, arrival.question(is_ready=True))
        else:
            own.tell(arrival.source, Prepared(arrival.address, arrival.number))
        return True

    def refuse(self, arrival: Arrival, reason: str) -> None:
        """Called when an agent is refused here, or could not be created."""
        if self.arrivals.get(arrival.address) is arrival:
            del self.arrivals[arrival.address]
            own = self._shared
            if arrival.home == own.domain:
                self._ask(arrival)  # so it decides that it stays
            own.tell(arrival.source, Prepared(arrival.address, arrival.number, reason[:LONGEST_REASON]))

    def started(self, arrival: Arrival, report: Report | None = None) -> None:
        """Called when an agent runs, as `Wake` said."""
        self._shared.numbers[arrival.address] = arrival.number
        if self.arrivals.get(arrival.address) is not arrival:
            return
        del self.arrivals[arrival.address]
        if arrival.is_by_source:
            self._confirm(arrival.source, arrival.address, arrival.number, report)
        elif arrival.home != self._shared.domain:
            # That may be a later process than the one that decided, and not know of it.
            self._tell_state(arrival.home, arrival.address, arrival.number, State.STARTED)

    def link_ended(self, domain: str) -> None:
        """Called when a link to another container has ended: nothing follows an agent from there now."""
        for arrival in tuple(self.arrivals.values()):
            if arrival.source == domain:
                self._complete(arrival)

    # -- what the source says -------------------------------------------------------------------------------

    def prepare(self, origin: str, event: Prepare) -> None:
        """Prepare an agent, if it is not ready."""
        address, number = event.address, event.number
        own = self._shared
        arrival = self.arrivals.get(address)
        if arrival is not None:
            if arrival.number == number and arrival.source == origin:
                if arrival.guest is not None:
                    self._say_again(arrival)
                return
            if number < arrival.number or arrival.is_waking:
                own.tell(origin, Prepared(address, number, "it is already on its way here"))
                return
            if arrival.source != origin and arrival.guest is None:  # otherwise it has been told
                self.refuse(arrival, "another agent with its name is on its way here")
            else:
                self._discard(arrival)
        arrival = self.arrivals[address] = Arrival(
            address, number, origin, own.members[origin], own.domain, own.incarnation,
            event.witness, event.snapshot,
        )  # fmt: skip
        own.instructions.append(Build(arrival))

    def proceed(self, origin: str, event: Proceed) -> None:
        """Cancel, start, complete or kill an agent."""
        if event.step is Step.START:
            self._start(origin, event)
            return
        arrival = self.arrivals.get(event.address)
        if arrival is not None and (arrival.number, arrival.source) != (event.number, origin):
            arrival = None  # another one
        if event.step is Step.KILL:
            self._kill(origin, event.address, event.number, arrival)
        elif arrival is not None and event.step is Step.BROUGHT:
            self._complete(arrival)
        elif arrival is not None and not arrival.is_waking:
            self._discard(arrival)

    def _start(self, origin: str, event: Proceed) -> None:
        """Start an agent; one that is not ready was started before."""
        address, number = event.address, event.number
        self._started.pop(address, None)
        arrival = self.arrivals.get(address)
        if self._shared.number_of(address) == number:
            self._confirm(origin, address, number)
        elif arrival is None or arrival.number != number:
            self._confirm(origin, address, number)
            self._tell_state(home_of(address), address, number, State.GONE)
        elif arrival.source == origin and arrival.guest is not None:
            arrival.is_by_source = True
            if not arrival.is_waking:
                arrival.targets = event.targets
                self._wake(arrival, brings=event.brings)

    def _kill(self, origin: str, address: str, number: int, arrival: Arrival | None) -> None:
        """End an agent that was killed in transit."""
        self._started.pop(address, None)
        self._tell_state(origin, address, number, State.CONFIRMED)
        is_starting = arrival is not None and arrival.is_waking and not arrival.is_incomplete
        if is_starting or (arrival is None and self._shared.number_of(address) == number):
            reason = "it was killed on the way"
            self._shared.instructions.append(Terminate(address, reason, arrival))
            return
        if arrival is not None:
            self._discard(arrival)
        self._tell_state(home_of(address), address, number, State.GONE)

    def gone(self, origin: str, event: Status) -> None:
        """Decide, as the home, that an agent stays that has ended at its source."""
        arrival, own = self.arrivals.get(event.address), self._shared
        is_this = arrival is not None and arrival.source == origin and arrival.number >= event.number
        if is_this and arrival is not None and not arrival.is_waking and arrival.home == own.domain:
            self._ask(arrival)

    # -- what the home says ---------------------------------------------------------------------------------

    def decided(self, origin: str, event: Decided) -> None:
        """Handle the home's decision: made here, or asked for as the source is lost."""
        arrival = self.arrivals.get(event.address)
        if arrival is None or arrival.number != event.number or arrival.home != origin or arrival.is_waking:
            return
        own = self._shared
        if origin == own.domain and own.is_there(arrival.source, arrival.source_incarnation):
            own.tell(arrival.source, event)  # which starts it when it is dissolved there
            if event.outcome is Outcome.STAYS:
                self._discard(arrival)
        elif event.outcome is Outcome.MOVES:
            self._remember(arrival)
            self._wake(arrival)
        else:
            self._discard(arrival)

    def query(self, origin: str, event: Query) -> None:
        """Report what is known of a hand-over to its restarted home."""
        address, number = event.address, event.number
        arrival = self.arrivals.get(address)
        was_here = False
        state = State.UNKNOWN
        if self._shared.number_of(address) == number:
            state = State.STARTED
        elif arrival is not None and arrival.number == number:
            state = State.STARTED if arrival.is_waking else State.READY
        elif self._started.get(address, (0,))[0] == number:
            state, was_here = State.STARTED, True
        self._tell_state(origin, address, number, state)
        if was_here:
            self._tell_state(origin, address, number, State.GONE)

    # -- who comes and goes ---------------------------------------------------------------------------------

    def joined(self, domain: str) -> None:
        """Called when there is a new link to another container: earlier payloads may be lost."""
        own = self._shared
        for arrival in tuple(self.arrivals.values()):
            if arrival.guest is None or arrival.is_waking:
                continue
            if domain == arrival.source:
                if own.is_there(domain, arrival.source_incarnation):
                    self._say_again(arrival)
                elif domain == arrival.home:  # dead, with its decisions and its agents
                    self._discard(arrival)
                else:
                    self._ask(arrival)
            elif domain == arrival.home and not own.is_there(arrival.source, arrival.source_incarnation):
                self._ask(arrival)
        for address, (_, source, incarnation) in tuple(self._started.items()):
            if own.is_dead(source, incarnation):
                del self._started[address]

    def lost(self, domain: str) -> None:
        """Called when another container is gone: homes know what becomes of its agents."""
        for arrival in tuple(self.arrivals.values()):
            if domain == arrival.source and not arrival.is_waking:
                if arrival.guest is not None:
                    self._ask(arrival)
                else:
                    self._discard(arrival)

    def drop_all(self) -> None:
        """Forget all agents, as the container stops, and tell their sources."""
        own = self._shared
        for arrival in tuple(self.arrivals.values()):
            self._discard(arrival)
            if arrival.home != own.domain and not arrival.is_waking:  # otherwise it has lived here
                reason = f"container {own.domain.partition('.')[0]} stops"
                own.tell(arrival.source, Prepared(arrival.address, arrival.number, reason))

    # -- steps ----------------------------------------------------------------------------------------------

    def _tell_state(self, domain: str, address: str, number: int, state: State) -> None:
        self._shared.tell(domain, Status(address, number, state))

    def _confirm(self, source: str, address: str, number: int, report: Report | None = None) -> None:
        """Tell source and home that an agent was started."""
        self._shared.tell(source, Status(address, number, State.CONFIRMED, report))
        if (home := home_of(address)) != source:
            self._tell_state(home, address, number, State.CONFIRMED)

    def _say_again(self, arrival: Arrival) -> None:
        own, address, number = self._shared, arrival.address, arrival.number
        is_home = arrival.home == own.domain
        own.tell(
            arrival.source, Decided(address, number, Outcome.MOVES) if is_home else Prepared(address, number)
        )

    def _ask(self, arrival: Arrival) -> None:
        self._shared.tell(arrival.home, arrival.question(is_ready=False))

    def _wake(self, arrival: Arrival, *, brings: bool = False) -> None:
        arrival.is_waking, arrival.is_incomplete = True, brings
        self._shared.instructions.append(Expect(arrival) if brings else Wake(arrival))

    def _complete(self, arrival: Arrival) -> None:
        """Start an agent that has waited for the messages that follow it."""
        if arrival.is_incomplete:
            self._wake(arrival)

    def _remember(self, arrival: Arrival) -> None:
        """Remember what the source may ask a later incarnation of the home."""
        if len(self._started) >= _MOST_STARTED:
            del self._started[next(iter(self._started))]
        self._started[arrival.address] = arrival.number, arrival.source, arrival.source_incarnation

    def _discard(self, arrival: Arrival) -> None:
        del self.arrivals[arrival.address]
        if arrival.guest is not None:
            self._shared.instructions.append(Discard(arrival))
