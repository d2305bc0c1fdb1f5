"""One container's end of a link to another, over whichever path there is.

A thin shell around a `Session`: it accepts messages, performs instructions, chooses the path and keeps time.
"""

from __future__ import annotations

import asyncio
from itertools import chain
from typing import TYPE_CHECKING

from formicary.delivery.link_status import LinkStatus
from formicary.transport.link.arrivals import Arrivals
from formicary.transport.link.custody import Custody
from formicary.transport.link.failing import Failures
from formicary.transport.link.frames import SentBatch
from formicary.transport.link.header import HELLO, PART
from formicary.transport.link.instructions import DeliveryOutcome, Doubt, Ended, Failed, Opened, Transmit
from formicary.transport.link.orders import Orders
from formicary.transport.link.outbox import BATCH_SIZE, Draining, Outbox
from formicary.transport.link.paths import NoPath
from formicary.transport.link.receipts import Receipts
from formicary.transport.link.session import State
from formicary.transport.link.wire_names import Names
from formicary.transport.remote_sink import PausedReceivers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.transport.direct import DirectConnection
    from formicary.transport.link.header import SessionParameters
    from formicary.transport.link.outbox import Letter
    from formicary.transport.link.paths import IndirectPath, Path
    from formicary.transport.link.session import Session
    from formicary.transport.router import Router

_BUSY_TICK = 0.02  # s between ticks while something waits to be acknowledged
_AWAY_TICK = 0.25  # the same while the other end is known to be away
_IDLE_TICK = 1.0
_FIRST_ANSWER = 3.0  # s that the other end gets to answer the first hello over a direct connection
_EARLY = 0.01  # s between acknowledgements before agents run, on average: each costs a frame
_EARLY_BURST = 16  # how many of these may follow each other at once


