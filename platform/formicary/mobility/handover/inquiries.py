"""Find out what a restarted home may have decided before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from formicary.mobility.handover.exchange import Hello, Query, State

if TYPE_CHECKING:
    from formicary.mobility.handover.exchange import Ask, Status
    from formicary.mobility.handover.ledger import Ledger
    from formicary.mobility.handover.shared_state import SharedState


LIFE: Final = 1 << 18
"""How many numbers of hand-overs one agent has; the next agent of its name has the next ones."""


@dataclass(slots=True)
class _Inquiry:
    """A hand-over that began before this container started, and may have been decided."""

    ask: Ask
    askers: set[str] = field(default_factory=set)
    is_asked_by_source: bool = False
    is_ready: bool = False  # the destination
    is_unknown: bool = False  # to the destination


class Inquiries:
    """The earlier hand-overs about which others ask, and of which nothing is known here.

    Args:
        shared: the container's.
        book: the home's record.
    """

    def __init__(self, shared: SharedState, book: Ledger) -> None:
        self._shared = shared
        self._book = book
        self._inquiries: dict[tuple[str, int], _Inquiry] = {}  # by agent and hand-over
        # Domains that have reported their agents over the present link, and those that were asked to.
        self._heard: set[str] = set()
        self._greeted: set[str] = set()

    def __contains__(self, event: Ask) -> bool:
        """Return whether there is an inquiry about a hand-over."""
        return (event.address, event.number) in self._inquiries

    def parties(self) -> set[str]:
        """Return the domains of sources and destinations."""
        return {party for it in self._inquiries.values() for party in (it.ask.source, it.ask.place)}

    # -- what others say ------------------------------------------------------------------------------------

    def ask(self, origin: str, event: Ask) -> None:
        """Begin to find out about a hand-over."""
        key = event.address, event.number
        inquiry = self._inquiries.setdefault(key, _Inquiry(event))
        inquiry.askers.add(origin)
        if origin == event.source:
            inquiry.is_asked_by_source = True
        if origin == event.place:
            inquiry.is_ready = True
        self._consider(key)

    def have(self, origin: str, event: Status) -> bool:
        """Handle what a destination knows of a hand-over; return whether there is an inquiry about it."""
        key = event.address, event.number
        inquiry = self._inquiries.get(key)
        if inquiry is None or inquiry.ask.place != origin:
            return False
        if event.state is State.STARTED:
            self._conclude(key, moves=True)
        else:
            inquiry.is_ready = event.state is State.READY
            inquiry.is_unknown = event.state is State.UNKNOWN
            self._consider(key)
        return True

    def heard(self, origin: str) -> None:
        """Called when another container has reported all its agents of this home."""
        self._heard.add(origin)
        self._consider_all()

    # -- who comes and goes ---------------------------------------------------------------------------------

    def link_changed(self, domain: str) -> None:
        """Called when there is a new link to another container, or it is gone."""
        self._heard.discard(domain)
        self._greeted.discard(domain)
        self._consider_all()

    # -- conclusions ----------------------------------------------------------------------------------------

    def _consider_all(self) -> None:
        for key in tuple(self._inquiries):
            self._consider(key)

    def _consider(self, key: tuple[str, int]) -> None:
        """Conclude an inquiry if possible; otherwise ask destination or source if that helps."""
        inquiry = self._inquiries[key]
        ask = inquiry.ask
        known = self._book.outcome(ask, is_source=inquiry.is_asked_by_source)
        if known is not None:
            self._conclude(key, moves=known)
        elif self._shared.is_dead(ask.source, ask.source_incarnation):
            self._conclude(key, moves=False)  # the agent died there
        elif inquiry.is_asked_by_source:
            self._consider_for_source(key, inquiry)
        else:
            self._consider_for_place(key, inquiry)

    def _consider_for_source(self, key: tuple[str, int], inquiry: _Inquiry) -> None:
        """Find out for a source that has an agent, and does not know whether to start it."""
        own, ask = self._shared, inquiry.ask
        if self._book.has_another(*key):
            self._conclude(key, moves=False)  # it must end, wherever it is
        elif self._has_moved_on(ask):
            self._conclude(key, moves=True, is_past=True)
        elif inquiry.is_unknown or own.is_dead(ask.place, ask.incarnation):
            # The source keeps it, unless it was started at the destination and has moved on since.
            if self._have_all_said_what_they_have():
                self._conclude(key, moves=False)
        elif inquiry.is_ready:
            self._conclude(key, moves=True)
        else:
            own.tell(ask.place, Query(*key))

    def _consider_for_place(self, key: tuple[str, int], inquiry: _Inquiry) -> None:
        """Find out for a destination that has an agent ready, and has lost the source."""
        own, ask = self._shared, inquiry.ask
        if own.is_dead(ask.place, ask.incarnation) or self._book.has_another(*key):
            self._conclude(key, moves=False)
        elif ask.source in self._heard:
            self._conclude(key, moves=False)  # the source keeps it, or has ended it
        elif own.is_there(ask.source, ask.source_incarnation):
            self._greet(ask.source)  # it may no longer have it, and not report so by itself

    def _has_moved_on(self, ask: Ask) -> bool:
        """Return whether an agent is leaving another container by a later hand-over than that asked about."""
        return any(
            address == ask.address
            and number > ask.number
            and number // LIFE == ask.number // LIFE
            and later.is_asked_by_source
            and later.ask.source != ask.source
            for (address, number), later in self._inquiries.items()
        )

    def _have_all_said_what_they_have(self) -> bool:
        """Return whether all others have reported their agents; ask those that have not."""
        silent = set(self._shared.listed()) - self._heard - {self._shared.domain}
        for domain in sorted(silent):
            self._greet(domain)
        return not silent

    def _greet(self, domain: str) -> None:
        if domain not in self._greeted:
            self._greeted.add(domain)
            self._shared.tell(domain, Hello())

    def _conclude(self, key: tuple[str, int], *, moves: bool, is_past: bool = False) -> None:
        """Answer with the decision, and record it, unless more has happened since (`is_past`)."""
        inquiry = self._inquiries.pop(key)
        ask, book = inquiry.ask, self._book
        if not is_past and book.outcome(ask, is_source=inquiry.is_asked_by_source) is None:
            has_source = (
                inquiry.is_asked_by_source or ask.source not in self._heard
            )  # otherwise it has reported so
            book.decide(ask, moves=moves, has_source=has_source)
        for origin in sorted(inquiry.askers):
            book.answer(origin, ask, moves=moves)
