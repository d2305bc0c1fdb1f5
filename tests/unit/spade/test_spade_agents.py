"""Agents and behaviours of SPADE programs, beyond SPADE's own tests, in virtual time."""

from __future__ import annotations

import asyncio
import functools
from datetime import timedelta

import pytest

from formicary import Agent as OurAgent
from formicary import CyclicBehaviour as OurCyclicBehaviour
from formicary import Template as OurTemplate
from formicary import spade
from formicary.core.clock import now
from formicary.errors import AgentStateError, UnsupportedError, UsageError
from formicary.spade.agent import Agent
from formicary.spade.behaviour import (
    CyclicBehaviour,
    FSMBehaviour,
    OneShotBehaviour,
    PeriodicBehaviour,
    State,
)
from formicary.spade.container import Container
from formicary.spade.message import Message
from formicary.spade.presence import PresenceShow
from formicary.spade.template import Template

pytestmark = pytest.mark.virtual_clock


class Keep(CyclicBehaviour):
    """Keeps the bodies of all messages."""

    def __init__(self):
        super().__init__()
        self.bodies = []

    async def run(self):
        message = await self.receive(timeout=5)
        if message is not None:
            self.bodies.append(message.body)


class Say(OneShotBehaviour):
    """Sends some messages."""

    def __init__(self, *messages):
        super().__init__()
        self.messages = messages

    async def run(self):
        for message in self.messages:
            await self.send(message)


def in_container(test):
    """Open the program's container for a test."""

    @functools.wraps(test)
    async def within(**fixtures):
        async with Container().opened():
            await test(**fixtures)

    return within


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    """Reset the warnings that are logged once per process."""
    monkeypatch.setattr("formicary.spade.missing._warned", set())


async def started(jid, *behaviours):
    agent = Agent(jid)
    for behaviour in behaviours:
        agent.add_behaviour(behaviour)
    await agent.start()
    return agent


@in_container
async def test_each_behaviour_gets_what_its_template_wants_at_the_time():
    red, all_ = Keep(), Keep()
    bob = await started("bob@localhost", all_)
    bob.add_behaviour(red, Template(body="red"))
    say = Say(Message("bob@localhost", body="red"), Message("bob@localhost", body="blue"))
    await started("ann@localhost", say)
    await asyncio.sleep(1)
    assert (red.bodies, all_.bodies) == (["red"], ["red", "blue"])
    red.set_template(Template(body="blue"))
    await started("eve@localhost", Say(Message("bob@localhost", body="blue")))
    await asyncio.sleep(1)
    assert red.bodies == ["red", "blue"]


@in_container
async def test_receive_without_a_timeout_polls_and_lets_others_run():
    class Spin(CyclicBehaviour):
        looks = 0

        async def run(self):
            while await self.receive() is None:
                self.looks += 1
            self.kill()

    spin = Spin()
    await started("bob@localhost", spin)
    await started("ann@localhost", Say(Message("bob@localhost")))
    await spin.join(timeout=5)
    assert spin.looks > 0


@in_container
async def test_kill_from_outside_waits_for_the_present_run():
    class Slow(CyclicBehaviour):
        ended_at = None

        async def run(self):
            await asyncio.sleep(3)

        async def on_end(self):
            self.ended_at = asyncio.get_running_loop().time()

    slow = Slow()
    began = asyncio.get_running_loop().time()
    await started("bob@localhost", slow)
    await asyncio.sleep(1)
    slow.kill(exit_code="enough")
    with pytest.raises(TimeoutError):
        await slow.join(timeout=1)
    await slow.join()
    assert (slow.exit_code, round(slow.ended_at - began)) == ("enough", 3)


@in_container
async def test_a_behaviour_that_stops_the_agent_finishes_its_run():
    class Last(OneShotBehaviour):
        went_on = False

        async def run(self):
            await self.agent.stop()
            await asyncio.sleep(1)
            self.went_on = True

    last = Last()
    agent = await started("bob@localhost", last)
    await last.join()
    assert last.went_on
    assert not agent.is_alive()
    assert Container().domain is not None
    assert await started("bob@localhost")  # the name is free