class Link:
    """One container's end of a link.

    Args:
        domain: the domain of the other container.
        owner: the router.
        session: the state machine.
        make_indirect: creates the path through a third party.
        direct_only: whether messages go directly only; then the indirect path is for the handshake.
        batch_size: how many messages make a batch that does not wait for the end of the turn.

    Attributes:
        at_turn_end: calls back when the agents have had their turn.
        batch_limit: bytes of the largest batch that goes as one frame.
        message_limit: bytes of the largest batch, which has one message.
        forwards: whether a message was ever forwarded here.
        was_direct: whether there has been a direct connection to this incarnation of the other container.
        ended_at: when its latest session ended, or it was created, by the loop's clock.
    """

    def __init__(
        self,
        domain: str,
        owner: Router,
        session: Session,
        *,
        make_indirect: Callable[[Link], IndirectPath],
        direct_only: bool,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        self.domain = domain
        self.owner = owner
        self.session = session
        self._container = owner.container
        self._sending = session.sending
        self.at_turn_end: Callable[[Callable[[], None]], None] = owner.container.scheduler.at_turn_end
        self.batch_limit = self._sending.frame_limit
        self.message_limit = self._sending.message_limit
        self.outbox = Outbox(self, domain, owner.container.domain, batch_size)
        self.failures = Failures(self)
        self.paused = PausedReceivers(owner.container.dispatcher)
        self.orders = Orders(self)
        self.pause_sender = self.orders.pause_sender
        self.draining = Draining(session, self.outbox)
        self.custody = Custody(self)
        self.forwards = False
        self._receivers, self._senders = Names(domain), Names(owner.container.domain)
        waiting = owner.container.dispatcher.waiting
        self._receipts = Receipts(waiting, self.orders.send_receipt, self.outbox.senders)
        self._arrivals = Arrivals(self, self._receipts)
        self.senders = self._arrivals.senders
        self._messages_sent = 0
        self._sent_before = 0  # the session
        self.indirect = make_indirect(self)
        self.direct: DirectConnection | None = None
        self.was_direct = False
        self._direct_only = direct_only
        self._path: Path | None = None
        self._path_since = 0.0
        self._loop = asyncio.get_running_loop()
        self._now = self._loop.time
        self.ended_at = self._now()
        self._timer: asyncio.TimerHandle | None = None
        self._is_slow = True  # whether the timer, if any, is a slow one
        self._is_closing = False  # closing must not wait for slow ticks
        self._early_at = 0.0  # when to acknowledge again before agents run
        self.choose_path()

    # -- messages from here ---------------------------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for an agent at the other end; return the sinks without room, if any."""
        if self.paused and (paused := self.paused.get(receiver)):
            return (paused,)
        if isinstance(message.to, tuple):
            return self.outbox.accept_for(message, receiver)
        self._container.dispatcher.add_route(receiver, self.outbox.accept)  # the next one goes straight there
        return self.outbox.accept(message)

    async def room(self, receiver: str) -> None:
        """Wait for room on the way to an agent at the other end."""
        await (self.paused.get(receiver) or self.outbox).room()

    def may_have_sent(self, receiver: str) -> bool:
        """Return whether messages for an agent may be under way, or be forwarded at the other end."""
        names, is_empty = self.outbox.receivers, self.outbox.is_empty
        return not is_empty or (self.session.is_open and (receiver in names or names.has_forgotten))

    @property
    def messages_taken(self) -> int:
        """How many messages were accepted."""
        return self._messages_sent + self.outbox.count

    # -- batches --------------------------------------------------------------------------------------------

    @property
    def has_room(self) -> bool:
        """Whether a batch would go out at once."""
        path = self._path
        return path is not None and path.has_room and self._sending.has_room

    def send_batch(self, data: bytes, letters: list[Letter]) -> None:
        """Send a batch that holds `letters`, in parts if it is too large for a frame."""
        if (before := self.owner.before_batch) is not None:
            before()
        self._messages_sent += len(letters)
        if self.forwards:
            self.custody.sent(letters, self._messages_sent - self._sent_before - len(letters) + 1)
        batch = SentBatch(data, len(letters), self._receivers, self._senders) if letters else None
        limit = self.batch_limit
        if len(data) > limit:
            view = memoryview(data)
            last = (len(data) - 1) // limit * limit
            for start in range(0, last, limit):
                self._send(self.session.send(bytes(view[start : start + limit]), None, PART))
            data = bytes(view[last:])
        frame = self.session.send(data, batch)
        if frame is not None and (path := self._path) is not None:  # as `_send`
            path.send(frame)
        if self._is_slow:
            self._tick_soon()

    def _send(self, frame: bytes | None) -> None:
        if frame is not None and self._path is not None:
            self._path.send(frame)

    def connect(self) -> None:
        """Look for the other container, for which something waits, or which may have been restarted."""
        if not self.owner.is_closed:
            self.session.connect(self._now())
            self.session.ask(self._now())
            self._perform()
            self._tick_soon()

    # -- what is known --------------------------------------------------------------------------------------

    @property
    def is_closed(self) -> bool:
        """Whether nothing goes out any more."""
        return self.owner.is_closed or self.session.state is State.CLOSED

    @property
    def is_idle(self) -> bool:
        """Whether it has neither messages nor a session, and can be forgotten."""
        outbox = self.outbox
        is_empty = outbox.is_empty and outbox.has_room and not self.paused and not self.failures.is_busy
        return is_empty and self.direct is None and self.session.state is State.IDLE

    @property
    def is_cut(self) -> bool:
        """Whether there is no path now."""
        return self._path is None

    @property
    def has_free_path(self) -> bool:
        """Whether there is a path with room now."""
        return self._path is not None and self._path.has_room

    def way_to(self, receiver: str) -> str:
        """Describe the way to an agent at the other end, as part of a sentence."""
        return f"the way to {receiver}, {self.trouble()},"

    def trouble(self) -> str:
        """Return why there is no room, as part of a sentence."""
        if self._path is None and not self.indirect.is_up:
            return self.indirect.trouble()
        if not self.session.is_open:
            return "whose other end has not answered yet"
        if self._path is None:
            return "which has no direct connection now"
        if not self._path.has_room and self.indirect is self._path:
            return self.indirect.trouble()
        return "whose other end is not taking more for now"

    def status(self) -> LinkStatus:
        """Return the status of the link."""
        counters = self.session.counters
        path = "none" if self._path is None else "direct" if self._path is self.direct else self.indirect.kind
        return LinkStatus(
            self.domain,
            path,
            self.session.is_open,
            *self.session.incarnations,
            self.session.unacknowledged,
            counters.sent,
            counters.received,
            counters.resent,
            counters.duplicates,
            counters.early + counters.strange,
            self.failures.count,
            self.session.rtt,
            self._messages_sent,
            self._arrivals.messages,
        )

    # -- paths ----------------------------------------------------------------------------------------------

    def choose_path(self) -> None:
        """Choose the best path; called when one is gained or lost."""
        may_be_indirect = self.indirect.is_up and not (self._direct_only and self.session.is_open)
        path = self.direct or (self.indirect if may_be_indirect else None)
        if path is not self._path:
            self._path = path
            self._path_since = self._now()
            self.session.use_path(self._now(), there_is_one=path is not None)
            self._perform()
        self.refresh()

    def refresh(self) -> None:
        """Resume sending if there is room; called when a path has room again."""
        if self.has_room:
            self.outbox.open()

    def set_away(self, *, is_away: bool) -> None:
        """Record whether the other container is away, if paths are direct only."""
        if isinstance(self.indirect, NoPath) and self.indirect.is_up is not is_away:
            self.indirect.is_up = is_away
            self.choose_path()

    def on_bounce(self, reason: str, *, is_away: bool = True) -> None:
        """Handle a frame that came back over the indirect path.

        `is_away` is False if the fault may be the server's rather than the other container's.
        """
        if self._path is self.indirect and (is_away or not self.session.is_open):
            self.lose(reason)

    def lose(self, reason: str) -> None:
        """Assume that the other container is away now."""
        was_away = self.session.is_away
        self.session.lose(self._now(), reason)
        self._perform()
        if self._is_slow and self._timer is not None and self.session.is_away and not was_away:
            self._timer.cancel()  # it was set for 1 s, which is long if 3 s decide
            self._timer = None
        self._tick_soon()

    def on_obstacle(self, obstacle: str) -> None:
        """Record why there is no direct connection, if messages have no other path."""
        self.failures.obstacle = obstacle
        self.session.remind(self._now())
        self._perform()

    # -- what comes in --------------------------------------------------------------------------------------

    def receive(self, frame: bytes) -> None:
        """Process a frame that came over any path."""
        session = self.session
        now = self._now()
        try:
            batch = session.receive(frame, now)
            # Orders are mostly answered at once, and answers acknowledge.
            if batch is not None and self._arrivals.hand_over(batch) and now >= self._early_at:
                # Acknowledge before agents run and may block the loop; under load, only now and then.
                self._early_at = max(self._early_at, now - _EARLY_BURST * _EARLY) + _EARLY
                session.receiving.acknowledge()
                self._container.scheduler.wait_for_loop()
        except ValueError as error:
            self.owner.drop(self.domain, str(error))
        if session.instructions:
            self._perform()
        outbox = self.outbox
        if not outbox.has_room and self.has_room:
            outbox.open()
        if self._is_slow:
            self._tick_soon()

    def receive_indirect(self, frame: bytes) -> None:
        """Process a frame that came over the indirect path."""
        if self.direct is not None and self._path is self.direct:
            self.session.ask(self._now())  # the other end may have had a reason to leave the direct path
        self.receive(frame)

    def freeze(self, *, is_frozen: bool) -> None:
        """Make the other end wait, as this container has no room, or resume."""
        self.session.receiving.freeze(is_frozen=is_frozen)
        self._perform()
        if not is_frozen and self.session.state is State.IDLE:
            self.outbox.open()

    # -- instructions of the session ------------------------------------------------------------------------

    def _perform(self) -> None:
        session = self.session
        while session.instructions:
            for instruction in session.take_instructions():
                match instruction:
                    case Transmit(frame):
                        self._transmit(frame)
                    case Opened(parameters):
                        self._opened(parameters)
                    case Failed(batches, reason, outcome):
                        self.failures.add(chain.from_iterable(batches), reason, outcome)
                    case Ended(reason):
                        self._ended(reason)
                    case Doubt():
                        self.owner.on_doubt(self)

    def _transmit(self, frame: bytes) -> None:
        path: Path | None = self._path
        if path is None and self.indirect.is_up and frame[0] == HELLO:
            path = self.indirect
        if path is not None:
            path.send(frame)

    def _opened(self, parameters: SessionParameters) -> None:
        self.batch_limit = self._sending.frame_limit
        self.message_limit = self._sending.message_limit
        self.senders.clear()  # it may be another container that speaks for them now
        self._begin(is_told=self._sending.other.receipts)
        self.owner.on_opened(self, parameters)  # before waiting messages go
        self.choose_path()

    def _ended(self, reason: str) -> None:
        self.was_direct = False
        self.ended_at = self._now()
        self._begin(is_told=False)
        self.failures.add(self.outbox.withdraw(), reason, DeliveryOutcome.UNDELIVERED)
        self.failures.obstacle = ""
        self.owner.on_lost(self)
        self.choose_path()
        if self._container.dispatcher.overflow.is_full:  # of failures for senders that would send more
            self.outbox.stop()
        elif not self.owner.is_closed:
            self.outbox.open()
        self.draining.check()

    def _begin(self, *, is_told: bool) -> None:
        """Begin a session, or a time without one; `is_told`: whether the other end tells what was taken."""
        self._container.dispatcher.overflow.forget(self)
        self.paused.release()
        self._receipts.start(is_wanted=is_told)
        self._sent_before = self._messages_sent
        self.failures.told.start()
        self.custody.start(is_told=is_told)

    # -- time -----------------------------------------------------------------------------------------------

    def _tick_soon(self) -> None:
        if self.session.state is State.CLOSED:
            return
        if self._is_slow and (self.session.is_busy or self._is_closing):
            if self._timer is not None:
                self._timer.cancel()
            self._is_slow = False
            self._timer = self._loop.call_later(_BUSY_TICK, self._tick)
        elif self._timer is None and self.session.state is not State.IDLE:
            pause = _AWAY_TICK if self.session.is_away else _IDLE_TICK
            self._timer = self._loop.call_later(pause, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._is_slow = True
        is_first = self.direct is not None and self.session.state is State.HANDSHAKE
        if is_first and self._path is self.direct and self._now() - self._path_since > _FIRST_ANSWER:
            self.owner.on_doubt(self)  # its host may have died just now, which nothing else would show
        holds = self._direct_only and self._path is None and not self.outbox.is_empty
        self.session.tick(self._now(), holds=holds)
        self._perform()
        self.refresh()
        self.draining.check()
        self._tick_soon()

    # -- the end --------------------------------------------------------------------------------------------

    async def drain(self) -> None:
        """Wait until everything sent until now has arrived or failed, as the container stops."""
        self._is_closing = True
        self._tick_soon()
        await self.draining.wait()

    def send_close(self) -> None:
        """Announce that nothing more is accepted, behind everything that waits to go there."""
        self._is_closing = True
        if self.session.is_open:
            self._receipts.finish()
            self.outbox.push()
        self.session.close()
        self._perform()

    async def wait_closed(self) -> None:
        """Wait until the other end has acknowledged this."""
        while self.session.state is State.CLOSING:
            self._tick_soon()
            await asyncio.sleep(_BUSY_TICK / 4)

    def abandon(self) -> None:
        """End at once; what has not reached the other end becomes dead letters."""
        self._receipts.start(is_wanted=False)
        self.failures.finish()
        self.custody.close()
        self._container.dispatcher.overflow.forget(self)
        self.paused.release()
        self.outbox.open()
        self.draining.check()
        if self._timer is not None:
            self._timer.cancel()
