"""Links in virtual time, over ways that can be cut: what a link does besides what its session does."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections import deque

import msgspec
import pytest
from tests.integration.transport.raw import until
from tests.unit.core.agents import Collect, Deaf, do, reasons, start

from formicary import Agent, Container, Limits, Message, MicroAgent, Template
from formicary.delivery.dead_letters import failure_of
from formicary.transport import remote_sink
from formicary.transport.link import unconsumed as untaken_module
from formicary.transport.link.failing import ToldFailures
from formicary.transport.link.header import ACK, CLOSE, DATA, HELLO, PART, SessionParameters
from formicary.transport.link.link import Link
from formicary.transport.link.orders import receipt_order
from formicary.transport.link.paths import NoPath
from formicary.transport.link.session import Session

pytestmark = pytest.mark.virtual_clock


class Path:
    """Carries frames to the other end, a millisecond long; what is on its way when it is cut is lost."""

    kind = "far"

    def __init__(self):
        self.is_up = True
        self.has_room = True
        self.kinds = []
        self.target = None
        self._under_way = deque()

    def send(self, frame):
        self.kinds.append(frame[0])
        self._under_way.append(frame)
        asyncio.get_running_loop().call_later(0.001, self._arrive)

    def _arrive(self):
        frame = self._under_way.popleft()
        if self.is_up and frame is not None:
            self.target(frame)

    def cut(self):
        self.is_up = False
        self._under_way = deque(None for _ in self._under_way)

    def trouble(self):
        return "which is cut"


class End:
    """One container and its only link, as a transport: the router of two."""

    def __init__(self, name, **parameters):
        self.container = Container(name, limits=Limits(mailbox=10, send_timeout=5))
        self.is_closed = False
        self.before_batch = None
        self.refusals = self
        self.indirect = Path()
        self.dropped = []
        self.found_ = 0
        self.doubts = 0
        self._terms = SessionParameters(**{"receipts": True, **parameters})

    def make(self, peer, make_indirect=None):
        numbers = itertools.count(hash(peer) % 1000 + 1)
        self.container.dispatcher.overflow.pause = lambda is_frozen: self.link.freeze(is_frozen=is_frozen)
        self.link = Link(
            f"{peer}.lab.localhost",
            self,
            Session(lambda: next(numbers), self._terms),
            make_indirect=make_indirect or (lambda _: self.indirect),
            direct_only=False,
        )
        self.container.dispatcher.transport = self

    def post(self, message, receiver):
        return self.link.post(message, receiver)

    def refuse(self, message, receiver, failure):
        self.link.outbox.keep(failure, message.sender)

    def heard(self, domain, sender):
        pass

    def tell_by_another_way(self, domain, failure, receiver):
        return False

    def is_member(self, domain):
        return True

    def on_lost(self, link):
        pass

    def on_opened(self, link, parameters):
        self.found_ += 1

    def on_doubt(self, link):
        self.doubts += 1

    def drop(self, origin, what):
        self.dropped.append(what)

    def status(self):
        return (self.link.status(),)

    async def close(self):
        self.is_closed = True
        self.link.abandon()

    async def close_in_order(self):
        await self.link.drain()
        self.is_closed = True
        self.link.send_close()
        await self.link.wait_closed()
        self.link.abandon()


class Pair:
    """Two containers with a link between them."""

    def __init__(self, **parameters):
        self.one, self.two = End("c1", **parameters), End("c2", **parameters)

    async def __aenter__(self):
        for end in (self.one, self.two):
            await end.container.__aenter__()
        self.one.make("c2")
        self.two.make("c1")
        self.one.indirect.target = self.two.link.receive_indirect
        self.two.indirect.target = self.one.link.receive_indirect
        return self.one, self.two

    async def __aexit__(self, *details):
        for end in (self.one, self.two):
            await end.container.__aexit__(*details)


def direct(one, two):
    """Connect the two directly, too."""
    for end, other in ((one, two), (two, one)):
        end.link.direct = Path()
        end.link.direct.target = other.link.receive
        end.link.choose_path()


def cut_direct(one, two):
    for end in (one, two):
        end.link.direct.cut()
        end.link.direct = None
        end.link.choose_path()


def send_all(bodies, to="b@c2", pause=0.0):
    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to=to, body=body))
            if pause:
                await asyncio.sleep(pause)

    return do(send)


async def arrived(collected, count):
    await until(lambda: len(collected.messages) >= count)


async def test_what_was_sent_is_kept_as_bytes_until_it_is_taken():
    async with Pair() as (one, two):
        await start(two.container, "b", Deaf())
        body = "x" * 100
        alone = sys.getrefcount(body)
        await start(one.container, "a", send_all([body]))
        await until(lambda: one.link.session.sending.acknowledged)
        await asyncio.sleep(1)
        assert len(one.link.session.unconsumed) == 1
        assert sys.getrefcount(body) <= alone + 1  # what the behaviour has
        (((failed, _),),) = one.link.session.unconsumed.withdraw()
        assert failed == Message("b@c2.lab.localhost", "a@c1.lab.localhost", body)


async def test_a_link_is_idle_until_something_is_sent_and_then_opens():
    async with Pair() as (one, two):
        await asyncio.sleep(100)
        assert one.indirect.kinds == two.indirect.kinds == []
        got = Collect()
        await start(two.container, "b", got)
        await start(one.container, "a", send_all(["x"]))
        await arrived(got, 1)
        assert one.indirect.kinds[0] == HELLO
        assert one.found_ == two.found_ == 1
        assert one.link.status().incarnation == two.link.status().peer_incarnation != 0
        assert one.link.status().is_up


async def test_frames_change_to_the_direct_way_and_back_without_loss_or_doubles():
    bodies = [str(number) for number in range(500)]
    async with Pair() as (one, two):
        got = Collect()
        await start(two.container, "b", got)
        await start(one.container, "a", send_all(bodies, pause=0.005))
        for _ in range(10):
            await asyncio.sleep(0.1)
            direct(one, two)
            assert one.link.status().way == "direct"
            await asyncio.sleep(0.1)
            cut_direct(one, two)
            assert one.link.status().way == "far"
        await arrived(got, len(bodies))
        assert got.bodies == bodies
        assert one.container.dead_letters.total == 0
        assert DATA in one.indirect.kinds


async def test_what_is_sent_while_there_is_no_way_goes_when_there_is_one():
    bodies = [str(number) for number in range(200)]
    async with Pair() as (one, two):
        got = Collect()
        await start(two.container, "b", got)
        await start(one.container, "a", send_all(bodies, pause=0.05))
        await arrived(got, 20)
        for end in (one, two):
            end.indirect.cut()
            end.link.choose_path()
        await asyncio.sleep(0.1)
        before = len(got.messages)
        assert one.link.status().way == "none"
        await asyncio.sleep(20)  # less than it takes to give the other up
        assert len(got.messages) == before
        for end in (one, two):
            end.indirect.is_up = True
            end.link.choose_path()
        await arrived(got, len(bodies))
        assert got.bodies == bodies


async def test_silence_of_half_a_minute_fails_what_waits_and_senders_are_told():
    async with Pair() as (one, two):
        got, told = Collect(), Collect()
        await start(two.container, "b", got)
        await start(one.container, "a", send_all(["first"]), told)
        await arrived(got, 1)
        await until(lambda: not one.link.status().unacknowledged and not len(one.link.session.unconsumed))
        for end in (one, two):
            end.indirect.cut()
        began = asyncio.get_running_loop().time()
        await start(one.container, "late", send_all(["lost", "lost, too"]), told_late := Collect())
        await arrived(told_late, 2)
        assert 29 < asyncio.get_running_loop().time() - began < 33
        why = "nothing was heard of it for 30 s; the message may have arrived and been received"
        assert set(told_late.bodies) == {f"container c2 cannot be reached: {why}"}
        status = one.link.status()
        assert (status.is_up, status.failed, status.unacknowledged) == (False, 2, 0)


@pytest.mark.parametrize("since_tick", [0.05, 0.5, 0.95])
async def test_an_end_that_is_away_is_given_up_after_three_seconds_though_nothing_waits_for_it(since_tick):
    async with Pair() as (one, two):
        got = Collect()
        await start(two.container, "b", got)
        await start(one.container, "a", send_all(["x"]))
        await arrived(got, 1)
        await until(lambda: not one.link.session.is_busy)
        two.indirect.cut()
        await asyncio.sleep(5 + since_tick)  # so it only looks at the clock once a second now
        began = asyncio.get_running_loop().time()
        one.link.on_bounce("it has crashed")
        await until(lambda: not one.link.session.is_open)
        assert 3 <= asyncio.get_running_loop().time() - began < 3.3


async def test_a_link_to_nobody_fails_and_keeps_no_timer():
    async with Container("c1") as container:
        end = End("c1")
        end.container = container
        end.make("c9", lambda link: NoPath("nobody of that name", link.on_bounce))
        told = Collect()
        await start(container, "a", send_all(["x", "y"], to="b@c9"), told)
        await arrived(told, 2)
        assert set(told.bodies) == {
            "container c9 cannot be reached: nobody of that name; the message was not delivered"
        }
        await asyncio.sleep(2)
        assert end.link._timer is None
        await start(container, "c", send_all(["z"], to="b@c9"), again := Collect())
        await arrived(again, 1)  # and it can be tried again


async def test_after_it_was_abandoned_nothing_sets_its_timer_again():
    async with Pair() as (one, two):
        got = Collect()
        await start(two.container, "b", got)
        await start(one.container, "a", send_all(["x"]))
        await arrived(got, 1)
        two.is_closed = True
        two.link.abandon()
        timer = two.link._timer
        await start(one.container, "c", send_all(["y"]))
        await asyncio.sleep(1)
        assert two.link._timer is timer
        assert timer is None or timer.cancelled()
        assert got.bodies == ["x"]


async def test_a_batch_that_is_larger_than_a_frame_goes_in_parts():
    large = "x" * 100_000
    async with Pair(frame_limit=2048) as (one, two):
        got = Collect()
        await start(two.container, "b", got)
        await start(one.container, "a", send_all(["small", large, "after"]))
        await arrived(got, 3)
        assert got.bodies == ["small", large, "after"]
        assert one.indirect.kinds.count(PART) >= 100_000 // 2048


async def test_a_window_that_is_full_makes_senders_wait():
    async with Pair(window_frames=4) as (one, two):
        got = Collect()
        await start(two.container, "b", got)
        bodies = [str(number) for number in range(2000)]
        await start(one.container, "a", send_all(bodies, pause=0.0001))
        most = 0
        while len(got.messages) < len(bodies):
            await asyncio.sleep(0.001)
            most = max(most, one.link.status().unacknowledged)
        assert got.bodies == bodies
        assert 0 < most <= 8


async def test_what_has_been_sent_when_it_drains_is_acknowledged_and_what_comes_later_is_not_waited_for():
    async with Pair() as (one, two):
        got = Collect()
        await start(two.container, "b", got)
        bodies = [str(number) for number in range(100)]
        await start(one.container, "a", first := send_all(bodies))
        await first.join()
        endless = send_all(map(str, itertools.count()), to="nobody@c2", pause=0.0005)
        await start(one.container, "c", endless)
        async with asyncio.timeout(2):
            await one.link.drain()
        assert got.bodies == bodies
        assert not endless.is_done()
        one.link.send_close()
        async with asyncio.timeout(2):
            await one.link.wait_closed()
        assert CLOSE in one.indirect.kinds
        assert not two.link.status().is_up


async def test_what_was_sent_is_waited_for_by_several_and_also_where_it_fails():
    async with Pair() as (one, two):
        await start(two.container, "b", got := Collect())
        one.indirect.is_up = False
        one.link.choose_path()
        await start(one.container, "a", first := send_all(["0"]))
        await first.join()
        waits = [asyncio.create_task(one.link.draining.wait()) for _ in range(3)]
        await asyncio.sleep(0.05)
        waits.pop().cancel()
        assert not any(wait.done() for wait in waits)
        assert got.bodies == []
        one.indirect.is_up = True
        one.link.choose_path()
        async with asyncio.timeout(2):
            await asyncio.gather(*waits)
            assert got.bodies == ["0"]
            await one.link.draining.wait()  # nothing is under way
        one.indirect.is_up = False
        one.link.choose_path()
        await start(one.container, "c", second := send_all(["1"]))
        await second.join()
        wait = asyncio.create_task(one.link.draining.wait())
        await asyncio.sleep(0)
        assert not wait.done()
        one.link.abandon()
        async with asyncio.timeout(2):
            await wait


# Paused senders


async def test_senders_to_a_full_mailbox_wait_and_go_on_when_there_is_room():
    bodies = [str(number) for number in range(1000)]
    async with Pair() as (one, two):
        slow, other = Collect(), Collect()

        async def take(behaviour):
            taken = []
            for _ in bodies:
                await asyncio.sleep(0.01)
                taken.append((await behaviour.receive()).body)
            return taken

        taking = do(take)
        await start(two.container, "slow", taking)
        await start(two.container, "other", other)
        await start(one.container, "a", sending := send_all(bodies, to="slow@c2", pause=0.001))
        await start(one.container, "b", send_all(bodies, to="other@c2", pause=0.001))
        await until(lambda: one.link.paused)
        await arrived(other, len(bodies))
        assert not sending.is_done()
        await taking.join()
        assert taking.result == bodies
        assert one.link.paused == {}
        assert slow.messages == []
        assert one.container.dead_letters.total == two.container.dead_letters.total == 0


async def test_a_receiver_that_is_paused_again_at_once_holds_nobody_up_but_its_senders():
    async with Pair() as (one, two):
        await start(two.container, "deaf", Deaf())
        other = Collect()
        await start(two.container, "other", other)
        address = "deaf@c2.lab.localhost"
        await start(one.container, "a", send_all(["x"], to=address))
        await asyncio.sleep(0.1)
        one.link.paused.order(address, True)
        await start(one.container, "b", waiting := send_all(["y"], to=address))
        await asyncio.sleep(0.1)
        one.link.paused.order(address, False)
        one.link.paused.order(address, True)  # before who waits has its turn
        await start(one.container, "c", send_all(["z"], to="other@c2"))
        await arrived(other, 1)
        assert not waiting.is_done()
        one.link.paused.order(address, False)
        await waiting.join()


async def test_a_pause_ends_with_its_session():
    async with Pair() as (one, two):
        await start(two.container, "deaf", Deaf())
        sending = send_all(map(str, range(500)), to="deaf@c2", pause=0.001)
        await start(one.container, "a", sending)
        await until(lambda: one.link.paused)
        one.link.session.end("it was given up")
        one.link._perform()
        assert one.link.paused == {}
        assert any("it was given up" in reason for reason in reasons(one.container)) or not sending.is_done()


async def test_orders_to_send_nothing_take_a_bounded_amount_of_memory(monkeypatch):
    monkeypatch.setattr(remote_sink, "_MOST", 3)
    async with Pair() as (one, two):
        await start(two.container, "other", other := Collect())
        await start(one.container, "a", send_all(["x"], to="other@c2"))
        await arrived(other, 1)
        for number in (1, 2, 3, 1, 4, 5):
            two.link.pause_sender(f"deaf-{number}@c2.lab.localhost", is_paused=True)
        await until(lambda: len(one.dropped) == 2)
        assert len(one.link.paused) == 3
        assert "pause 'deaf-4@c2.lab.localhost', beside 3 others" in one.dropped[0]
        two.link.pause_sender("deaf-1@c2.lab.localhost", is_paused=False)
        two.link.pause_sender("deaf-6@c2.lab.localhost", is_paused=True)
        await until(lambda: "deaf-6@c2.lab.localhost" in one.link.paused)
        assert len(one.dropped) == 2


async def test_a_direct_connection_over_which_not_even_a_hello_is_answered_is_cut():
    async with Pair() as (one, two):
        direct(one, two)
        for end in (one, two):
            end.link.direct.cut()  # the machine at the other end has died: nobody ends the connection
        one.link.connect()
        await asyncio.sleep(2.9)
        assert one.doubts == 0
        await asyncio.sleep(0.2)
        assert one.doubts > 0


# -- what was taken -----------------------------------------------------------------------------------------

RECEIVED = "; the message had arrived there and may have been received"
ARRIVED = f"it was disconnected for 3 s{RECEIVED}"


class Told(Collect):
    """Keeps the failures that its agent is told of, by what the message said."""

    @property
    def failed(self):
        return {message.in_reply_to: message.body.partition(": ")[2] for message in self.messages}


def send_numbered(count, to="b@c2", pause=0.0):
    async def send(behaviour):
        for number in range(count):
            await behaviour.send(Message(to=to, body="", reply_with=str(number)))
            if pause:
                await asyncio.sleep(pause)

    return do(send)


class Slow(Collect):
    """Takes ten seconds for each message."""

    async def run(self):
        await super().run()
        await asyncio.sleep(10)


async def lose(one, two):
    """Have the second container vanish, and the first one give it up."""
    for end in (one, two):
        end.indirect.cut()
    one.link.on_bounce("it has crashed")
    await until(lambda: not one.link.session.is_open)


async def test_what_lies_in_a_mailbox_when_its_container_is_given_up_fails_and_what_was_received_does_not():
    async with Pair() as (one, two):
        slow, quick, told = Slow(), Collect(), Told()
        await start(two.container, "b", slow)
        await start(two.container, "quick", quick)
        await start(one.container, "a", send_numbered(7), told)
        await start(one.container, "other", send_numbered(50, "quick@c2", pause=0.5), quick_told := Told())
        await asyncio.sleep(25)  # now the slow one has received three
        assert len(one.link.session.unconsumed) == 4
        await lose(one, two)
        await until(lambda: len(told.messages) >= 4)
        assert told.failed == dict.fromkeys("3456", ARRIVED)
        assert len(slow.messages) == 3
        assert len(quick.messages) == 50
        assert not quick_told.messages


async def test_one_that_was_restarted_has_lost_what_lay_in_its_mailboxes():
    async with Pair() as (one, two):
        await start(two.container, "b", Slow())
        await start(one.container, "a", send_numbered(3), told := Told())
        await asyncio.sleep(5)
        two.link.session.end("as good as new")
        two.link.session._handshake.previous = None
        two.link._perform()
        two.link.connect()
        await until(lambda: len(told.messages) >= 2)
        why = "it was restarted, or had given up on this container"
        assert told.failed == dict.fromkeys("12", why + RECEIVED)
        assert not len(one.link.session.unconsumed)


async def test_nobody_is_told_of_what_became_a_dead_letter_or_was_taken_in_any_way():
    class Micro(MicroAgent):
        def handle(self, message):
            got.append(message.body)

    class LateMicro(MicroAgent):
        async def handle(self, message):
            got.append(message.body)
            await asyncio.sleep(1000)

    got = []
    async with Pair() as (one, two):
        await two.container.start(Micro("micro"))
        await two.container.start(LateMicro("late"))
        asking, telling = Collect(), Collect()
        both = Agent("both")
        both.add_behaviour(asking, Template(performative="request"))
        both.add_behaviour(telling, Template(performative="inform"))
        await two.container.start(both)
        ending = await start(two.container, "ending", Deaf())
        told = Collect()

        async def send(behaviour):
            for name in ("micro", "late", "both", "ending", "nobody"):
                for act in ("request", "inform", "refuse"):
                    await behaviour.send(Message(to=f"{name}@c2", body=name, performative=act))

        await start(one.container, "a", do(send), told)
        await until(lambda: len(told.messages) == 1 + 3)  # nobody takes a refusal at `both`, or is `nobody`
        await until(lambda: len(one.link.session.unconsumed) == 3)
        await ending.stop()
        await until(lambda: not len(one.link.session.unconsumed))
        assert len(told.messages) == 1 + 3 + 3
        await lose(one, two)
        await asyncio.sleep(5)
        assert len(told.messages) == 1 + 3 + 3
        assert len(got) == 6
        assert (len(asking.messages), len(telling.messages)) == (1, 1)


async def receive_one(behaviour):
    """Receive once, and nothing more."""
    await behaviour.receive()
    await asyncio.get_running_loop().create_future()


async def test_what_any_behaviour_or_a_suspended_agent_or_the_overflow_has_not_received_is_not_taken():
    async with Pair() as (one, two):
        quick, other = Collect(), Collect()
        deaf = await start(two.container, "deaf", quick, do(receive_one))
        await start(two.container, "sends", other, Deaf())  # what has never received keeps nobody waiting
        held_by = Collect()
        held = await start(two.container, "held", held_by)
        held.suspend()
        await start(two.container, "full", Deaf())
        await start(one.container, "a", send_numbered(4, "deaf@c2"), told := Told())
        await start(one.container, "b", send_numbered(3, "held@c2"))
        await start(one.container, "c", send_numbered(14, "full@c2"))  # a mailbox has room for ten
        await start(one.container, "d", send_numbered(3, "sends@c2"))
        unconsumed = one.link.session.unconsumed
        await asyncio.sleep(2)
        assert (len(quick.messages), len(other.messages)) == (4, 3)
        assert len(unconsumed) == 3 + 3 + 14
        held.resume()
        await until(lambda: len(held_by.messages) == 3)
        await until(lambda: len(unconsumed) == 3 + 14)
        await deaf.stop()  # what its other behaviour has not received is dead letters
        await until(lambda: len(unconsumed) == 14)
        assert len(told.messages) == 3
        await until(lambda: len(unconsumed) == 10)  # what found no room for five seconds has failed


async def test_a_slow_receiver_holds_nothing_up_and_what_is_kept_for_it_is_bounded():
    async with Pair() as (one, two):
        await start(two.container, "slow", Slow())
        got = Collect()
        await start(two.container, "b", got)
        await start(one.container, "a", send_numbered(1000, "slow@c2", pause=0.002))
        await start(one.container, "c", send_numbered(20_000, pause=0.001))
        sizes = []
        while len(got.messages) < 20_000:
            await asyncio.sleep(0.1)
            sizes.append(len(one.link.session.unconsumed))
        # Its mailbox, what waits for room there, and what was under way until it was paused: 10, 100 and 32;
        # and what came for the other one since the last look.
        assert max(sizes) < 10 + 100 + 32 + 300
        assert len(one.link.session.unconsumed._open) <= 10 + 100 + 32
        assert len(two.link._receipts._open) <= 10 + 100 + 32


async def test_what_nobody_takes_stops_the_link_at_a_limit_and_fails_in_the_end(monkeypatch):
    monkeypatch.setattr(untaken_module, "LIMIT", 40)
    async with Pair() as (one, two):
        for number in range(20):
            await start(two.container, f"deaf{number}", Deaf())
        told = [Told() for _ in range(20)]
        senders = [send_numbered(8, f"deaf{number}@c2", pause=0.01) for number in range(20)]
        for number, sender in enumerate(senders):
            await start(one.container, f"a{number}", sender, told[number])
        await asyncio.sleep(20)
        unconsumed = one.link.session.unconsumed
        assert 40 <= len(unconsumed) < 40 + 32
        assert not one.link.has_room
        kept = len(unconsumed)
        await asyncio.sleep(20)
        failed = [reason for each in told for reason in each.failed.values()]
        assert set(failed) == {f"none of {kept} messages was taken there for 30 s{RECEIVED}"}
        assert len(failed) >= kept // 2
        await asyncio.sleep(200)  # and so on, until all have gone
        assert len(unconsumed) < 40 + 32
        assert all(sender.is_done() for sender in senders)


async def test_a_former_version_is_told_nothing_and_nothing_is_kept_for_it():
    async with Pair(receipts=False) as (one, two):
        await start(two.container, "b", Deaf())
        await start(one.container, "a", send_numbered(5), told := Told())
        await asyncio.sleep(5)
        assert not len(one.link.session.unconsumed)
        assert not two.link._receipts.arrived
        assert two.link.session.counters.sent == 0
        await lose(one, two)
        await asyncio.sleep(5)
        assert not told.messages


@pytest.mark.parametrize(
    ("upto", "opened", "settled"),
    [
        (4, [], []),
        (2**63, [], []),
        (3, [1], []),
        (3, [2, 2**62], []),
        (3, [0, 1], []),
        (3, [3, 1, 2, 1], []),
        (3, [1, 0], []),
        (3, [], [1, 1]),
        (3, [], [1, 2**62]),
        (3, [1, "x"], []),
        (3, [1, -1], []),
        (-1, [], []),
    ],
)
async def test_a_receipt_that_cannot_be_is_dropped_and_changes_nothing(upto, opened, settled):
    async with Pair() as (one, two):
        await start(two.container, "b", Deaf())
        two.link._receipts._send = lambda _: True  # it says nothing itself
        await start(one.container, "a", send_numbered(3))
        await until(lambda: len(one.link.session.unconsumed) == 3)
        for payload in (msgspec.msgpack.encode([upto, opened, settled]), b"\xc1", bytes(1 << 17)):
            two.link.send_batch(receipt_order(payload), [])
        await asyncio.sleep(1)
        assert len(one.dropped) == 3
        assert len(one.link.session.unconsumed) == 3
        two.link.send_batch(receipt_order(msgspec.msgpack.encode([3, [2, 2], []])), [])
        two.link.send_batch(receipt_order(msgspec.msgpack.encode([3, [], [3, 1]])), [])
        await asyncio.sleep(1)
        assert len(one.link.session.unconsumed) == 1


async def test_an_end_that_stops_in_order_says_before_what_became_of_all():
    async with Pair() as (one, two):
        slow = Slow()
        await start(two.container, "b", slow)
        await start(one.container, "a", send_numbered(4), told := Told())
        await asyncio.sleep(15)
        two.close = two.close_in_order
        await two.container.__aexit__(None, None, None)
        await until(lambda: not one.link.session.is_open)
        assert len(slow.messages) == 2
        assert set(told.failed) == {"2", "3"}
        assert all("ended before it received the message" in message.body for message in told.messages)
        assert not one.container.dead_letters.total


@pytest.mark.parametrize("is_known", [True, False])
async def test_what_has_failed_at_the_other_end_does_not_fail_once_more_with_the_link(is_known):
    async with Pair() as (one, two):
        await start(two.container, "b", Deaf())
        bob = two.container.agents[0]
        sends = send_numbered(3) if is_known else send_all("012")
        await start(one.container, "a", sends, told := Told())
        await until(lambda: len(one.link.session.unconsumed) == 3)
        two.link._receipts._send = lambda _: True  # it dies before it has sent one
        await bob.stop()
        await until(lambda: len(told.messages) == 3)
        await lose(one, two)
        await asyncio.sleep(1)
        # Who writes no `reply_with` cannot tell one from another, and nor can the link.
        assert len(told.messages) == (3 if is_known else 6)
        assert all("ended before it received the message" in message.body for message in told.messages[:3])
        assert one.container.dead_letters.total == (0 if is_known else 3)


async def test_a_failure_stands_for_one_message_and_only_until_the_next_receipt():
    told = ToldFailures()
    letters = [
        (Message(to="b@c2.x", sender="a@c1.x", reply_with=reply_with), "b@c2.x")
        for reply_with in ("1", "1", "2", None)
    ]
    failure = failure_of(letters[0][0], "ams@c2.x", "b@c2.x", "it has ended")
    told.note(failure)
    told.note(failure.replace(sender="eve@c2.x"))
    told.note(failure.replace(in_reply_to=None))
    assert list(told.without(letters)) == letters[1:]
    told.note(failure)
    told.start()
    assert list(told.without(letters)) == letters


# -- acknowledging before agents run ------------------------------------------------------------------------


async def test_what_comes_now_and_then_is_acknowledged_before_its_receiver_runs():
    async with Pair() as (one, two):
        acknowledged = []

        async def look(behaviour):
            for _ in range(4):
                await behaviour.receive()
                acknowledged.append(two.indirect.kinds[-1])

        await start(two.container, "b", do(look))
        await start(one.container, "a", send_all("1234", pause=0.005))
        await until(lambda: len(acknowledged) == 4)
        assert acknowledged == [ACK] * 4


async def test_where_much_comes_it_is_acknowledged_together():
    async with Pair() as (one, two):
        got = Collect()
        await start(two.container, "b", got)
        await start(one.container, "a", send_all(map(str, range(1000)), pause=0.0005))
        await arrived(got, 1000)
        assert two.indirect.kinds.count(ACK) < 150


async def test_what_may_have_arrived_when_a_container_stops_is_not_said_to_be_undelivered():
    async with Pair() as (one, two):
        got = Collect()
        await start(two.container, "b", got)
        await start(one.container, "a", send_all(["first"]))
        await arrived(got, 1)
        two.indirect.cut()  # no acknowledgement comes any more
        await start(one.container, "c", send_all(["second"]))
        await arrived(got, 2)
        one.indirect.cut()
        one.link.choose_path()
        await start(one.container, "d", send_all(["third"]))
        await asyncio.sleep(1)
    assert reasons(one.container) == [
        "container c1 stopped before the message could go",
        "container c1 stopped before the other end confirmed the message, which may have arrived",
    ]