@in_container
async def test_a_periodic_behaviour_skips_missed_times():
    class Late(PeriodicBehaviour):
        def __init__(self):
            super().__init__(2, start_at=now() + timedelta(seconds=1))
            self.at = []

        async def run(self):
            self.at.append(asyncio.get_running_loop().time())
            await asyncio.sleep(3 if len(self.at) == 1 else 0)
            if len(self.at) == 3:
                self.kill()

    began = asyncio.get_running_loop().time()
    late = Late()
    await started("bob@localhost", late)
    await late.join()
    assert [round(at - began) for at in late.at] == [1, 5, 7]


@in_container
async def test_a_machine_receives_in_its_states_and_goes_round():
    class Count(State):
        async def run(self):
            message = await self.receive(timeout=5)
            self.set("heard", (self.get("heard") or "") + message.body)
            self.set_next_state("end" if len(self.get("heard")) == 3 else "count")

    class End(State):
        async def run(self):
            await self.send(Message("ann@localhost", body=self.get("heard")))
            self.next_state = None

    class Machine(FSMBehaviour):
        def setup(self):
            self.add_state("count", Count(), initial=True)
            self.add_state("end", End())
            self.add_transition("count", "count")
            self.add_transition("count", "end")

    machine, keep = Machine(), Keep()
    await started("bob@localhost", machine)
    await started("ann@localhost", keep, Say(*(Message("bob@localhost", body=each) for each in "abc")))
    await machine.join(timeout=10)
    await asyncio.sleep(1)
    assert keep.bodies == ["abc"]


@in_container
async def test_what_comes_before_the_agent_has_started_waits_for_its_behaviours():
    keep = Keep()
    bob = Agent("bob@localhost")
    bob.add_behaviour(keep)
    await started("ann@localhost", Say(Message("bob@localhost", body="early")))
    await asyncio.sleep(1)
    await bob.start()
    await asyncio.sleep(1)
    assert keep.bodies == ["early"]


@in_container
async def test_what_comes_during_setup_waits_for_its_behaviours():
    keep = Keep()

    class Slow(Agent):
        async def setup(self):
            self.add_behaviour(keep)
            await asyncio.sleep(2)

    await started("ann@localhost")
    starting = asyncio.create_task(Slow("bob@localhost").start())
    await asyncio.sleep(1)
    await started("eve@localhost", Say(Message("bob@localhost", body="soon")))
    await asyncio.sleep(0.5)
    assert keep.bodies == []
    await starting
    await asyncio.sleep(1)
    assert keep.bodies == ["soon"]


@in_container
async def test_an_agent_whose_setup_fails_has_not_started():
    class Bad(Agent):
        async def setup(self):
            self.add_behaviour(Keep())
            raise LookupError("no")

    bad = Bad("bob@localhost")
    with pytest.raises(LookupError):
        await bad.start()
    assert not bad.is_alive()
    assert await started("bob@localhost")


@in_container
async def test_a_message_to_nobody_is_logged_and_its_sender_gets_nothing(caplog):
    keep = Keep()
    await started("ann@localhost", keep, Say(Message("nobody@localhost", body="hello?")))
    await asyncio.sleep(1)
    assert keep.bodies == []
    assert "no agent named 'nobody' lives in container c1" in caplog.text


@in_container
async def test_a_message_that_nobody_takes_is_logged_and_in_the_traces(caplog):
    bob = await started("bob@localhost")
    bob.add_behaviour(Keep(), Template(body="else"))
    ann = await started("ann@localhost", Say(Message("bob@localhost", body="hm")))
    await asyncio.sleep(1)
    assert [entry[1].body for entry in bob.traces.received()] == ["hm"]
    assert [(entry[1].body, entry[2]) for entry in ann.traces.all()] == [("hm", "OneShotBehaviour/Say")]
    assert "no behaviour of agent bob takes such a message" in caplog.text


