"""Containers through a real Prosody: what arrives, in which order, and who is told of what does not."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.integration.transport.raw import fill, link, next_turn, paused, server_connection, until
from tests.unit.core.agents import Collect, Deaf, Echo, do, reasons, start

from formicary import Agent, CyclicBehaviour, Instrument, Limits, Message, MicroAgent, Network, Template
from formicary.delivery import overflow
from formicary.errors import ContainerClosedError, InvalidMessageError, MailboxFullError, MessageTooLargeError
from formicary.transport.link.header import WINDOW_BYTES

pytestmark = pytest.mark.server


async def send_all(behaviour, to, bodies):
    for body in bodies:
        await behaviour.send(Message(to=to, body=body))


async def failure(container, name, message):
    """Send a message from a new agent; return the failure that it gets."""

    async def ask(behaviour):
        await behaviour.send(message)
        return await behaviour.receive(timeout=60)

    asking = do(ask)
    await start(container, name, asking)
    await asking.join()
    assert asking.result is not None
    assert asking.result.performative == "failure"
    return asking.result


async def test_a_message_goes_over_and_its_answer_comes_back(containers):
    async with containers("c1", "c2") as (c1, c2):
        await start(c2, "echo", Echo())

        async def ask(behaviour):
            for to in ("echo@c2", "echo@c2.lab.localhost"):
                await behaviour.send(
                    Message(to=to, body=b"\x00\xff", thread="t", reply_with="r", metadata={"k": "v"})
                )
                answer = await behaviour.receive(timeout=60)
                assert (answer.body, answer.thread, answer.in_reply_to) == (b"\x00\xff", "t", "r")
                assert answer.sender == "echo@c2.lab.localhost"
            return "done"

        asking = do(ask)
        await start(c1, "ask", asking)
        await asking.join()
        assert asking.result == "done"


async def test_ten_thousand_messages_each_way_all_arrive_in_order(containers):
    bodies = [str(number) for number in range(10_000)]
    async with containers("c1", "c2", limits=Limits(mailbox=100)) as (c1, c2):
        got = [Collect(), Collect()]
        await start(c1, "a", got[0])
        await start(c2, "b", got[1])
        await start(c1, "from-a", do(lambda own: send_all(own, "b@c2", bodies)))
        await start(c2, "from-b", do(lambda own: send_all(own, "a@c1", bodies)))
        await until(lambda: all(len(one.messages) == len(bodies) for one in got))
        assert [one.bodies for one in got] == [bodies, bodies]
        assert [c1.dead_letters.total, c2.dead_letters.total] == [0, 0]


async def test_more_in_one_turn_than_an_outbox_holds_arrives_in_order(containers):
    bodies = [str(number) for number in range(25_000)]
    async with containers("c1", "c2", limits=Limits(mailbox=0)) as (c1, c2):
        got = Collect()
        await start(c2, "b", got)
        await start(c1, "a", do(lambda own: send_all(own, "b@c2", bodies)))
        await until(lambda: len(got.messages) == len(bodies))
        assert got.bodies == bodies


async def test_many_agents_each_get_their_own_answers(containers):
    class Asker(MicroAgent):
        def handle(self, message):
            answers[self.name].append(message.body)

    class Answerer(MicroAgent):
        async def handle(self, message):
            await self.send(message.make_reply(body=f"{self.name} {message.body}"))

    count, rounds = 500, 5
    answers = {f"a{number}": [] for number in range(count)}
    async with containers("c1", "c2") as (c1, c2):
        askers = [Asker(name) for name in answers]
        for number, asker in enumerate(askers):
            await c1.start(asker)
            await c2.start(Answerer(f"b{number}"))
        for turn in range(rounds):
            for number, asker in enumerate(askers):
                asker.send_nowait(Message(to=f"b{number}@c2", body=str(turn)))
            await asyncio.sleep(0)
        await until(lambda: sum(map(len, answers.values())) == count * rounds)
        for number in range(count):
            assert answers[f"a{number}"] == [f"b{number} {turn}" for turn in range(rounds)]


async def test_each_of_several_receivers_in_several_containers_gets_one_copy(containers):
    async with containers("c1", "c2", "c3") as (c1, c2, c3):
        boxes = {name: Collect() for name in ("a@c1", "b@c2", "c@c2", "d@c3")}
        for name, box in boxes.items():
            await start({"c1": c1, "c2": c2, "c3": c3}[name[2:]], name[0], box)
        to = (*boxes, "b@c2.lab.localhost")
        for number in range(100):
            await start(c1, f"s{number}", do(lambda own: own.send(Message(to=to, body="all"))))
        await until(lambda: all(len(box.messages) >= 100 for box in boxes.values()))
        await asyncio.sleep(0.05)  # a copy too many would come now
        for box in boxes.values():
            assert Counter(message.sender for message in box.messages) == Counter(
                f"s{number}@c1.lab.localhost" for number in range(100)
            )
            assert {message.to for message in box.messages} == {
                tuple(f"{name}.lab.localhost" for name in boxes)
            }


async def test_a_copy_comes_once_where_only_one_of_two_behaviours_has_room(containers):
    async with containers("c1", "c2", limits=Limits(mailbox=2)) as (c1, c2):
        got, late = Collect(), Deaf()
        await start(c2, "b", got, late)
        bodies = [str(number) for number in range(6)]
        await start(c1, "a", do(lambda own: send_all(own, "b@c2", bodies)))
        await until(lambda: len(got.messages) == 3)
        late.kill()
        await until(lambda: len(got.messages) == 6)
        assert got.bodies == bodies


async def test_a_short_reply_to_reaches_the_senders_container(containers):
    async with containers("c1", "c2") as (c1, c2):
        await start(c2, "echo", Echo())
        got = Collect()
        await start(c1, "bob", got)
        await start(c2, "bob", do(lambda own: own.receive()))
        await start(c1, "a", do(lambda own: own.send(Message(to="echo@c2", body="x", reply_to="bob"))))
        await until(lambda: got.messages)
        assert got.bodies == ["x"]


# What cannot arrive


@pytest.mark.parametrize(
    ("to", "reason", "at"),
    [
        ("nobody@c2", "no agent named 'nobody' lives in container c2", 1),
        ("b@c9", r"container c9 cannot be reached: ", 0),
        ("b@elsewhere.example", r"b@elsewhere\.example cannot be reached: ", 0),
        ("nobody@localhost", r"nobody@localhost cannot be reached: ", 0),
    ],
)
async def test_who_is_not_there_comes_back_as_a_failure_and_is_a_dead_letter(containers, to, reason, at):
    async with containers("c1", "c2") as opened:
        message = Message(to=to, body="lost", conversation_id="c", reply_with="r", protocol="p")
        told = await failure(opened[0], "a", message)
        assert re.match(reason, told.body)
        assert (told.conversation_id, told.in_reply_to, told.protocol) == ("c", "r", "p")
        assert told.sender == f"ams@c{at + 1}.lab.localhost"
        (letter,) = opened[at].dead_letters
        assert (letter.message.body, letter.reason) == ("lost", told.body)
        assert letter.receiver == told.get_metadata("receiver")


async def test_all_of_a_burst_to_a_container_that_is_not_there_come_back(containers):
    count = 600
    async with containers("c1") as (c1,):

        async def ask(behaviour):
            for number in range(count):
                await behaviour.send(Message(to="b@c9", reply_with=str(number)))
                await next_turn()  # a frame each
            return [(await behaviour.receive(timeout=60)).in_reply_to for _ in range(count)]

        asking = do(ask)
        await start(c1, "a", asking)
        await asking.join()
        assert asking.result == [str(number) for number in range(count)]


@pytest.mark.parametrize("route", ["xmpp", "auto"])
async def test_too_large_is_refused_before_it_is_sent_and_others_go_on(containers, server, route):
    async with containers("c1", "c2", network=Network(route=route)) as (c1, c2):
        got = Collect()
        await start(c2, "b", got)

        async def send(behaviour):
            sizes = []
            for size in (17 << 20, 1 << 20, 15 << 20):
                try:
                    await behaviour.send(Message(to="b@c2", body="x" * size))
                except MessageTooLargeError as error:
                    sizes += map(int, re.findall(r"\d+", str(error)))
                await behaviour.send(Message(to="b@c2", body="small"))
            await behaviour.send(Message(to="b@c2", metadata={"large": "x" * (17 << 20)}))
            await behaviour.send(Message(to="b@c2", body="last"))
            return sizes, (await behaviour.receive(timeout=60)).body

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        (needed, limit), told = sending.result
        assert 17 << 20 < needed < (17 << 20) + 1000
        assert limit == 16 << 20
        assert f"and the limit is {16 << 20}" in told
        await until(lambda: got.messages and got.bodies[-1] == "last")
        assert [len(body) for body in got.bodies] == [5, 1 << 20, 5, 15 << 20, 5, 4]
        assert c1.dead_letters.total == 2
        assert link(c1, "c2").failed == 1  # the other was refused before it was taken


async def test_a_plain_message_that_is_larger_than_a_stanza_is_refused_and_others_go_on(containers, server):
    limit = server.address.stanza_limit
    async with containers("c1", "c2") as (c1, c2):
        got = Collect()
        await start(c2, "b", got)

        async def send(behaviour):
            with pytest.raises(MessageTooLargeError, match=rf"takes \d{{6,}} bytes .* limit is {limit}"):
                await behaviour.send(Message(to="b@elsewhere.example", body="x" * limit))
            await behaviour.send(Message(to="b@c2", body="after"))

        await start(c1, "a", do(send))
        await until(lambda: got.messages)
        assert server_connection(c1).is_up
        assert len(reasons(c1)) == 1


async def test_a_value_of_a_wrong_type_fails_alone(containers):
    async with containers("c1", "c2") as (c1, c2):
        got = Collect()
        await start(c2, "b", got)

        async def send(behaviour):
            await behaviour.send(Message(to="b@c2", body="before"))
            told = []
            for bad in ({"performative": 7}, {"body": "\ud800"}, {"thread": b"t"}):
                try:
                    await behaviour.send(Message(to="b@c2", **bad))
                except InvalidMessageError as error:
                    told.append(str(error))
                else:
                    told.append((await behaviour.receive(timeout=60)).body)
            with pytest.raises(InvalidMessageError, match="XMPP carries text; encode it"):
                await behaviour.send(Message(to="b@elsewhere.example", body=b"bytes"))
            with pytest.raises(InvalidMessageError, match="performative must be text, not int"):
                await behaviour.send(Message(to="b@elsewhere.example", performative=7))
            await behaviour.send(Message(to="b@c2", body="after"))
            return told

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        await until(lambda: len(got.messages) == 2)
        assert got.bodies == ["before", "after"]
        assert "performative must be text, not int: 7" in sending.result[0]
        assert "surrogates" in sending.result[1]
        assert "thread must be text, not bytes" in sending.result[2]


# Back-pressure


class Slow(CyclicBehaviour):
    """Receives when it may, and keeps what it got."""

    def __init__(self):
        super().__init__()
        self.may = asyncio.Semaphore(0)
        self.bodies = []

    async def run(self):
        await self.may.acquire()
        self.bodies.append((await self.receive()).body)


async def test_what_finds_a_full_mailbox_waits_in_order_and_others_do_not(containers):
    async with containers("c1", "c2", limits=Limits(mailbox=5)) as (c1, c2):
        slow, quick = Slow(), Collect()
        await start(c2, "slow", slow)
        await start(c2, "quick", quick)
        bodies = [str(number) for number in range(50)]
        await start(c1, "a", do(lambda own: send_all(own, "slow@c2", bodies)))
        await start(c1, "b", do(lambda own: send_all(own, "quick@c2", bodies)))
        await until(lambda: len(quick.messages) == 50)
        assert slow.bodies == []
        for _ in bodies:
            slow.may.release()
        await until(lambda: len(slow.bodies) == 50)
        assert slow.bodies == bodies
        assert quick.bodies == bodies
        assert c2.dead_letters.total == 0


async def test_past_its_time_what_waits_for_a_mailbox_fails_to_its_sender(containers):
    async with containers("c1", "c2", limits=Limits(mailbox=2, send_timeout=0.2)) as (c1, c2):
        await start(c2, "deaf", Deaf())

        async def ask(behaviour):
            for number in range(20):
                await behaviour.send(Message(to="deaf@c2", reply_with=str(number)))
            return [await behaviour.receive(timeout=60) for _ in range(18)]

        asking = do(ask)
        c1._mailbox_limit = 100
        await start(c1, "a", asking)
        await asking.join()
        assert [told.in_reply_to for told in asking.result] == [str(number) for number in range(2, 20)]
        assert {told.body for told in asking.result} == {
            "the mailbox of behaviour Deaf of agent deaf had no room for 0.2 s"
        }


async def test_senders_to_a_slow_receiver_elsewhere_wait_and_all_others_go_on(containers):
    total = 2000
    async with containers("c1", "c2", limits=Limits(mailbox=10)) as (c1, c2):
        slow, other = Slow(), Collect()
        await start(c2, "slow", slow)
        await start(c2, "other", other)
        bodies = [str(number) for number in range(total)]

        async def send(behaviour):
            for number, body in enumerate(bodies):
                await behaviour.send(Message(to="slow@c2", body=body))
                if number == 200:  # more than may wait there: it is told to wait, however long that takes
                    await until(lambda: "slow@c2.lab.localhost" in paused(c1, "c2"))

        sending = do(send)
        await start(c1, "a", sending)
        await start(c1, "b", do(lambda own: send_all(own, "other@c2", bodies)))
        await until(lambda: len(other.messages) == total)
        await until(lambda: "slow@c2.lab.localhost" in paused(c1, "c2"))
        assert other.bodies == bodies
        assert slow.bodies == []
        assert not sending.is_done()
        micro = MicroAgent("m")
        await c1.start(micro)
        with pytest.raises(MailboxFullError, match=r"^the mailbox of slow@c2\.lab\.localhost is full"):
            micro.send_nowait(Message(to="slow@c2"))
        for _ in bodies:
            slow.may.release()
        await until(lambda: len(slow.bodies) == total)
        assert slow.bodies == bodies
        assert c2.dead_letters.total == 0
        assert c1.dead_letters.total == 1  # the micro-agent's


async def test_two_containers_that_send_to_one_slow_receiver_both_wait_and_both_go_on(containers):
    total = 1000
    async with containers("c1", "c2", "c3", limits=Limits(mailbox=10)) as (c1, c2, c3):
        slow = Slow()
        await start(c2, "slow", slow)
        sent = {}
        for container in (c1, c3):
            sent[container.name] = [f"{container.name} {number}" for number in range(total)]
            sending = do(lambda own: send_all(own, "slow@c2", sent[own.agent.container.name]))
            await start(container, "a", sending)
        for taken in range(0, 2 * total, 100):
            for _ in range(100):
                slow.may.release()
            await until(lambda now=taken + 100: len(slow.bodies) == now)
        for name, bodies in sent.items():
            assert [body for body in slow.bodies if body.startswith(name)] == bodies
        assert c1.dead_letters.total == c2.dead_letters.total == c3.dead_letters.total == 0


async def test_a_message_to_several_waits_only_for_the_slow_one(containers):
    async with containers("c1", "c2", limits=Limits(mailbox=5)) as (c1, c2):
        slow, quick = Slow(), Collect()
        await start(c2, "slow", slow)
        await start(c2, "quick", quick)
        bodies = [str(number) for number in range(300)]
        await start(c1, "a", do(lambda own: send_all(own, "slow@c2", bodies)))
        await until(lambda: link(c1, "c2") and link(c1, "c2").received)  # that it is to wait
        sending = do(lambda own: send_all(own, ("slow@c2", "quick@c2"), ["both"]))
        await start(c1, "b", sending)
        await until(lambda: quick.messages)
        for _ in range(301):
            slow.may.release()
        await until(lambda: len(slow.bodies) == 301)
        await sending.join()
        assert quick.bodies == ["both"]
        assert [body for body in slow.bodies if body != "both"] == bodies


async def test_what_is_held_for_many_slow_receivers_is_bounded_and_all_of_it_arrives(containers, monkeypatch):
    monkeypatch.setattr(overflow, "_LIMIT", 100)
    receivers, each = 20, 1000
    async with containers("c1", "c2", limits=Limits(mailbox=2)) as (c1, c2):
        slow = [Slow() for _ in range(receivers)]
        for number, behaviour in enumerate(slow):
            await start(c2, f"s{number}", behaviour)
        bodies = [f"{number:01000}" for number in range(each)]
        for number in range(receivers):
            await start(c1, f"a{number}", do(lambda own, to=f"s{number}@c2": send_all(own, to, bodies)))
        overflow_there = c2.dispatcher.overflow
        await until(lambda: overflow_there.is_full)
        await asyncio.sleep(0.3)  # more comes, up to the link's window, and then no more
        waiting = sum(map(len, overflow_there.lines.values()))
        assert waiting <= 100 + WINDOW_BYTES // 1000 + 32
        for behaviour in slow:
            for _ in bodies:
                behaviour.may.release()
        await until(lambda: all(len(behaviour.bodies) == each for behaviour in slow))
        assert all(behaviour.bodies == bodies for behaviour in slow)
        await until(lambda: not overflow_there.lines)
        assert not overflow_there.is_full
        assert c1.dead_letters.total == c2.dead_letters.total == 0


async def test_one_deaf_receiver_holds_no_other_up_and_its_senders_are_told(containers):
    count = 200
    async with containers("c1", "c2", limits=Limits(mailbox=2, send_timeout=0.3)) as (c1, c2):
        await start(c2, "deaf", Deaf())
        other = Collect()
        await start(c2, "other", other)
        raised = []

        async def send(behaviour):
            for number in range(count):
                try:
                    await behaviour.send(Message(to="deaf@c2", body=str(number)))
                except MailboxFullError as error:
                    raised.append(str(error))
            await behaviour.send(Message(to="other@c2", body="behind"))

        told = Collect()
        told.template = Template(performative="failure")
        await start(c1, "a", do(send), told)
        await until(lambda: other.messages)
        await until(lambda: len(told.messages) + len(raised) == count - 2)
        assert set(told.bodies) == {"the mailbox of behaviour Deaf of agent deaf had no room for 0.3 s"}
        assert set(raised) <= {"the mailbox of deaf@c2.lab.localhost had no room for 0.3 s"}


# Micro-agents and instruments


async def test_micro_agents_send_in_both_ways(containers):
    class PingPong(MicroAgent):
        def __init__(self, name, goes):
            super().__init__(name)
            self.goes = goes
            self.seen = []

        def handle(self, message):
            self.seen.append(message.body)
            number = int(message.body)
            if number < 1000:
                reply = message.make_reply(body=str(number + 1))
                if self.goes == "nowait":
                    self.send_nowait(reply)
                    return None
                return self.send(reply)
            return None

    async with containers("c1", "c2") as (c1, c2):
        one, two = PingPong("m", "nowait"), PingPong("m", "await")
        await c1.start(one)
        await c2.start(two)
        one.send_nowait(Message(to="m@c2", body="0"))
        await until(lambda: len(one.seen) + len(two.seen) == 1001)
        assert one.seen == [str(number) for number in range(1, 1001, 2)]
        assert two.seen == [str(number) for number in range(0, 1001, 2)]


async def test_instruments_on_both_sides_see_each_message_once(containers):
    class Watch(Instrument):
        def __init__(self):
            self.seen = []

        def message_sent(self, message):
            self.seen.append(("sent", message.body))

        def message_delivered(self, message, receiver):
            self.seen.append(("delivered", message.body, receiver))

        def message_dead(self, letter):
            self.seen.append(("dead", letter.message.body))

    async with containers("c1", "c2", limits=Limits(mailbox=3)) as (c1, c2):
        got = Collect()
        await start(c2, "b", got)
        bodies = [str(number) for number in range(40)]
        await start(c1, "first", do(lambda own: send_all(own, "b@c2", bodies)))  # makes the routes
        await until(lambda: len(got.messages) == 40)
        here, there = Watch(), Watch()
        c1.add_instrument(here)
        c2.add_instrument(there)
        await start(c1, "second", do(lambda own: send_all(own, "b@c2", bodies)))
        await until(lambda: len(got.messages) == 80)
        assert here.seen == [("sent", body) for body in bodies]
        assert there.seen == [("delivered", body, "b@c2.lab.localhost") for body in bodies]
        c1.remove_instrument(here)
        await start(c1, "third", do(lambda own: send_all(own, ("b@c2", "x@c2"), ["last"])))
        await until(lambda: got.bodies[-1] == "last")
        assert len(here.seen) == 40
        assert there.seen[-1] == ("dead", "last") or there.seen[-2] == ("dead", "last")


async def test_a_template_chooses_among_what_comes_from_elsewhere(containers):
    async with containers("c1", "c2") as (c1, c2):
        wanted = Collect()
        agent = Agent("b")
        agent.add_behaviour(wanted, Template(performative="request", sender="a@c1.lab.localhost"))
        await c2.start(agent)

        async def send(behaviour):
            for act in ("inform", "request"):
                await behaviour.send(Message(to="b@c2", body=act, performative=act))
            return (await behaviour.receive(timeout=60)).body

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        assert sending.result == "no behaviour of agent b takes such a message"
        await until(lambda: wanted.messages)
        assert wanted.bodies == ["request"]


# Closing


async def test_what_was_sent_before_closing_arrives(containers, server):
    async with containers("c2", limits=Limits(mailbox=0)) as (c2,):
        got = Collect()
        await start(c2, "b", got)
        bodies = [f"{number}{'x' * 1000}" for number in range(5000)]
        async with containers("c1") as (c1,):
            sending = do(lambda own: send_all(own, "b@c2", bodies))
            await start(c1, "a", sending)
            await sending.join()
        await until(lambda: len(got.messages) == len(bodies))
        assert got.bodies == bodies


async def test_who_waits_for_a_mailbox_in_a_container_that_closes_is_told(containers):
    async with containers("c1") as (c1,):
        async with containers("c2", limits=Limits(mailbox=1)) as (c2,):
            await start(c2, "deaf", Deaf())
            told = Collect()
            await start(c1, "a", told, do(lambda own: send_all(own, "deaf@c2", map(str, range(5)))))
            await until(lambda: sum(map(len, c2.dispatcher.overflow.lines.values())) == 4)
        await until(lambda: len(told.messages) == 5)
        expected = {
            "behaviour Deaf of agent deaf ended before it received the message": 1,
            "the mailbox of behaviour Deaf of agent deaf ended before it had room for the message": 1,
            "no agent named 'deaf' lives in container c2": 3,
        }
        assert Counter(told.bodies) == Counter(reasons(c2)) == expected


async def test_whatever_is_on_its_way_to_a_container_that_closes_is_received_or_fails(containers):
    class Number(CyclicBehaviour):
        async def run(self):
            number = str(next(numbers))
            of_each[self].append(number)
            try:
                await self.send(Message(to="b@c2", body=number))
            except MailboxFullError:
                raised.add(number)
            else:
                sent.append(number)

    numbers, sent, raised, told = itertools.count(), [], set(), Collect()
    told.template = Template(performative="failure")
    async with containers("c1", limits=Limits(send_timeout=5)) as (c1,):
        senders = [Number() for _ in range(5)]
        of_each = {sender: [] for sender in senders}
        for sender in senders:
            sender.template = Template(performative="never")
        async with containers("c2", limits=Limits(mailbox=20)) as (c2,):
            got = Collect()
            await start(c2, "b", got)
            await start(c1, "a", told, *senders)
            await until(lambda: len(got.messages) > 2000)
        await until(lambda: told.messages)
        for sender in senders:
            sender.kill()
            await sender.join()
        await until(lambda: len(got.messages) + c1.dead_letters.total + c2.dead_letters.total >= len(sent))
        dead = [letter.message.body for letter in (*c1.dead_letters, *c2.dead_letters)]
        for own in map(set, of_each.values()):  # those that wait at the same time have no order
            received = [body for body in got.bodies if body in own]
            assert received == sorted(received, key=int)
        assert len(set(got.bodies)) == len(got.bodies)
        assert not set(got.bodies) & set(dead)


@pytest.mark.parametrize("name", ["b@c2", "b@c2.lab.localhost"])
async def test_after_closing_nothing_can_be_sent(containers, name):
    async with containers("c2") as (c2,):
        got = Collect()
        await start(c2, "b", got)
        async with containers("c1") as (c1,):
            transport = c1.dispatcher.transport
            agent = MicroAgent("m")
            await c1.start(agent)
            for _ in range(2):
                agent.send_nowait(Message(to=name, body="in time"))
            await until(lambda: len(got.messages) == 2)
        assert transport.is_closed
        with pytest.raises(ContainerClosedError):
            agent.send_nowait(Message(to=name, body="too late"))


async def test_a_full_link_makes_send_nowait_raise_and_send_wait(containers, server):
    async with containers("c1", "c2", limits=Limits(send_timeout=0.3)) as (c1, c2):
        agent = MicroAgent("m")
        got = Collect()
        await c1.start(agent)
        await start(c2, "b", got)
        await agent.send(Message(to="b@c2", body="first"))
        await until(lambda: got.messages)
        os.kill(server.pid, signal.SIGSTOP)
        try:
            with pytest.raises(
                MailboxFullError, match=r"^the way to b@c2\.lab\.localhost, .* not taking more"
            ):
                await fill(agent)
            with pytest.raises(MailboxFullError, match=r"is not taking more for now, had no room for 0\.3 s"):
                await agent.send(Message(to="b@c2", body="waits"))
        finally:
            os.kill(server.pid, signal.SIGCONT)
        await until(lambda: link(c1, "c2").unacknowledged == 0)
        await agent.send(Message(to="b@c2", body="goes"))
        await until(lambda: got.bodies[-1] == "goes")
        assert len({len(body) for body in got.bodies}) == 3
        assert "waits" not in got.bodies


# Two processes

PEER = """
import asyncio, sys
from pathlib import Path
from formicary import Container, Limits
from formicary.server import ServerAddress
from tests.unit.core.agents import Echo, start

async def main():
    async with Container("c2", server=ServerAddress.load(Path(sys.argv[1])), limits=Limits(mailbox=50)) as c2:
        await start(c2, "echo", Echo())
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
    print(c2.dead_letters.total, c2.dispatcher.transport.dropped, flush=True)

asyncio.run(main())
"""


async def test_two_processes_talk_in_order(containers, server):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path.cwd()), *sys.path])}
    command = [sys.executable, "-c", PEER, str(server.folder.path)]
    with subprocess.Popen(  # noqa: ASYNC220 -- one short block of the test's loop, in a fixture's place
        command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as peer:
        assert peer.stdout.readline() == "ready\n"
        async with containers("c1", limits=Limits(mailbox=50)) as (c1,):
            got = Collect()
            bodies = [str(number) for number in range(2000)]
            await start(c1, "a", got, do(lambda own: send_all(own, "echo@c2", bodies)))
            await until(lambda: len(got.messages) == len(bodies))
            assert got.bodies == bodies
        out, _ = await asyncio.to_thread(peer.communicate, "")
        assert (out, peer.returncode) == ("0 0\n", 0)
