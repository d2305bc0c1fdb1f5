"""Receiving: with and without a timeout, in tasks, and cancelled in every way, with no message lost."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from tests.unit.core.agents import Collect, do, reasons, start

from formicary import Container, Message, Template
from formicary.errors import AgentStateError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


def now():
    return asyncio.get_running_loop().time()


async def tell(container, *bodies, to="b", **parameters):
    """Have a new agent send these, and end."""

    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to=to, body=body, **parameters))
        await behaviour.agent.stop()

    agent = await start(container, "teller", do(send))
    await agent.join()


async def run(function, *bodies, later=()):
    """Run a behaviour's function in a container; others send it messages now and in a second."""
    async with Container("c1") as container:
        behaviour = do(function)
        await start(container, "b", behaviour)
        await until_idle()
        await tell(container, *bodies)
        if later:
            await asyncio.sleep(1)
            await tell(container, *later)
        await behaviour.join()
        assert reasons(container) == []
        return behaviour.result


async def test_receive_waits_for_any_time():
    async def wait(behaviour):
        return (await behaviour.receive()).body, now()

    assert await run(wait, later=["x"]) == ("x", 1)


async def test_messages_come_in_the_order_in_which_they_were_sent():
    async def take(behaviour):
        return [(await behaviour.receive()).body for _ in range(100)]

    bodies = [str(number) for number in range(100)]
    assert await run(take, *bodies[:50], later=bodies[50:]) == bodies


@pytest.mark.parametrize("seconds", [0.25, 0, -1])
async def test_a_timeout_without_a_message_gives_none(seconds):
    async def wait(behaviour):
        return await behaviour.receive(timeout=seconds), now()

    assert await run(wait) == (None, max(seconds, 0))


async def test_a_timeout_with_a_message_gives_it_and_leaves_no_timer():
    async def wait(behaviour):
        first = await behaviour.receive(timeout=50)
        second = await behaviour.receive(timeout=50)
        return first.body, second.body, await behaviour.receive(timeout=1), now()

    assert await run(wait, "x", later=["y"]) == ("x", "y", None, 2)


async def test_a_timeout_of_zero_looks():
    async def look(behaviour):
        found = [await behaviour.receive(timeout=0)]
        await asyncio.sleep(1)
        found += [await behaviour.receive(timeout=0) for _ in range(3)]
        return [message and message.body for message in found]

    assert await run(look, "x", "y") == [None, "x", "y", None]


async def test_who_only_looks_does_not_starve_who_would_send():
    async def look(behaviour):
        while (message := await behaviour.receive(timeout=0)) is None:
            pass
        return message.body

    async with Container("c1") as container:
        behaviour = do(look)
        await start(container, "b", behaviour)
        await tell(container, "x")
        await behaviour.join()
        assert behaviour.result == "x"


# -- cancelled: no message is lost ------------------------------------------------------------------------


async def give_up_with_timeout(behaviour, taken):
    with suppress(TimeoutError):
        async with asyncio.timeout(0.5):
            taken.append(await behaviour.receive())


async def give_up_with_wait_for(behaviour, taken):
    with suppress(TimeoutError):
        taken.append(await asyncio.wait_for(behaviour.receive(), 0.5))


async def give_up_in_task(behaviour, taken):
    task = asyncio.create_task(behaviour.receive())
    await asyncio.sleep(0.5)
    task.cancel()
    with suppress(asyncio.CancelledError):
        taken.append(await task)


async def fail():
    await asyncio.sleep(0.5)
    raise ValueError


async def give_up_in_group(behaviour, taken):
    task = None
    with suppress(ValueError, ExceptionGroup):
        async with asyncio.TaskGroup() as group:
            task = group.create_task(behaviour.receive())
            group.create_task(fail())
    if not task.cancelled():
        taken.append(task.result())


async def give_up_beside_group(behaviour, taken):
    with suppress(ValueError, ExceptionGroup):
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            taken.append(await behaviour.receive())


async def give_up_in_gather(behaviour, taken):
    tasks = [asyncio.create_task(behaviour.receive()) for _ in range(2)]
    gathered = asyncio.gather(*tasks)
    await asyncio.sleep(0.5)
    gathered.cancel()
    with suppress(asyncio.CancelledError):
        await gathered
    taken += [task.result() for task in tasks if not task.cancelled()]


WAYS = [
    give_up_with_timeout,
    give_up_with_wait_for,
    give_up_in_task,
    give_up_in_group,
    give_up_beside_group,
    give_up_in_gather,
]


@pytest.mark.parametrize("give_up", WAYS)
async def test_after_a_cancelled_receive_the_next_one_gets_the_message(give_up):
    async def receive(behaviour):
        taken = []
        await give_up(behaviour, taken)
        assert taken == []
        return [(await behaviour.receive()).body for _ in range(3)], now()

    assert await run(receive, later=["x", "y", "z"]) == (["x", "y", "z"], 1)


@pytest.mark.parametrize("give_up", WAYS)
@pytest.mark.parametrize("turns", range(8))
async def test_a_message_that_arrives_in_the_turn_of_the_cancellation_is_not_lost(give_up, turns):
    taken = []

    async def receive(behaviour):
        await give_up(behaviour, taken)
        while True:
            taken.append(await behaviour.receive())

    async def send(behaviour):
        await asyncio.sleep(0.5)
        for _ in range(turns):
            await asyncio.sleep(0)
        await behaviour.send(Message(to="b", body="x"))
        await behaviour.send(Message(to="b", body="y"))

    async with Container("c1") as container:
        await start(container, "b", do(receive))
        await start(container, "a", do(send))
        await asyncio.sleep(2)
        assert [message.body for message in taken] == ["x", "y"]
        assert reasons(container) == []