@in_container
async def test_a_second_agent_of_an_address_gets_the_messages(caplog):
    first, second = Keep(), Keep()
    await started("bob@localhost", first)
    await started("bob@localhost", second)
    await started("ann@localhost", Say(Message("bob@localhost", body="hello")))
    await asyncio.sleep(1)
    assert (first.bodies, second.bodies) == ([], ["hello"])
    assert "a second agent bob@localhost has started" in caplog.text


@in_container
async def test_our_own_agents_and_spades_talk_to_each_other():
    heard = []

    class Answer(OurCyclicBehaviour):
        async def run(self):
            message = await self.receive()
            heard.append((message.sender, message.performative, message.conversation_id))
            await self.reply(message, body="yes", performative="agree")

    class Ask(OneShotBehaviour):
        async def run(self):
            metadata = {"performative": "request", "conversation-id": "c1"}
            await self.send(Message("carol@localhost", metadata=metadata))
            self.kill(await self.receive(timeout=5))

    host = await Container().open()
    carol = OurAgent("carol")
    carol.add_behaviour(Answer(), OurTemplate(performative="request"))
    await host.start(carol)
    ask = Ask()
    await started("ann@localhost", ask)
    await ask.join()
    assert heard == [("ann@c1.lab.localhost", "request", "c1")]
    answer = ask.exit_code
    assert (str(answer.sender), answer.body) == ("carol@localhost", "yes")
    assert answer.metadata == {"performative": "agree", "conversation-id": "c1"}


@in_container
async def test_failures_are_logged_and_counted_and_set_the_exit_code(caplog):
    class Fail(OneShotBehaviour):
        ended = False

        async def run(self):
            raise LookupError("nothing there")

        async def on_end(self):
            self.ended = True

    fail = Fail()
    await started("bob@localhost", fail)
    await fail.join()
    host = await Container().open()
    assert isinstance(fail.exit_code, LookupError)
    assert fail.ended
    assert host.failure_log.total == 1
    assert "run of OneShotBehaviour/Fail of agent bob@localhost raised an exception" in caplog.text


@in_container
async def test_missing_parts_warn_once_and_the_program_continues(caplog):
    bob = await started("bob@localhost")
    web = bob.web
    assert (web.port, web.hostname, web.is_started()) == (None, None, False)
    assert not caplog.text
    for each in bob, await started("ann@localhost"):
        each.web.add_get("/", print, "index.html")
        each.web.add_menu_entry("Home", "/")
        each.web.app.router.add_static("/static", "static")
        each.web.app["key"] = 1
        each.web.start(hostname="127.0.0.1", port="10000")
        await each.web.start()
    assert list(web.app.router.routes()) == []
    await web.runner.cleanup()
    assert not any([web.start, web.port, web.app, web.runner, web.is_started()])
    assert caplog.text.count("agents have no web pages here") == len(caplog.records) == 1
    keep = Keep()
    bob.add_behaviour(keep)
    assert await keep.upload_and_send_file("ann@localhost", "x") is None
    assert caplog.text.count("no file upload server") == 1
    with pytest.raises(UnsupportedError, match="send_file"):
        await keep.download_file("https://example.org/x")


@in_container
async def test_without_accounts_presence_only_stores_what_the_program_sets(caplog):
    bob = Agent("bob@localhost")
    assert bob.presence.approve_all is bob.presence.is_available() is False
    assert bob.presence.get_contacts() == {}
    await bob.start()
    bob.presence.on_subscribe = print
    bob.presence.set_presence(show=PresenceShow.AWAY, status="at work")
    assert (bob.presence.is_available(), bob.presence.get_show()) == (True, PresenceShow.AWAY)
    bob.presence.subscribe("ann@localhost")
    assert not bob.presence.get_contact("ann@localhost").is_available()
    for change in bob.presence.approve_subscription, bob.presence.unsubscribe:
        change("ann@localhost")
    bob.presence.set_unavailable()
    assert not bob.presence.is_available()
    (warning,) = caplog.messages
    assert "the presence of agents (agent.presence) is not visible" in warning
    assert "--server" in warning


