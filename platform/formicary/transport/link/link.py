"""One container's end of a link to another one, over whichever path there is at the moment.

The thin shell around a `Session`: it accepts messages, performs instructions, chooses the path, and keeps the
time.
"""

from __future__ import annotations

import asyncio
from itertools import chain
from typing import TYPE_CHECKING

from formicary.core.errors import FormicaryError
from formicary.delivery.link_status import LinkStatus
from formicary.transport.link.arrivals import Arrivals
from formicary.transport.link.custody import Custody
from formicary.transport.link.draining import Draining
from formicary.transport.link.failing import Failures
from formicary.transport.link.frames import SentBatch
from formicary.transport.link.header import HELLO, PART
from formicary.transport.link.instructions import DeliveryOutcome, Doubt, Ended, Failed, Opened, Transmit
from formicary.transport.link.orders import Orders
from formicary.transport.link.outbox import BATCH_SIZE, Outbox
from formicary.transport.link.paths import NoPath
from formicary.transport.link.paused import PausedReceivers
from formicary.transport.link.receipts import Receipts, read_receipt
from formicary.transport.link.session import State
from formicary.transport.link.wire_names import AllNames
from formicary.transport.remote_sink import RemoteSink

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

_BUSY_TICK = 0.02  # s between looks at the clock while something waits to be acknowledged
_AWAY_TICK = 0.25  # the same while the other end is known to be away
_IDLE_TICK = 1.0
_FIRST_ANSWER = 3.0  # s that the other end gets to answer the first hello over a direct connection
_EARLY = 0.01  # s for each time that a frame is acknowledged before agents run, and
_EARLY_BURST = 16  # how often at once: it costs a frame, which else goes with the answer


