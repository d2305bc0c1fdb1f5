"""Agents come to rest whatever they do, go on as they were, and leave nothing behind but their messages."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import ClassVar

import pytest

from formicary import (
    Agent,
    AgentState,
    Container,
    CyclicBehaviour,
    FSMBehaviour,
    Instrument,
    Limits,
    Message,
    OneShotBehaviour,
    PeriodicBehaviour,
    State,
    Template,
    TimeoutBehaviour,
)
from formicary.errors import AgentStateError, MoveError
from formicary.mobility.quiescence import dissolve, own_strand, quiesce, resume
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock

ALICE = "alice@c1.lab.localhost"


class Collect(CyclicBehaviour):
    def __init__(self):
        super().__init__()
        self.bodies = []

    async def run(self):
        self.bodies.append((await self.receive()).body)


class Busy(CyclicBehaviour):
    """Never idle: always has something to send to itself."""

    def __init__(self):
        super().__init__()
        self.runs = 0

    async def run(self):
        self.runs += 1
        await self.send(Message(to="alice", body=str(self.runs)))
        await self.receive()

    def did(self):
        return self.runs


class Spins(CyclicBehaviour):
    runs = 0

    async def run(self):
        self.runs += 1

    def did(self):
        return self.runs


class Later(PeriodicBehaviour):
    """Leaves its messages where they are."""

    def __init__(self):
        super().__init__(1000.0, timedelta(seconds=1000))

    async def run(self):
        pass


class SpinningState(State):
    runs = 0

    async def run(self):
        self.runs += 1
        self.set_next_state("spins")


class SpinningMachine(FSMBehaviour):
    def __init__(self):
        super().__init__()
        self.state = SpinningState()
        self.add_state("spins", self.state, initial=True)
        self.add_transition("spins", "spins")

    def did(self):
        return self.state.runs


class Works(CyclicBehaviour):
    """Is in the middle of something for a while."""

    def __init__(self, seconds=1.0):
        super().__init__()
        self.seconds = seconds
        self.done = 0

    async def run(self):
        await asyncio.sleep(self.seconds)
        self.done += 1

    def did(self):
        return self.done


async def start(container, *behaviours, name="alice"):
    agent = Agent(name)
    for behaviour in behaviours:
        agent.add_behaviour(behaviour)
    await container.start(agent)
    await asyncio.sleep(0)
    return agent


def write(container, *bodies, to="alice"):
    for body in bodies:
        container.dispatcher.send_nowait(Message(to=to, body=body))


# -- coming to rest, and going on ---------------------------------------------------------------------------


async def test_what_comes_while_an_agent_rests_waits_and_is_received_in_order():
    async with Container("c1") as c1:
        collect = Collect()
        agent = await start(c1, collect)
        write(c1, "a", "b")
        await quiesce(agent, None)
        write(c1, "c", "d")
        await asyncio.sleep(60)
        assert (collect.bodies, agent.state) == ([], AgentState.TRANSIT)
        resume(agent)
        write(c1, "e")
        await until_idle()
        assert (collect.bodies, agent.state) == ([*"abcde"], AgentState.ACTIVE)
        assert c1.dead_letters.total == 0


class Begins(CyclicBehaviour):
    def __init__(self):
        super().__init__()
        self.done = []

    async def on_start(self):
        self.done.append("on_start")

    async def run(self):
        self.done.append((await self.receive()).body)


async def test_what_has_not_begun_rests_at_once_and_begins_later():
    async with Container("c1") as c1:
        agent, begins = Agent("alice"), Begins()
        agent.add_behaviour(begins)
        await c1.start(agent)
        for _ in range(2):
            with pytest.raises(StopIteration):  # it waits for nothing
                quiesce(agent, None).send(None)
            write(c1, "a")
            resume(agent)
        assert begins.done == []
        with pytest.raises(StopIteration):
            quiesce(agent, None).send(None)
        await asyncio.sleep(60)
        assert (begins.done, agent.state) == ([], AgentState.TRANSIT)
        resume(agent)
        await until_idle()
        assert begins.done == ["on_start", *"aa"]


async def test_what_has_not_begun_and_is_killed_while_it_rests_ends():
    async with Container("c1") as c1:
        agent, begins, other = Agent("alice"), Begins(), Begins()
        agent.add_behaviour(begins)
        agent.add_behaviour(other)
        await c1.start(agent)
        begins.kill()
        await quiesce(agent, None)
        other.kill()
        resume(agent)
        await until_idle()
        assert begins.is_done()
        assert other.is_done()
        assert (begins.done, other.done, agent.state) == ([], [], AgentState.ACTIVE)


@pytest.mark.parametrize("make", [Busy, Spins, SpinningMachine, lambda: Works(0.0)])
async def test_what_never_idles_comes_to_rest_and_goes_on(make):
    async with Container("c1") as c1:
        behaviour = make()
        agent = await start(c1, behaviour)
        for _ in range(10):
            await asyncio.sleep(0)
        await quiesce(agent, None)
        before = behaviour.did()
        for _ in range(10):
            await asyncio.sleep(0)
        assert behaviour.did() == before
        resume(agent)
        for _ in range(10):
            await asyncio.sleep(0)
        assert behaviour.did() > before
        assert c1.dead_letters.total == 0
        agent.end_at_once()
        await asyncio.sleep(0)


async def test_an_agent_rests_under_fire_and_loses_nothing():
    async with Container("c1") as c1:
        collect, other = Collect(), Spins()
        agent = await start(c1, collect, other)
        agent.remove_behaviour(other)

        async def fire(behaviour):
            for number in range(3000):
                await behaviour.send(Message(to="alice", body=str(number)))
                await asyncio.sleep(0.001)

        class Fire(OneShotBehaviour):
            run = fire

        await start(c1, Fire(), name="bob")
        for _ in range(20):
            await asyncio.sleep(0.1)
            await quiesce(agent, None)
            await asyncio.sleep(0.05)
            resume(agent)
        await asyncio.sleep(5)
        assert collect.bodies == [str(number) for number in range(3000)]


async def test_time_goes_on_while_an_agent_rests():
    class Ticks(PeriodicBehaviour):
        def __init__(self):
            super().__init__(1.0, timedelta(seconds=1))
            self.times = []

        async def run(self):
            self.times.append(round(asyncio.get_running_loop().time() - begin, 3))

    class Once(TimeoutBehaviour):
        runs = 0

        async def run(self):
            self.runs += 1

    async with Container("c1") as c1:
        begin = asyncio.get_running_loop().time()
        ticks, once = Ticks(), Once(timedelta(seconds=3))
        agent = await start(c1, ticks, once)
        await asyncio.sleep(1.5)
        await quiesce(agent, None)
        await asyncio.sleep(2.25)
        assert (ticks.times, once.runs) == ([1.0], 0)
        resume(agent)
        await asyncio.sleep(1)
        assert (ticks.times, once.runs) == ([1.0, 3.75, 4.0], 1)


async def test_what_is_in_the_middle_of_something_has_its_time():
    async with Container("c1") as c1:
        works = Works(4.0)
        agent = await start(c1, works)
        begin = asyncio.get_running_loop().time()
        await quiesce(agent, None)
        assert (works.done, asyncio.get_running_loop().time() - begin) == (1, 4.0)
        resume(agent)


class Watches(CyclicBehaviour):
    """Notes what services it is told of, for each of which it has something to do for a while."""

    def __init__(self, seconds=0.0):
        super().__init__()
        self.seconds = seconds
        self.told = []

    async def run(self):
        async with self.agent.directory.subscribe(type="printer") as changes:
            async for change in changes:
                self.told.append([service.name for service in change.services])
                await asyncio.sleep(self.seconds)


async def test_what_a_subscription_tells_while_an_agent_rests_waits_for_it():
    async with Container("c1") as c1:
        agent, other = await start(c1, watches := Watches()), await start(c1, name="bob")
        await until_idle()
        for number in range(3):
            await quiesce(agent, None)
            before = [*watches.told]
            await other.directory.register("printer", f"a{number}")
            await other.directory.register("printer", f"b{number}")
            await asyncio.sleep(60)
            assert watches.told == before
            resume(agent)
            await until_idle()
            assert watches.told == [*before, [f"a{number}", f"b{number}"]]


async def test_what_works_at_a_change_rests_before_it_waits_for_the_next():
    async with Container("c1") as c1:
        agent, other = await start(c1, watches := Watches(4.0)), await start(c1, name="bob")
        begin = asyncio.get_running_loop().time()
        await quiesce(agent, None)
        assert asyncio.get_running_loop().time() - begin == 4.0
        resume(agent)
        await until_idle()
        await other.directory.register("printer", "a")
        await until_idle()
        await other.directory.register("printer", "b")  # which waits when it is to come to rest
        await quiesce(agent, None)
        assert watches.told == [[], ["a"]]
        resume(agent)
        await until_idle()
        assert watches.told == [[], ["a"], ["b"]]


async def test_who_does_not_come_to_rest_is_named_and_goes_on():
    async with Container("c1") as c1:
        works, collect = Works(7.0), Collect()
        agent = await start(c1, works, collect, Works(9.0))
        with pytest.raises(MoveError) as raised:
            await quiesce(agent, None)
        assert str(raised.value).startswith(
            "agent alice cannot move: its behaviour Works did not reach a resting point within 5 s, nor did "
            "1 other; it is awaiting sleep (test_quiescence.py:"
        )
        assert agent.state is AgentState.ACTIVE
        write(c1, "a")
        await asyncio.sleep(2.5)
        assert (works.done, collect.bodies) == (1, ["a"])
        await agent.stop()


async def test_a_cancelled_wait_lets_the_agent_go_on():
    async with Container("c1") as c1:
        works, collect = Works(4.0), Collect()
        agent = await start(c1, works, collect)
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await quiesce(agent, None)
        assert agent.state is AgentState.ACTIVE
        write(c1, "a")
        await asyncio.sleep(5)
        assert (works.done, collect.bodies) == (1, ["a"])
        await agent.stop()


@pytest.mark.parametrize("hold", ["suspend", "wait"])
async def test_an_agent_that_is_held_stays_so(hold):
    async with Container("c1") as c1:
        collect = Collect()
        agent = await start(c1, collect, Later())
        write(c1, "a")
        getattr(agent, hold)()
        state = agent.state
        await quiesce(agent, None)
        write(c1, "b")
        assert agent.state is AgentState.TRANSIT
        resume(agent)
        await until_idle()
        assert (agent.state, collect.bodies, collect.mailbox_size()) == (state, [], 2)
        agent.resume() if hold == "suspend" else agent.wake_up()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert collect.bodies == ["a", "b"]
        await agent.stop()


async def test_a_suspended_agent_in_the_middle_of_something_stays():
    async with Container("c1") as c1:
        agent = await start(c1, Works())
        agent.suspend()
        with pytest.raises(
            MoveError, match="did not reach a resting point, as the agent is suspended; it is awaiting sleep"
        ):
            await quiesce(agent, None)
        assert agent.state is AgentState.SUSPENDED


# -- what may happen meanwhile ------------------------------------------------------------------------------


async def test_who_waited_for_room_gets_its_message_in_and_in_order():
    async with Container("c1", limits=Limits(mailbox=2)) as c1:
        collect = Collect()
        agent = await start(c1, collect)
        agent.suspend()

        class Fire(OneShotBehaviour):
            async def run(self):
                for number in range(6):
                    await self.send(Message(to="alice", body=str(number)))

        fire = Fire()
        await start(c1, fire, name="bob")
        await quiesce(agent, None)
        await until_idle()
        assert collect.mailbox_size() == 3  # two, and the one that waited for room; two more wait at the door
        assert [message.body for message in c1.dispatcher.held[ALICE].messages] == ["3", "4"]
        assert not fire.is_done()
        resume(agent)
        agent.resume()
        await until_idle()
        assert collect.bodies == [*"012345"]
        assert fire.is_done()


async def test_an_agent_that_is_killed_while_it_rests_ends_and_its_messages_are_dead_letters():
    async with Container("c1") as c1:
        ended = []

        class Ends(Collect):
            async def on_end(self):
                ended.append(self.mailbox_size())

        agent = await start(c1, Ends())
        await quiesce(agent, None)
        write(c1, "a", "b")
        await agent.stop()
        assert (agent.state, ended) == (AgentState.GONE, [0])
        assert [letter.message.body for letter in c1.dead_letters] == ["a", "b"]
        assert {letter.reason for letter in c1.dead_letters} == {
            "agent alice ended before it received the message"
        }
        assert not c1.dispatcher.held
        resume(agent)  # nothing


async def test_an_agent_that_ends_instead_of_coming_to_rest_is_told_so():
    async with Container("c1") as c1:
        agent = await start(c1, Works(2.0))
        resting = asyncio.ensure_future(quiesce(agent, None))
        await asyncio.sleep(0.5)
        await agent.stop()
        with pytest.raises(
            MoveError, match="alice does not move: it was stopped before it reached a resting point"
        ):
            await resting
        assert agent.state is AgentState.GONE


async def test_a_behaviour_that_is_killed_while_its_agent_rests_ends_when_it_goes_on():
    async with Container("c1") as c1:
        collect = Collect()
        agent = await start(c1, collect, Spins())
        await quiesce(agent, None)
        collect.kill()
        await asyncio.sleep(1)
        assert not collect.is_done()
        resume(agent)
        await collect.join()
        await agent.stop()


async def test_what_rests_takes_no_more_behaviours_and_what_comes_to_rest_does():
    class Adds(CyclicBehaviour):
        async def run(self):
            await asyncio.sleep(1)
            self.agent.add_behaviour(collect)

    async with Container("c1") as c1:
        collect = Collect()
        agent = await start(c1, Adds())
        await quiesce(agent, None)
        assert collect in agent.behaviours
        with pytest.raises(AgentStateError, match="alice is moving; add behaviours once it has arrived"):
            agent.add_behaviour(Collect())
        write(c1, "a")
        resume(agent)
        await asyncio.sleep(0.5)
        assert collect.bodies == ["a"]
        agent.end_at_once()
        await until_idle()


@pytest.mark.parametrize(
    ("call", "why"),
    [("suspend", "is transit, not active"), ("resume", "is transit, not suspended"), ("wait", "is transit")],
)
async def test_nobody_else_holds_or_releases_what_rests(call, why):
    async with Container("c1") as c1:
        agent = await start(c1, Collect())
        await quiesce(agent, None)
        with pytest.raises(AgentStateError, match=why):
            getattr(agent, call)()
        with pytest.raises(MoveError, match="agent alice is already about to move"):
            await quiesce(agent, None)
        resume(agent)


async def test_what_has_not_started_or_is_gone_does_not_rest():
    agent = Agent("alice")
    with pytest.raises(MoveError, match="alice has not started yet"):
        await quiesce(agent, None)
    async with Container("c1") as c1:
        await c1.start(agent)
        await agent.stop()
        with pytest.raises(MoveError, match="alice is gone"):
            await quiesce(agent, None)


async def test_tasks_of_a_behaviour_that_receive_are_named():
    class Delegates(OneShotBehaviour):
        async def run(self):
            self.task = asyncio.ensure_future(self.receive())
            await self.receive()

        async def on_end(self):
            self.task.cancel()

    async with Container("c1") as c1:
        agent = await start(c1, Delegates())
        await until_idle()
        with pytest.raises(
            MoveError, match="a task that its behaviour Delegates created is waiting for a message"
        ):
            await quiesce(agent, None)
        assert agent.state is AgentState.ACTIVE
        await agent.stop()
        await asyncio.sleep(0)


async def test_the_behaviour_that_asks_is_at_rest_by_that_but_not_at_its_end():
    class Asks(OneShotBehaviour):
        async def run(self):
            await quiesce(self.agent, own_strand(self.agent))
            self.state = self.agent.state
            resume(self.agent)

        async def on_end(self):
            with pytest.raises(MoveError, match=r"alice cannot move in the on_end\(\) of its behaviour"):
                await quiesce(self.agent, own_strand(self.agent))

    async with Container("c1") as c1:
        asks, collect = Asks(), Collect()
        agent = await start(c1, asks, collect)
        assert own_strand(agent) is None
        await asks.join()
        assert asks.state is AgentState.TRANSIT
        write(c1, "a")
        await until_idle()
        assert collect.bodies == ["a"]


async def test_instruments_are_told_of_each_message_once():
    class Notes(Instrument):
        def message_sent(self, message):
            seen.append(("sent", message.body))

        def message_delivered(self, message, receiver):
            seen.append(("delivered", message.body))

        def agent_moved(self, agent, destination):
            seen.append(("moved", destination))

        def agent_stopped(self, agent):
            seen.append(("stopped", agent.name))

    seen = []
    async with Container("c1") as c1:
        agent = await start(c1, Collect())
        write(c1, "a")
        await until_idle()
        c1.add_instrument(Notes())
        await quiesce(agent, None)
        write(c1, "b")
        assert seen == [("sent", "b")]
        resume(agent)
        assert seen == [("sent", "b"), ("delivered", "b")]
        await quiesce(agent, None)
        dissolve(agent, "c2.lab.localhost")
        assert seen[2:] == [("moved", "c2.lab.localhost")]
        await until_idle()


async def test_what_waits_for_an_agent_at_rest_is_seen_to_wait():
    class Watcher:
        receivers: ClassVar = {"alice"}

        def look(self, waiting):
            found.append(sorted(each.body for each in waiting.values() if isinstance(each, Message)))
            return 0

    found = []
    async with Container("c1") as c1:
        agent = await start(c1, Later())
        write(c1, "a")
        await quiesce(agent, None)
        write(c1, "b", "c")
        c1.dispatcher.waiting.look_at_once(Watcher())
        assert found == [["a", "b", "c"]]
        resume(agent)
        c1.dispatcher.waiting.look_at_once(Watcher())
        assert found == 2 * [["a", "b", "c"]]


# -- taking apart -------------------------------------------------------------------------------------------


async def test_what_is_taken_apart_ends_without_on_end_and_gives_back_all_that_it_did_not_receive():
    seen = []

    class Ends(Collect):
        async def run(self):
            try:
                await super().run()
            finally:
                seen.append("finally")

        async def on_end(self):
            seen.append("on_end")

    async with Container("c1") as c1:
        behaviour = Ends()
        agent = await start(c1, behaviour)
        agent.suspend()
        write(c1, *"ab")
        await quiesce(agent, None)
        write(c1, *"cd")
        unread = dissolve(agent, "c2.lab.localhost")
        assert [message.body for message in unread.messages] == [*"abcd"]
        assert unread.targets == ()
        await until_idle()
        assert (seen, behaviour.is_done(), c1.agents) == (["finally"], True, ())
        assert c1.dead_letters.total == 0
        write(c1, "e")
        assert [letter.message.body for letter in c1.dead_letters] == ["e"]


async def test_a_message_that_others_have_received_goes_on_for_those_who_have_not():
    async with Container("c1") as c1:
        fast, slow = Collect(), Later()
        slow.template = Template(performative="request")
        agent = await start(c1, fast, slow)
        send = c1.dispatcher.send_nowait
        send(Message(to="alice", body="a", performative="request", sender="bob@c1.lab.localhost"))
        await until_idle()
        agent.suspend()
        send(Message(to="alice", body="b", performative="request", sender="bob@c1.lab.localhost"))
        send(Message(to="alice", body="c", performative="inform", sender="bob@c1.lab.localhost"))
        send(Message(to="alice", body="d", performative="request", sender="eve@c1.lab.localhost"))
        await quiesce(agent, None)
        send(Message(to="alice", body="e", performative="inform", sender="bob@c1.lab.localhost"))
        unread = dissolve(agent, "c2.lab.localhost")
        assert [message.body for message in unread.messages] == [*"abcde"]
        assert unread.targets == (("bob@c1.lab.localhost", (1,)),)
        await until_idle()


async def test_the_old_object_says_where_the_agent_went():
    async with Container("c1") as c1:

        class Cleans(Collect):
            async def run(self):
                try:
                    await super().run()
                finally:
                    with pytest.raises(AgentStateError, match=r"alice@c1\.lab\.localhost has moved to c2\."):
                        await self.send(Message(to="bob"))
                    with pytest.raises(AgentStateError, match="has moved to c2"):
                        await self.receive()
                    said.append("both")

        said = []
        agent = await start(c1, Cleans())
        await quiesce(agent, None)
        dissolve(agent, "c2.lab.localhost")
        await until_idle()
        assert said == ["both"]
        for use in (
            agent.stop,
            lambda: agent.move("c3"),
            lambda: agent.behaviours[0].send(Message(to="bob")),
            agent.behaviours[0].receive,
        ):
            with pytest.raises(AgentStateError, match="has moved to c2"):
                await use()
        with pytest.raises(AgentStateError, match="has moved to c2"):
            agent.add_behaviour(Collect())
        assert agent.state is AgentState.TRANSIT


async def test_what_does_not_stop_to_work_where_its_agent_has_left_is_ended():
    class Stubborn(CyclicBehaviour):
        async def run(self):
            with suppress(asyncio.CancelledError):
                await self.receive()
            await asyncio.sleep(0)

    async with Container("c1") as c1:
        agent = await start(c1, Stubborn())
        await quiesce(agent, None)
        dissolve(agent, "c2.lab.localhost")
        await until_idle()
        assert agent.behaviours[0].is_done()


async def test_what_fails_or_hangs_on_its_way_out_is_logged(caplog):
    class Hangs(Collect):
        async def run(self):
            try:
                await super().run()
            finally:
                await asyncio.sleep(20)

    class Fails(Collect):
        async def run(self):
            try:
                await super().run()
            finally:
                raise ValueError("torn")

    async with Container("c1") as c1:
        agent = await start(c1, Hangs(), Fails())
        await quiesce(agent, None)
        dissolve(agent, "c2.lab.localhost")
        await asyncio.sleep(30)
        fails, hangs = (record.getMessage() for record in caplog.records)
        assert fails == "alice/Fails, whose agent has moved to c2.lab.localhost, failed"
        assert hangs.startswith(
            "alice/Hangs, whose agent has moved to c2.lab.localhost, did not end within 10 s"
        )


async def test_those_who_join_at_home_wait_on():
    async with Container("c1") as c1:
        agent = await start(c1, Collect())
        joined = asyncio.ensure_future(agent.join())
        await quiesce(agent, None)
        dissolve(agent, "c2.lab.localhost")
        late = asyncio.ensure_future(agent.join())
        await asyncio.sleep(100)
        assert not joined.done()
        assert not late.done()
        agent.ended_elsewhere()
        await asyncio.gather(joined, late)
        await c1.wait_until_finished()


async def test_those_who_join_elsewhere_are_told_where_it_went():
    async with Container("c1") as c1:
        agent = await start(c1, Collect())
        joined = asyncio.ensure_future(agent.join())
        await asyncio.sleep(0)
        await quiesce(agent, None)
        del c1.dispatcher.agents[agent.address]
        agent._address = "alice@c3.lab.localhost"
        c1.dispatcher.agents[agent.address] = agent
        c1.dispatcher.held[agent.address] = c1.dispatcher.held.pop(ALICE)
        dissolve(agent, "c2.lab.localhost")
        for join in (joined, agent.join()):
            with pytest.raises(AgentStateError, match=r"alice@c3\.lab\.localhost has moved to c2"):
                await join


async def hand_on_what_waits_for_room(c1, *behaviours, count):
    """Have a sender wait for room until its receiver has moved; return what arrived there."""
    arrived = []

    def deliver(message):
        arrived.append(message.body)

    class Fire(OneShotBehaviour):
        async def run(self):
            for number in range(count):
                await self.send(Message(to="alice", body=str(number)))

    agent = await start(c1, *behaviours)
    if not isinstance(behaviours[-1], Later):
        agent.suspend()
    fire = Fire()
    bob = await start(c1, fire, name="bob")
    await until_idle()
    bob.suspend()  # so that it does not get its message in when there is room
    await quiesce(agent, None)
    await until_idle()
    unread = dissolve(agent, "c2.lab.localhost")
    c1.dispatcher.routes[ALICE] = deliver
    bob.resume()
    await until_idle()
    assert fire.is_done()
    return [message.body for message in unread.messages], arrived


@pytest.mark.parametrize("behaviours", [1, 2])
async def test_who_waits_for_room_hands_its_message_on_to_where_the_agent_went(behaviours):
    async with Container("c1", limits=Limits(mailbox=2)) as c1:
        found = await hand_on_what_waits_for_room(c1, *(Collect() for _ in range(behaviours)), count=8)
        assert found == ([*"01"], [*"234567"])
        assert c1.dead_letters.total == 0


async def test_what_one_of_several_had_no_room_for_fails_to_its_sender():
    async with Container("c1", limits=Limits(mailbox=2)) as c1:
        collect = Collect()
        found = await hand_on_what_waits_for_room(c1, collect, Later(), count=3)
        assert (found, collect.bodies) == (([*"01"], []), [*"012"])
        letter = next(iter(c1.dead_letters))
        assert letter.message.body == "2"
        assert letter.reason == (
            "the mailbox of behaviour Later of agent alice had no room for it before the agent moved"
        )