@in_container
async def test_what_programs_need_of_an_xmpp_client_is_refused_with_the_reason(caplog):
    bob = Agent("bob@localhost")
    assert bob.client is None
    await bob.start()
    assert not bob.client
    bob.client.register_plugin("xep_0060")
    bob.client.add_event_handler("session_end", print)
    assert caplog.text.count("agents have no XMPP client") == len(caplog.records) == 1
    for use in (
        lambda: bob.client.send_message(mto="ann@localhost", mbody="hello"),
        lambda: bob.client["xep_0060"].create_node("x"),
    ):
        with pytest.raises(UnsupportedError, match="agents have no XMPP client"):
            use()


@in_container
async def test_a_start_that_is_not_awaited_says_what_to_write(caplog):
    bob = Agent("bob@localhost")
    with pytest.raises(UsageError, match=r"SPADE before 3\.2: write `await agent\.start\(\)`"):
        bob.start().result()
    assert not caplog.text
    bob.start()
    assert "agent bob@localhost did not start: write `await agent.start()`" in caplog.text
    await asyncio.create_task(bob.start())
    assert bob.is_alive()


class Busy(Agent):
    """Has attributes of its own with common names."""

    async def setup(self):
        self.finished = self.end = self.running = self.body = self._body = self._waiting = True
        self.loop = self.web = self.state = None
        self.container.loop = asyncio.get_running_loop()


@in_container
async def test_programs_may_have_any_attributes_that_spade_has_not():
    class Work(Keep):
        def __init__(self):
            super().__init__()
            self.label = self.runner = self.live = self.finish = self._killed = self._finished = (
                self._body
            ) = 1

    bob, work = Busy("bob@localhost"), Work()
    bob.add_behaviour(work)
    await bob.start()
    say = Say(Message("bob@localhost", body="hello"))
    await started("ann@localhost", say)
    await say.join()
    await bob.stop()
    await work.join()
    assert work.bodies == ["hello"]


@in_container
async def test_a_behaviour_without_an_agent_says_so():
    with pytest.raises(AgentStateError, match="add_behaviour"):
        await Keep().send(Message("bob@localhost"))
    with pytest.raises(AgentStateError, match="add_behaviour"):
        await Keep().receive()
    waiting = Keep()
    Agent("bob@localhost").add_behaviour(waiting)
    await Container().open()
    with pytest.raises(AgentStateError, match="start its agent first"):
        await waiting.send(Message("nobody@localhost"))


@in_container
async def test_waiting_for_agents_ends_with_the_last_and_stops_them_if_cancelled():
    ann, bob = Agent("ann@localhost"), Agent("bob@localhost")
    await spade.start_agents([ann, bob])
    waiting = asyncio.create_task(spade.wait_until_finished([ann, bob]))
    await ann.stop()
    await asyncio.sleep(1)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.wait([waiting])
    assert not bob.is_alive()


@in_container
async def test_an_agent_that_is_killed_in_the_container_ends_as_its_own_stop_says():
    class Polite(Agent):
        said = False

        async def stop(self):
            self.said = True

    polite = Polite("bob@localhost")
    await polite.start()
    host = await Container().open()
    await host.management.kill("bob")
    assert polite.said
    assert not polite.is_alive()


@in_container
async def test_the_queue_is_the_mailbox():
    keep = Keep()
    Agent("bob@localhost").add_behaviour(keep)
    with pytest.raises(asyncio.QueueEmpty):
        keep.queue.get_nowait()
    await keep.enqueue(Message(sender="ann@localhost", body="x"))
    assert (keep.queue.qsize(), keep.mailbox_size(), keep.queue.empty()) == (1, 1, False)
    message = keep.queue.get_nowait()
    assert (str(message.sender), message.body) == ("ann@localhost", "x")
