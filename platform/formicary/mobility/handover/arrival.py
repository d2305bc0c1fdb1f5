"""The destination's part of hand-overs, as a state machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from formicary.mobility.handover.cluster_view import home_of
from formicary.mobility.handover.exchange import (
    LONGEST_REASON,
    Ask,
    Decided,
    Outcome,
    Prepared,
    State,
    Status,
    Step,
)
from formicary.mobility.handover.instructions import Build, Complete, Discard, Terminate, Wake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary.mobility.handover.cluster_view import ClusterView
    from formicary.mobility.handover.exchange import Prepare, Proceed, Query, Targets

_MOST_STARTED: Final = 10_000  # completed hand-overs whose source may not know it


class _Arrival(msgspec.Struct):
    number: int
    source: str
    incarnation: int  # of the source
    home: str
    witness: int  # the home's incarnation when the hand-over began
    is_built: bool = False
    is_waking: bool = False
    is_by_source: bool = False  # whether the home has decided that it starts


class Arrivals:
    """The agents that are being prepared, or are ready, and are not known to be started.

    Args:
        cluster_view: the container's.
        number_of: returns the number of the hand-over that brought an agent that lives here; 0 if none did,
            None if no such agent lives here.
    """

    def __init__(self, cluster_view: ClusterView, number_of: Callable[[str], int | None]) -> None:
        self._cluster_view = cluster_view
        self._number_of = number_of
        self._arrivals: dict[str, _Arrival] = {}
        # By agent: hand-over, source and its incarnation, if completed.
        self._started: dict[str, tuple[int, str, int]] = {}

    # -- what the container says ----------------------------------------------------------------------------

    def built(self, address: str, number: int) -> None:
        """Called when an agent was created, as `Build` said."""
        arrival = self._arrivals.get(address)
        if arrival is None or arrival.number != number:
            self._cluster_view.instructions.append(Discard(address, number))
            return
        arrival.is_built = True
        own = self._cluster_view
        if arrival.home == own.domain:  # this container decides, at once
            own.tell(own.domain, self._question(address, arrival, is_ready=True))
        else:
            own.tell(arrival.source, Prepared(address, number))

    def refuse(self, address: str, number: int, reason: str) -> None:
        """Called when an agent is refused here, or could not be created."""
        arrival = self._arrivals.get(address)
        if arrival is not None and arrival.number == number:
            del self._arrivals[address]
            own = self._cluster_view
            if arrival.home == own.domain:
                own.tell(
                    own.domain, self._question(address, arrival, is_ready=False)
                )  # so the decision is that it stays
            own.tell(arrival.source, Prepared(address, number, reason[:LONGEST_REASON]))

    def started(self, address: str, number: int, message: bytes = b"") -> None:
        """Called when an agent runs, as `Wake` said; `message` is for the services at its source."""
        arrival = self._arrivals.get(address)
        if arrival is None or arrival.number != number:
            return
        del self._arrivals[address]
        if arrival.is_by_source:
            self._confirm(arrival.source, address, number, message)
        elif arrival.home != self._cluster_view.domain:
            # That may be a later process than the one that decided, and not know of it.
            self._cluster_view.tell(arrival.home, Status(address, number, State.STARTED))

    # -- what the source says -------------------------------------------------------------------------------

    def prepare(self, origin: str, event: Prepare) -> None:
        """Prepare an agent, if it is not ready."""
        address, number = event.address, event.number
        own = self._cluster_view
        arrival = self._arrivals.get(address)
        if arrival is not None:
            if arrival.number == number and arrival.source == origin:
                if arrival.is_built:
                    self._say_again(address, arrival)
                return
            if number < arrival.number or arrival.is_waking:
                own.tell(origin, Prepared(address, number, "it is already on its way here"))
                return
            if arrival.source != origin and not arrival.is_built:  # otherwise it has been told
                self.refuse(address, arrival.number, "another agent with its name is on its way here")
                own.instructions.append(Discard(address, arrival.number))
            else:
                self._discard(address, arrival)
        self._arrivals[address] = _Arrival(
            number, origin, own.members[origin], home_of(address), event.witness
        )
        own.instructions.append(Build(address, number, origin, event.snapshot))

    def proceed(self, origin: str, event: Proceed) -> None:
        """Cancel, start, complete or kill an agent."""
        address, number = event.address, event.number
        if event.step is Step.START:
            self._start(origin, event)
            return
        arrival = self._arrivals.get(address)
        if arrival is not None and (arrival.number, arrival.source) != (number, origin):
            arrival = None  # another one
        match event.step:
            case Step.KILL:
                self._kill(origin, address, number, arrival)
            case Step.CANCEL if arrival is not None:
                self._discard(address, arrival)
            case Step.BROUGHT if arrival is not None and arrival.is_waking:
                self._cluster_view.instructions.append(Complete(address, number))

    def _start(self, origin: str, event: Proceed) -> None:
        """Start an agent; one that is not ready was started before."""
        address = event.address
        self._started.pop(address, None)
        arrival = self._arrivals.get(address)
        if self._number_of(address) == event.number:
            self._confirm(origin, address, event.number)
        elif arrival is None or arrival.number != event.number:
            self._confirm(origin, address, event.number)
            self._cluster_view.tell(home_of(address), Status(address, event.number, State.GONE))
        elif arrival.source == origin:
            arrival.is_by_source = True
            if not arrival.is_waking:
                self._wake(address, arrival, event.targets, brings=event.brings)

    def _kill(self, origin: str, address: str, number: int, arrival: _Arrival | None) -> None:
        """End an agent that was killed in transit."""
        self._started.pop(address, None)
        if arrival is not None:
            if not arrival.is_waking:
                self._discard(address, arrival)
                self._confirm_death(origin, address, number)
                return
        elif self._number_of(address) != number:
            self._confirm_death(origin, address, number)
            return
        reason = "it was killed on the way"
        self._cluster_view.instructions.append(Terminate(address, number, reason))
        self._cluster_view.tell(origin, Status(address, number, State.CONFIRMED))

    def gone(self, origin: str, event: Status) -> None:
        """Decide, as the home, that an agent stays that has ended at its source."""
        arrival, own = self._arrivals.get(event.address), self._cluster_view
        is_this = arrival is not None and arrival.source == origin and arrival.number >= event.number
        if is_this and arrival is not None and not arrival.is_waking and arrival.home == own.domain:
            own.tell(own.domain, self._question(event.address, arrival, is_ready=False))

    # -- what the home says ---------------------------------------------------------------------------------

    def decided(self, origin: str, event: Decided) -> None:
        """Handle the home's decision: made here, or asked for as the source is lost."""
        address = event.address
        arrival = self._arrivals.get(address)
        if arrival is None or arrival.number != event.number or arrival.home != origin or arrival.is_waking:
            return
        own = self._cluster_view
        if origin == own.domain and own.is_there(arrival.source, arrival.incarnation):
            own.tell(arrival.source, event)  # which starts it when it is dissolved there
            if event.outcome is Outcome.STAYS:
                self._discard(address, arrival)
        elif event.outcome is Outcome.MOVES:
            self._remember(address, arrival)
            self._wake(address, arrival, ())
        else:
            self._discard(address, arrival)

    def query(self, origin: str, event: Query) -> None:
        """Report what is known of a hand-over to its restarted home."""
        address, number = event.address, event.number
        arrival = self._arrivals.get(address)
        was_here = False
        state = State.UNKNOWN
        if self._number_of(address) == number:
            state = State.STARTED
        elif arrival is not None and arrival.number == number:
            state = State.STARTED if arrival.is_waking else State.READY
        elif self._started.get(address, (0,))[0] == number:
            state, was_here = State.STARTED, True
        self._cluster_view.tell(origin, Status(address, number, state))
        if was_here:
            self._cluster_view.tell(origin, Status(address, number, State.GONE))

    # -- who comes and goes ---------------------------------------------------------------------------------

    def joined(self, domain: str) -> None:
        """Called when there is a new link to another container: earlier payloads may be lost."""
        own = self._cluster_view
        for address, arrival in tuple(self._arrivals.items()):
            if not arrival.is_built or arrival.is_waking:
                continue
            if domain == arrival.source:
                if own.is_there(domain, arrival.incarnation):
                    self._say_again(address, arrival)
                elif domain == arrival.home:  # dead, with its decisions and its agents
                    self._discard(address, arrival)
                else:
                    self._ask(address, arrival)
            elif domain == arrival.home and not own.is_there(arrival.source, arrival.incarnation):
                self._ask(address, arrival)
        for address, (_, source, incarnation) in tuple(self._started.items()):
            if own.is_dead(source, incarnation):
                del self._started[address]

    def lost(self, domain: str) -> None:
        """Called when another container is gone: homes know what becomes of its agents."""
        for address, arrival in tuple(self._arrivals.items()):
            if domain == arrival.source and not arrival.is_waking:
                if arrival.is_built:
                    self._ask(address, arrival)
                else:
                    self._discard(address, arrival)

    # -- what is known --------------------------------------------------------------------------------------

    def __contains__(self, address: str) -> bool:
        """Return whether an agent is arriving."""
        return address in self._arrivals

    def has_to_do_with(self, domain: str) -> bool:
        """Return whether another container is the source or the home of an arriving agent."""
        return any(domain in {it.source, it.home} for it in self._arrivals.values())

    def ready(self, home: str) -> Iterator[tuple[str, int]]:
        """Iterate over a home's agents that are ready here."""
        return ((address, it.number) for address, it in self._arrivals.items() if it.home == home)

    def drop_all(self) -> None:
        """Forget all agents, as the container stops, and tell their sources."""
        for address, arrival in tuple(self._arrivals.items()):
            self._discard(address, arrival)
            if arrival.home != self._cluster_view.domain and not arrival.is_waking:  # else it has lived here
                reason = f"container {self._cluster_view.domain.partition('.')[0]} stops"
                self._cluster_view.tell(arrival.source, Prepared(address, arrival.number, reason))

    # -- steps ----------------------------------------------------------------------------------------------

    def _confirm(self, source: str, address: str, number: int, message: bytes = b"") -> None:
        """Tell source and home that an agent was started."""
        self._cluster_view.tell(source, Status(address, number, State.CONFIRMED, message))
        if (home := home_of(address)) != source:
            self._cluster_view.tell(home, Status(address, number, State.CONFIRMED))

    def _confirm_death(self, source: str, address: str, number: int) -> None:
        """Confirm to the source the end of an agent that it has killed; tell the home that it is gone."""
        self._cluster_view.tell(source, Status(address, number, State.CONFIRMED))
        self._cluster_view.tell(home_of(address), Status(address, number, State.GONE))

    def _say_again(self, address: str, arrival: _Arrival) -> None:
        own = self._cluster_view
        if arrival.home == own.domain:
            own.tell(arrival.source, Decided(address, arrival.number, Outcome.MOVES))
        else:
            own.tell(arrival.source, Prepared(address, arrival.number))

    def _ask(self, address: str, arrival: _Arrival) -> None:
        self._cluster_view.tell(arrival.home, self._question(address, arrival, is_ready=False))

    def _question(self, address: str, arrival: _Arrival, *, is_ready: bool) -> Ask:
        own = self._cluster_view
        return Ask(
            address, arrival.number, arrival.source, arrival.incarnation,
            own.domain, own.incarnation, arrival.witness, is_ready,
        )  # fmt: skip

    def _wake(self, address: str, arrival: _Arrival, targets: Targets, *, brings: bool = False) -> None:
        arrival.is_waking = True
        wake = Wake(address, arrival.number, arrival.source, targets, brings)
        self._cluster_view.instructions.append(wake)

    def _remember(self, address: str, arrival: _Arrival) -> None:
        """Remember what the source may ask a later incarnation of the home."""
        if len(self._started) >= _MOST_STARTED:
            del self._started[next(iter(self._started))]
        self._started[address] = arrival.number, arrival.source, arrival.incarnation

    def _discard(self, address: str, arrival: _Arrival) -> None:
        del self._arrivals[address]
        self._cluster_view.instructions.append(Discard(address, arrival.number))