async def test_a_message_in_flight_when_the_receiver_is_cancelled_is_received_next():
    async def receive(behaviour):
        task = asyncio.current_task()
        behaviour.set("task", task)
        try:
            await behaviour.receive()
        except asyncio.CancelledError:
            task.uncancel()
        return [(await behaviour.receive()).body for _ in range(2)]

    async with Container("c1") as container:
        behaviour = do(receive)
        agent = await start(container, "b", behaviour)
        await until_idle()

        async def send(sender):
            await sender.send(Message(to="b", body="x"))
            agent.get("task").cancel()
            await sender.send(Message(to="b", body="y"))

        await start(container, "a", do(send))
        await behaviour.join()
        assert behaviour.result == ["x", "y"]


# -- in tasks of the behaviour ----------------------------------------------------------------------------


async def test_tasks_of_a_behaviour_share_its_messages():
    async def share(behaviour):
        tasks = [asyncio.create_task(behaviour.receive()) for _ in range(3)]
        own = await behaviour.receive()
        return sorted([own.body, *[message.body for message in await asyncio.gather(*tasks)]])

    assert await run(share, "1", "2", later=["3", "4"]) == ["1", "2", "3", "4"]


async def test_a_timeout_in_a_task_gives_none():
    async def wait(behaviour):
        first = await asyncio.create_task(behaviour.receive(timeout=0.5))
        second = await asyncio.create_task(behaviour.receive(timeout=5))
        return first, second.body, now()

    assert await run(wait, later=["x"]) == (None, "x", 1)


async def test_a_message_given_back_goes_to_a_task_that_waits():
    async def share(behaviour):
        own = asyncio.current_task()
        task = asyncio.create_task(behaviour.receive())
        await asyncio.sleep(0)
        behaviour.set("own", own)
        try:
            await behaviour.receive()
        except asyncio.CancelledError:
            own.uncancel()
        return (await task).body

    async with Container("c1") as container:
        behaviour = do(share)
        agent = await start(container, "b", behaviour)
        await until_idle()

        async def send(sender):
            await sender.send(Message(to="b", body="x"))
            agent.get("own").cancel()

        await start(container, "a", do(send))
        await behaviour.join()
        assert behaviour.result == "x"


async def test_a_task_that_receives_ends_with_its_behaviour():
    tasks = []

    async def leave(behaviour):
        tasks.append(asyncio.create_task(behaviour.receive()))
        await asyncio.sleep(1)

    async with Container("c1") as container:
        behaviour = do(leave)
        await start(container, "b", behaviour)
        await behaviour.join()
        await until_idle()
        assert tasks[0].cancelled()
        with pytest.raises(AgentStateError, match="has ended and no longer receives"):
            await asyncio.create_task(behaviour.receive())


# -- templates --------------------------------------------------------------------------------------------


async def test_a_behaviour_receives_what_its_template_matches():
    async with Container("c1") as container:
        requests, informs, all_of_it = Collect(), Collect(), Collect()
        agent = await start(container, "b")
        agent.add_behaviour(requests, Template(performative="request"))
        informs.template = Template(performative="inform")
        agent.add_behaviour(informs)
        await tell(container, "r", performative="request")
        await tell(container, "i", performative="inform")
        await until_idle()
        assert (requests.bodies, informs.bodies) == (["r"], ["i"])
        agent.add_behaviour(all_of_it)
        await tell(container, "s", performative="request")
        await until_idle()
        assert (requests.bodies, informs.bodies, all_of_it.bodies) == (["r", "s"], ["i"], ["s"])


@pytest.mark.parametrize("behaviours", [0, 1, 2])
async def test_a_message_that_matches_no_behaviour_is_a_dead_letter(behaviours):
    async with Container("c1") as container:
        agent = await start(container, "b")
        for _ in range(behaviours):
            agent.add_behaviour(Collect(), Template(thread="other"))
        await tell(container, "x")
        assert reasons(container) == ["no behaviour of agent b takes such a message"]


@pytest.mark.parametrize(
    ("said", "wanted", "meant"),
    [
        ("requets", ["request", "cfp"], "request"),
        ("REQUEST", ["request"], "request"),
        ("request", ["Request"], "Request"),
        ("subscribe", ["request"], None),
        ("request", ["request"], None),
        (None, ["request"], None),
    ],
)
async def test_a_performative_that_is_nearly_wanted_is_said(said, wanted, meant):
    async with Container("c1") as container:
        agent = await start(container, "b")
        for each in wanted:
            own = Template(performative=each)
            agent.add_behaviour(Collect(), (own | own) & Template(thread="t"))
        await tell(container, "x", performative=said)
        why = f": its performative is {said!r}, did you mean {meant!r}?" if meant else ""
        assert reasons(container) == [f"no behaviour of agent b takes such a message{why}"]


async def test_a_behaviour_that_cancels_itself_notices_when_it_receives():
    async def cancel(behaviour):
        task = asyncio.current_task()
        task.cancel("mine")
        with pytest.raises(asyncio.CancelledError, match="mine"):
            await behaviour.receive()
        assert task.uncancel() == 0
        return (await behaviour.receive()).body

    assert await run(cancel, later=["x"]) == "x"


async def test_a_cancellation_that_is_taken_back_before_it_is_noticed_did_not_happen():
    async def change_its_mind(behaviour):
        task = asyncio.current_task()
        task.cancel()
        assert task.uncancel() == 0
        return (await behaviour.receive()).body

    assert await run(change_its_mind, later=["x"]) == "x"
