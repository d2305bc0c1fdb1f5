"""Containers through a real Prosody: what arrives, in which order, and who is told of what does not."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.integration.transport.raw import fill, next_turn, until
from tests.unit.core.agents import Collect, Deaf, Echo, do, reasons, start

from formicary import Agent, CyclicBehaviour, Instrument, Message, MicroAgent, Template
from formicary.errors import ContainerClosedError, InvalidMessageError, MailboxFullError, MessageTooLargeError
from formicary.transport import held

pytestmark = pytest.mark.server


async def send_all(behaviour, to, bodies):
    for body in bodies:
        await behaviour.send(Message(to=to, body=body))


async def failure(container, name, message):
    """Send a message from a new agent; return the failure that it gets."""

    async def ask(behaviour):
        await behaviour.send(message)
        return await behaviour.receive(timeout=10)

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
                answer = await behaviour.receive(timeout=10)
                assert (answer.body, answer.thread, answer.in_reply_to) == (b"\x00\xff", "t", "r")
                assert answer.sender == "echo@c2.lab.localhost"
            return "done"

        asking = do(ask)
        await start(c1, "ask", asking)
        await asking.join()
        assert asking.result == "done"


async def test_ten_thousand_messages_each_way_all_arrive_in_order(containers):
    bodies = [str(number) for number in range(10_000)]
    async with containers("c1", "c2", mailbox_limit=100) as (c1, c2):
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
    async with containers("c1", "c2", mailbox_limit=0) as (c1, c2):
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
    async with containers("c1", "c2", mailbox_limit=2) as (c1, c2):
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
        ("b@c9", r"c9\.lab\.localhost cannot be reached: ", 0),
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
            return [(await behaviour.receive(timeout=10)).in_reply_to for _ in range(count)]

        asking = do(ask)
        await start(c1, "a", asking)
        await asking.join()
        assert asking.result == [str(number) for number in range(count)]


async def test_too_large_is_refused_before_it_is_sent_and_others_go_on(containers, server):
    limit = server.address.stanza_limit
    async with containers("c1", "c2") as (c1, c2):
        got = Collect()
        await start(c2, "b", got)
        large = "x" * limit
        says = rf"takes \d{{7,}} bytes .* than the {str(limit)[:3]}"

        async def send(behaviour):
            await behaviour.send(Message(to="b@c2", body="before"))
            for to in ("b@c2", "b@elsewhere.example"):
                with pytest.raises(MessageTooLargeError, match=says):
                    await behaviour.send(Message(to=to, body=large))
            await behaviour.send(Message(to="b@c2", body="y" * (limit // 4 * 3 - 2000)))
            await behaviour.send(Message(to="b@c2", metadata={"large": large}))
            await behaviour.send(Message(to="b@c2", body="after"))
            return (await behaviour.receive(timeout=10)).body

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        await until(lambda: len(got.messages) == 3)
        assert [body[:6] for body in got.bodies] == ["before", "yyyyyy", "after"]
        assert f"more than the {str(limit)[:3]}" in sending.result
        assert len(reasons(c1)) == 3


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
                    told.append((await behaviour.receive(timeout=10)).body)
            with pytest.raises(InvalidMessageError, match="XMPP carries text; encode it"):
                await behaviour.send(Message(to="b@elsewhere.example", body=b"bytes"))
            with pytest.raises(InvalidMessageError, match="performative is text, not int"):
                await behaviour.send(Message(to="b@elsewhere.example", performative=7))
            await behaviour.send(Message(to="b@c2", body="after"))
            return told

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        await until(lambda: len(got.messages) == 2)
        assert got.bodies == ["before", "after"]
        assert "performative is text, not int: 7" in sending.result[0]
        assert "surrogates" in sending.result[1]
        assert "thread is text, not bytes" in sending.result[2]


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
    async with containers("c1", "c2", mailbox_limit=5) as (c1, c2):
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
    async with containers("c1", "c2", mailbox_limit=2, send_timeout=0.2) as (c1, c2):
        await start(c2, "deaf", Deaf())

        async def ask(behaviour):
            for number in range(20):
                await behaviour.send(Message(to="deaf@c2", reply_with=str(number)))
            return [await behaviour.receive(timeout=10) for _ in range(18)]

        asking = do(ask)
        c1._mailbox_limit = 100
        await start(c1, "a", asking)
        await asking.join()
        assert [told.in_reply_to for told in asking.result] == [str(number) for number in range(2, 20)]
        assert {told.body for told in asking.result} == {
            "the mailbox of behaviour Deaf of agent deaf had no room for 0.2 s"
        }


async def test_reading_pauses_while_too_much_waits_and_goes_on_after(containers, monkeypatch):
    monkeypatch.setattr(held, "_LIMIT", 100)
    async with containers("c1", "c2", mailbox_limit=10) as (c1, c2):
        slow, other = Slow(), Collect()
        await start(c2, "slow", slow)
        await start(c2, "other", other)

        async def send(behaviour):
            for number in range(300):  # more than fits into one read from a socket
                await behaviour.send(Message(to="slow@c2", body=f"{number:010000}"))
                if number % 10 == 0:
                    await next_turn()
            await behaviour.send(Message(to="other@c2", body="behind"))

        await start(c1, "a", do(send))
        transport = c2._transport
        await until(lambda: transport._held.is_full)
        await asyncio.sleep(0.05)
        assert other.messages == []
        assert not transport._stream._transport.is_reading()
        for _ in range(300):
            slow.may.release()
        await until(lambda: len(slow.bodies) == 300 and other.messages)
        assert slow.bodies == [f"{number:010000}" for number in range(300)]
        assert transport._stream._transport.is_reading()
        assert transport._held.lines == {}
        assert c2.dead_letters.total == 0


async def test_one_deaf_receiver_holds_the_others_up_no_longer_than_send_timeout(containers, monkeypatch):
    monkeypatch.setattr(held, "_LIMIT", 50)
    async with containers("c1", "c2", mailbox_limit=2, send_timeout=0.3) as (c1, c2):
        await start(c2, "deaf", Deaf())
        other = Collect()
        await start(c2, "other", other)

        async def send(behaviour):
            for number in range(200):
                await behaviour.send(Message(to="deaf@c2", body=str(number)))
                if number % 10 == 0:
                    await next_turn()
            await behaviour.send(Message(to="other@c2", body="behind"))

        await start(c1, "a", do(send), Collect())
        await until(lambda: other.messages)  # it is behind 198 messages that each may wait 0.3 s
        await until(lambda: c2.dead_letters.total == 198)


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

    async with containers("c1", "c2", mailbox_limit=3) as (c1, c2):
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
            return (await behaviour.receive(timeout=10)).body

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        assert sending.result == "no behaviour of agent b takes such a message"
        await until(lambda: wanted.messages)
        assert wanted.bodies == ["request"]


# Closing


async def test_what_was_sent_before_closing_arrives(containers, server):
    async with containers("c2", mailbox_limit=0) as (c2,):
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
        async with containers("c2", mailbox_limit=1) as (c2,):
            await start(c2, "deaf", Deaf())
            told = Collect()
            await start(c1, "a", told, do(lambda own: send_all(own, "deaf@c2", map(str, range(5)))))
            await until(lambda: c2._transport._held._count == 4)
        await until(lambda: len(told.messages) == 5)
        expected = {
            "behaviour Deaf of agent deaf ended before it received the message": 1,
            "the mailbox of behaviour Deaf of agent deaf ended before it had room for the message": 1,
            "no agent named 'deaf' lives in container c2": 3,
        }
        assert Counter(told.bodies) == Counter(reasons(c2)) == expected


async def test_after_closing_nothing_can_be_sent(containers):
    async with containers("c1") as (c1,):
        transport = c1._transport
        agent = MicroAgent("m")
        await c1.start(agent)
    assert transport.is_closed
    with pytest.raises(ContainerClosedError):
        agent.send_nowait(Message(to="b@c2"))


async def test_a_full_link_makes_send_nowait_raise_and_send_wait(containers, server):
    async with containers("c1", "c2", send_timeout=0.3) as (c1, _):
        agent = MicroAgent("m")
        await c1.start(agent)
        os.kill(server.pid, signal.SIGSTOP)
        try:
            with pytest.raises(MailboxFullError, match=r"^the link to c2\.lab\.localhost, .* nothing more"):
                await fill(agent)
            with pytest.raises(MailboxFullError, match=r"takes nothing more for now, had no room for 0\.3 s"):
                await agent.send(Message(to="b@c2", body="waits"))
            with pytest.raises(MailboxFullError, match=r"the way to b@example\.org, .* takes nothing more"):
                await agent.send(Message(to="b@example.org", body="waits"))
        finally:
            os.kill(server.pid, signal.SIGCONT)
        await agent.send(Message(to="b@c2", body="goes"))


# Two processes

PEER = """
import asyncio, sys
from pathlib import Path
from formicary import Container
from formicary.server import ServerAddress
from tests.unit.core.agents import Echo, start

async def main():
    async with Container("c2", server=ServerAddress.load(Path(sys.argv[1])), mailbox_limit=50) as c2:
        await start(c2, "echo", Echo())
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
    print(c2.dead_letters.total, c2._transport.dropped, flush=True)

asyncio.run(main())
"""


async def test_two_processes_talk_in_order(containers, server):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path.cwd()), *sys.path])}
    command = [sys.executable, "-c", PEER, str(server.folder.path)]
    with subprocess.Popen(  # noqa: ASYNC220 -- one short block of the test's loop, in a fixture's place
        command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as peer:
        assert peer.stdout.readline() == "ready\n"
        async with containers("c1", mailbox_limit=50) as (c1,):
            got = Collect()
            bodies = [str(number) for number in range(10_000)]
            await start(c1, "a", got, do(lambda own: send_all(own, "echo@c2", bodies)))
            await until(lambda: len(got.messages) == len(bodies))
            assert got.bodies == bodies
        out, _ = await asyncio.to_thread(peer.communicate, "")
        assert (out, peer.returncode) == ("0 0\n", 0)
