"""Micro-agents: one method, no mailbox, no task."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, Deaf, do, reasons, start

from formicary import AgentState, Container, Limits, Message, MicroAgent
from formicary.errors import AgentStateError, ContainerClosedError, MailboxFullError
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


def now():
    return asyncio.get_running_loop().time()


class Note(MicroAgent):
    def __init__(self, name):
        super().__init__(name)
        self.bodies = []

    def handle(self, message):
        self.bodies.append(message.body)


class Slow(MicroAgent):
    def __init__(self, name):
        super().__init__(name)
        self.ends = []

    async def handle(self, message):
        await asyncio.sleep(float(message.body))
        self.ends.append((message.body, now()))


def sends(*bodies, to="m"):
    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to=to, body=body))

    return do(send)


async def run(agent, *bodies, seconds=100):
    async with Container("c1") as container:
        await container.start(agent)
        await start(container, "a", sends(*bodies))
        await asyncio.sleep(seconds)
        return reasons(container)


async def test_a_plain_handle_gets_each_message_in_order():
    note = Note("m")
    assert await run(note, *map(str, range(1000))) == []
    assert note.bodies == [str(number) for number in range(1000)]


async def test_messages_of_an_async_handle_may_overlap():
    slow = Slow("m")
    await run(slow, "3", "1", "2")
    assert slow.ends == [("1", 1), ("2", 2), ("3", 3)]


async def test_two_micro_agents_and_a_behaviour_talk():
    class Half(MicroAgent):
        def handle(self, message):
            number = int(message.body) // 2
            to = "other" if number > 1 else "asker"
            self.send_nowait(Message(to=to, body=str(number)))

    class Other(MicroAgent):
        async def handle(self, message):
            await asyncio.sleep(1)
            await self.send(message.make_reply(body=message.body))

    async def ask(behaviour):
        await behaviour.send(Message(to="half", body="64"))
        message = await behaviour.receive()
        return message.body, message.sender

    async with Container("c1") as container:
        await container.start(Half("half"))
        await container.start(Other("other"))
        asking = do(ask)
        await start(container, "asker", asking)
        await asking.join()
        assert (asking.result, now()) == (("1", "half@c1.lab.localhost"), 5)


@pytest.mark.parametrize("kind", ["plain", "async", "cancelled"])
async def test_an_exception_is_logged_reaches_who_joins_and_the_agent_lives_on(kind, caplog):
    class Plain(Note):
        def handle(self, message):
            super().handle(message)
            if message.body == "bad":
                raise ValueError("mine") if kind == "plain" else asyncio.CancelledError

    class Async(Note):
        async def handle(self, message):
            super().handle(message)
            await asyncio.sleep(0)
            if message.body == "bad":
                raise ValueError("mine")

    agent = Async("m") if kind == "async" else Plain("m")
    async with Container("c1") as container:
        await container.start(agent)
        joining = asyncio.create_task(agent.join())
        await start(container, "a", sends("bad", "good"))
        await until_idle()
        assert (agent.bodies, agent.state) == (["bad", "good"], AgentState.ACTIVE)
        with pytest.raises(asyncio.CancelledError if kind == "cancelled" else ValueError):
            await joining
    assert "handle() of agent m raised an exception" in caplog.text


@pytest.mark.parametrize("nonsense", [7, "text", [], 0])
async def test_a_handle_that_returns_something_is_an_error(nonsense, caplog):
    class Odd(MicroAgent):
        def handle(self, message):
            return nonsense

    agent = Odd("m")
    await run(agent, "x")
    sentence = f"handle\\(\\) of agent m returned {type(nonsense).__name__}; it must return None"
    with pytest.raises(AgentStateError, match=sentence):
        await agent.join()
    assert "AgentStateError" in caplog.text


async def test_a_micro_agent_without_handle_says_so():
    agent = MicroAgent("m")
    await run(agent, "x")
    with pytest.raises(NotImplementedError, match="MicroAgent has no handle"):
        await agent.join()


async def test_send_nowait_raises_where_a_mailbox_is_full_and_the_other_receivers_have_the_message():
    caught = []

    class Pass(MicroAgent):
        def handle(self, message):
            try:
                self.send_nowait(Message(to=("deaf", "collect"), body=message.body))
            except MailboxFullError as error:
                caught.append(str(error))

    async with Container("c1", limits=Limits(mailbox=1)) as container:
        collect = Collect()
        await start(container, "deaf", Deaf())
        await start(container, "collect", collect)
        await container.start(Pass("m"))
        await start(container, "a", sends("x", "y"))
        await until_idle()
        assert caught == ["the mailbox of behaviour Deaf of agent deaf is full"]
        assert collect.bodies == ["x", "y"]
        assert [letter.message.body for letter in container.dead_letters] == ["y"]


async def test_send_nowait_raises_where_the_queue_is_full():
    async with Container("c1", limits=Limits(micro_agents=3)) as container:
        note, other = Note("m"), Note("n")
        await container.start(note)
        await container.start(other)
        for number in range(3):
            other.send_nowait(Message(to="m", body=str(number)))
        with pytest.raises(MailboxFullError, match="micro-agent m "):
            other.send_nowait(Message(to="m", body="3"))
        await until_idle()
        assert note.bodies == ["0", "1", "2"]
        other.send_nowait(Message(to="m", body="4"))
        await until_idle()
        assert note.bodies[-1] == "4"


async def test_send_waits_where_the_queue_is_full():
    async with Container("c1", limits=Limits(micro_agents=3)) as container:
        note = Note("m")
        await container.start(note)
        await start(container, "a", sends(*map(str, range(50))))
        await start(container, "b", sends(*map(str, range(50))))
        await until_idle()
        assert len(note.bodies) == 100
        assert reasons(container) == []


async def test_who_waits_for_room_goes_on_when_the_messages_that_filled_the_queue_are_dead():
    async with Container("c1", limits=Limits(micro_agents=2)) as container:
        note = Note("m")
        await container.start(note)

        async def fill(behaviour):
            for body in "xyz":
                await behaviour.send(Message(to="m", body=body))
                if body == "y":
                    behaviour.agent.add_behaviour(do(stop))

        async def stop(behaviour):
            await note.stop()

        sending = do(fill)
        await start(container, "a", sending)
        await sending.join()
        await until_idle()
        assert len(reasons(container)) + len(note.bodies) == 3


async def test_send_nowait_reaches_other_containers():
    network = MemoryNetwork(delay=1)
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        here, there = Note("m"), Note("m")
        await c1.start(here)
        await c2.start(there)
        here.send_nowait(Message(to="m@c2", body="x"))
        await asyncio.sleep(2)
        assert there.bodies == ["x"]
        network.cut()
        with pytest.raises(MailboxFullError):
            here.send_nowait(Message(to="m@c2", body="y"))
        network.heal()


async def test_stopped_with_messages_waiting_those_are_dead_letters():
    async with Container("c1") as container:
        note, other = Note("m"), Note("n")
        await container.start(note)
        await container.start(other)
        for to in ("m", "n", "m"):
            other.send_nowait(Message(to=to, body=to))
        await note.stop()
        await note.stop()
        assert note.state is AgentState.GONE
        await until_idle()
        assert (note.bodies, other.bodies[0]) == ([], "n")
        assert reasons(container) == ["agent m ended before it handled the message"] * 2
        await note.join()


async def test_stopped_while_its_handle_awaits_that_is_cancelled():
    async with Container("c1") as container:
        slow = Slow("m")
        await container.start(slow)
        await start(container, "a", sends("100"))
        await until_idle()
        await slow.stop()
        assert slow.ends == []
        assert {task.get_name() for task in asyncio.all_tasks()} & {"m/handle"} == set()


async def test_it_may_stop_itself_from_its_handle():
    class Last(MicroAgent):
        async def handle(self, message):
            await self.stop()
            await asyncio.sleep(1)
            ends.append(now())

    ends = []
    agent = Last("m")
    async with Container("c1") as container:
        await container.start(agent)
        await start(container, "a", sends("x"))
        await agent.join()
        await asyncio.sleep(2)
    assert ends == [1]


async def test_an_exit_leaves_no_handle_behind_and_messages_to_them_are_dead_letters():
    class Late(Collect):
        async def on_end(self):
            await self.send(Message(to="note", body="late"))

    async with Container("c1") as container:
        slow, note = Slow("m"), Note("note")
        await container.start(slow)
        await container.start(note)
        await start(container, "b", Late())
        await start(container, "a", sends("100"))
        await until_idle()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert slow.ends == []
    assert note.bodies + [letter.message.body for letter in container.dead_letters] == ["late"]


async def test_before_it_is_started_it_cannot_send():
    agent = Note("m")
    with pytest.raises(ContainerClosedError, match=r"container.start\(\) it first"):
        await agent.send(Message(to="b"))
    with pytest.raises(ContainerClosedError, match="m is not in a container"):
        agent.send_nowait(Message(to="b"))


async def test_its_sender_is_the_truth():
    collect = Collect()
    async with Container("c1") as container:
        await start(container, "b", collect)
        note = Note("m")
        await container.start(note)
        forged = Message(to="b", sender="ams@c1.lab.localhost")
        note.send_nowait(forged)
        await note.send(forged)
        await until_idle()
    assert [message.sender for message in collect.messages] == ["m@c1.lab.localhost"] * 2
    assert forged.sender == "ams@c1.lab.localhost"


@pytest.mark.parametrize("turns", range(6))
async def test_a_message_whose_async_handle_has_not_begun_when_it_is_stopped_is_a_dead_letter(turns):
    begun = []

    class Begin(MicroAgent):
        async def handle(self, message):
            begun.append(message.body)
            await asyncio.sleep(10)

    async with Container("c1") as container:
        agent, other = Begin("m"), Note("n")
        await container.start(agent)
        await container.start(other)
        for body in "xy":
            other.send_nowait(Message(to="m", body=body))
        for _ in range(turns):
            await asyncio.sleep(0)
        await agent.stop()
        dead = [letter.message.body for letter in container.dead_letters if letter.message.body in "xy"]
        assert begun + dead == ["x", "y"]


async def test_an_async_handle_sees_a_task_of_its_own_from_its_first_step_on():
    seen = []

    class Looks(MicroAgent):
        async def handle(self, message):
            for _ in range(2):
                task = asyncio.current_task()
                seen.append((task.get_name(), "Looks.handle" in repr(task.get_coro()), message.body))
                await asyncio.sleep(0)

    await run(Looks("m"), "one", "two")
    assert sorted(seen) == [("m/handle", True, "one")] * 2 + [("m/handle", True, "two")] * 2