class Link:
    """One container's end of a link.

    Args:
        domain: the domain of the other container.
        owner: the router.
        session: the state machine.
        make_indirect: makes the path through a third party.
        direct_only: whether messages may go directly only, and the indirect path is for first contact.
        batch_size: how many messages make a batch that does not wait for the end of the turn.

    Attributes:
        at_turn_end: calls back when the agents have had their turn.
        batch_limit: bytes that a batch should not have more of.
        message_limit: bytes that a batch of one message must not have more of.
        was_direct: whether there has been a direct connection to this incarnation of the other container.
        ended_at: when its latest session ended, or it was made, by the loop's clock.
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
        self.message_limit = session.message_limit
        self.outbox = Outbox(self, domain, owner.container.domain, batch_size)
        self.failures = Failures(self)
        self.paused = PausedReceivers(owner.container.dispatcher)
        self.orders = Orders(self)
        self._draining = Draining(session, self.outbox)
        self._custody: Custody | None = None  # made by the first message that is passed on
        self._receivers, self._senders = AllNames(domain), AllNames(owner.container.domain)
        waiting = owner.container.dispatcher.waiting
        self._receipts = Receipts(waiting, self.orders.send_receipt, self.outbox.senders)
        self._arrivals = Arrivals(self, self._receipts)
        self._is_told = False  # whether the other end says what was taken
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
        self._is_slow = True  # whether the timer, if any, waits for long
        self._is_closing = False  # which is not to wait for slow ticks
        self._early_at = 0.0  # when to acknowledge again before agents run
        self.choose_path()

    # -- messages from here ---------------------------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for an agent at the other end; return the sinks without room now, if any."""
        if not self._container.dispatcher.leads_to(self.domain, receiver):  # it has moved while this waited
            return self._container.dispatcher.dispatch_to(message, receiver)
        if self.paused and (paused := self.paused.get(receiver)):
            return (paused,)
        if isinstance(message.to, tuple):
            return self.outbox.accept_for(message, receiver)
        self._container.dispatcher.add_route(receiver, self.outbox.accept)  # the next one goes straight there
        return self.outbox.accept(message)

    def carry_on(self, message: Message, receiver: str) -> None:
        """Accept a message that an agent takes along to the other end, whether there is room or not."""
        self._keep(message)  # as one that is passed on: its sender may be another one of a name that is here
        try:
            full = self.outbox.accept_for(message, receiver)
        except FormicaryError as error:  # it is a dead letter already
            self._container.dispatcher.tell_sender(message, receiver, str(error))
            return
        if full is not None and not self.outbox.keep(message, receiver):
            self.failures.undeliverable(message, receiver, "too many messages are waiting for it")

    def pass_on(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Forward a message of another container, as `post`, and keep it until the other end has taken it."""
        if self.paused and (paused := self.paused.get(receiver)):
            return (paused,)
        self._keep(message)
        full = self.outbox.accept_for(message, receiver)
        if full:
            self.drop_custody(message)
        return full

    def _keep(self, message: Message) -> None:
        if self._custody is None:
            self._custody = Custody(self.session.unconsumed, lambda: self.failures.is_busy)
            self._custody.start(is_told=self._is_told or not self.session.is_open)
            self._container.dispatcher.unacked_holders.add(self._custody)
        self._custody.add(message)

    def drop_custody(self, message: Message) -> None:
        """Stop keeping a message that was passed on: it will not go out."""
        if self._custody is not None:
            self._custody.drop(message)

    def withdraw(self, receiver: str) -> Sequence[Message]:
        """Remove and return what waits to go out to an agent, in order."""
        messages = self.outbox.withdraw_from(receiver)
        for message in messages:
            self.drop_custody(message)
        return messages

    async def room(self, receiver: str) -> None:
        """Wait for room on the way to an agent at the other end."""
        await (self.paused.get(receiver) or self.outbox).room()

    def sink_for(self, receiver: str) -> RemoteSink:
        """Return where a message for an agent at the other end waits for room."""
        return RemoteSink(self, receiver)

    def may_have_sent(self, receiver: str) -> bool:
        """Return whether messages for an agent may be under way, or passed on there."""
        names, is_empty = self.outbox.receivers, self.outbox.is_empty
        return not is_empty or (self.session.is_open and (receiver in names or names.has_forgotten))

    @property
    def messages_taken(self) -> int:
        """How many messages were taken to be sent."""
        return self._messages_sent + self.outbox.count

    # -- batches --------------------------------------------------------------------------------------------

    @property
    def has_room(self) -> bool:
        """Whether a batch goes out at once."""
        path = self._path
        return path is not None and path.has_room and self._sending.has_room

    def send_batch(self, data: bytes, letters: list[Letter]) -> None:
        """Send a batch, which holds `letters`; in parts, where it is too large for a frame."""
        if (before := self.owner.before_batch) is not None:
            before()
        self._messages_sent += len(letters)
        if self._custody is not None:
            self._custody.sent(letters, self._messages_sent - self._sent_before - len(letters) + 1)
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
        """Look for the other container, as something waits for it, or it may have been restarted."""
        if not self.owner.is_closed:
            self.session.connect(self._now())
            self.session.ask(self._now())
            self._perform()
            self._tick_soon()

    # -- what is known --------------------------------------------------------------------------------------

    @property
    def is_closed(self) -> bool:
        """Whether nothing will go out any more."""
        return self.owner.is_closed or self.session.state is State.CLOSED

    @property
    def is_idle(self) -> bool:
        """Whether it has neither messages nor another end, and can be forgotten."""
        outbox = self.outbox
        is_empty = outbox.is_empty and outbox.has_room and not self.paused and not self.failures.is_busy
        return is_empty and self.direct is None and self.session.state is State.IDLE

    @property
    def is_cut(self) -> bool:
        """Whether there is no path now."""
        return self._path is None

    @property
    def has_free_path(self) -> bool:
        """Whether there is a path now that takes more."""
        return self._path is not None and self._path.has_room

    def has_heard(self, sender: str) -> bool:
        """Return whether the other end has sent something for an agent; `sender` is its full name."""
        return self._arrivals.senders.has_heard(sender)

    def forget_sender(self, sender: str) -> None:
        """Forget that something has come for an agent, so that the owner is told again; by its full name."""
        self._arrivals.senders.forget(sender)

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
        """Return what is known about the link."""
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
        """Use the best path; called when one is gained or lost."""
        may_be_indirect = self.indirect.is_up and not (self._direct_only and self.session.is_open)
        path = self.direct or (self.indirect if may_be_indirect else None)
        if path is not self._path:
            self._path = path
            self._path_since = self._now()
            self.session.use_path(self._now(), there_is_one=path is not None)
            self._perform()
        self.refresh()

    def refresh(self) -> None:
        """Resume sending if there is room; called when a path has some again."""
        if self.has_room:
            self.outbox.open()

    def set_away(self, *, is_away: bool) -> None:
        """Note whether the other container is away, where paths are direct only."""
        if isinstance(self.indirect, NoPath) and self.indirect.is_up is not is_away:
            self.indirect.is_up = is_away
            self.choose_path()

    def on_bounce(self, reason: str, *, is_away: bool = True) -> None:
        """Handle a frame that came back over the indirect path.

        `is_away` is False where the other container may be there, and its server at fault.
        """
        if self._path is self.indirect and (is_away or not self.session.is_open):
            self.lose(reason)

    def lose(self, reason: str) -> None:
        """Assume that the other container is away now."""
        was_away = self.session.is_away
        self.session.lose(self._now(), reason)
        self._perform()
        if self._is_slow and self._timer is not None and self.session.is_away and not was_away:
            self._timer.cancel()  # it was set for a second, which is long where 3 s decide
            self._timer = None
        self._tick_soon()

    def on_obstacle(self, obstacle: str) -> None:
        """Note why there is no direct connection yet, where messages have no other path."""
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
            # Orders are mostly answered at once, and the answer acknowledges, too.
            if batch is not None and self._arrivals.hand_over(batch) and now >= self._early_at:
                self._acknowledge_early(now)
        except ValueError as error:
            self.drop(str(error))
        if session.instructions:
            self._perform()
        outbox = self.outbox
        if not outbox.has_room and self.has_room:
            outbox.open()
        if self._is_slow:
            self._tick_soon()

    def _acknowledge_early(self, now: float) -> None:
        """Acknowledge before agents run, who may hold up the loop; where much comes, only now and then."""
        self._early_at = max(self._early_at, now - _EARLY_BURST * _EARLY) + _EARLY
        self.session.acknowledge()
        self._container.scheduler.wait_for_loop()

    def receive_indirect(self, frame: bytes) -> None:
        """Process a frame that came over the indirect path."""
        if self.direct is not None and self._path is self.direct:
            self.session.ask(self._now())  # the other end may have left the direct path for a reason
        self.receive(frame)

    def drop(self, what: str) -> None:
        """Count and log what the other container must not have sent."""
        self.owner.drop(self.domain, what)

    def take_receipt(self, payload: bytes) -> None:
        """Process a receipt of the other end; ValueError if it is malformed."""
        self.session.unconsumed.settle(read_receipt(payload))
        self.failures.told.start()

    def pause_sender(self, receiver: str, *, is_paused: bool) -> None:
        """Tell the other end to pause sending to an agent here, or to resume."""
        self.orders.pause_sender(receiver, is_paused=is_paused)

    def freeze(self, *, is_frozen: bool) -> None:
        """Make the other end wait, as this container has no room; or resume."""
        self.session.freeze(is_frozen=is_frozen)
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
        self.message_limit = self.session.message_limit
        self._resume_senders()
        self._arrivals.senders.clear()  # what the other end was believed: it may be another one
        self._begin(is_told=parameters.receipts and self.session.parameters.receipts)
        self.owner.on_found(self, parameters)
        self.owner.on_opened(self)  # before messages go that had to wait
        self.choose_path()

    def _ended(self, reason: str) -> None:
        self.was_direct = False
        self.ended_at = self._now()
        self._resume_senders()
        self._begin(is_told=False)
        self.failures.add(self.outbox.withdraw(), reason, DeliveryOutcome.UNDELIVERED)
        self.failures.obstacle = ""
        self.owner.on_lost(self)
        self.choose_path()
        if self._container.dispatcher.overflow.is_full:  # with failures for those who would only send more
            self.outbox.stop()
        elif not self.owner.is_closed:
            self.outbox.open()
        self._draining.check()

    def _begin(self, *, is_told: bool) -> None:
        """Begin a session, or a time without one; `is_told` is whether its other end says what was taken."""
        self._receipts.start(is_wanted=is_told)
        self._sent_before = self._messages_sent
        self._is_told = is_told
        self.failures.told.start()
        if self._custody is not None:
            self._custody.start(is_told=is_told)

    def _resume_senders(self) -> None:
        self._container.dispatcher.overflow.forget(self)
        self.paused.release()

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
            self.owner.on_doubt(self)  # its machine may have died just now: nobody else would notice
        holds = self._direct_only and self._path is None and not self.outbox.is_empty
        self.session.tick(self._now(), holds=holds)
        self._perform()
        self.refresh()
        self._draining.check()
        self._tick_soon()

    # -- the end --------------------------------------------------------------------------------------------

    async def drain(self) -> None:
        """Wait until all that was sent up to now has arrived, or has failed, as the container stops."""
        self._is_closing = True
        await self.arrive()

    async def arrive(self) -> None:
        """Wait until the other end has acknowledged all that was sent up to now, or has been given up."""
        if self.outbox.is_empty and not self.session.unacknowledged:
            return
        self.outbox.flush()
        self._tick_soon()
        await self._draining.wait()

    def send_close(self) -> None:
        """Announce, behind all that is to go there, that nothing more is accepted."""
        self._is_closing = True
        if self.session.is_open:
            self._receipts.finish()
            self.outbox.push()
        self.session.close()
        self._perform()

    async def wait_closed(self) -> None:
        """Wait until the other end has acknowledged that."""
        while self.session.state is State.CLOSING:
            self._tick_soon()
            await asyncio.sleep(_BUSY_TICK / 4)

    def abandon(self) -> None:
        """Forget the other end at once; what has not reached it becomes dead letters."""
        self._receipts.start(is_wanted=False)
        self.failures.finish()
        if self._custody is not None:
            self._container.dispatcher.unacked_holders.discard(self._custody)
        self._resume_senders()
        self.outbox.open()
        self._draining.check()
        if self._timer is not None:
            self._timer.cancel()
