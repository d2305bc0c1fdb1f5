"""Behaviours are tasks to asyncio."""

from __future__ import annotations

import asyncio
import contextvars

import pytest
from tests.unit.core.agents import Collect, do, start

from formicary import AgentState, Container, Message, MicroAgent
from formicary.core.answer import Answer
from formicary.testing import run_virtual, until_idle

variable = contextvars.ContextVar("variable", default="default")


@pytest.mark.virtual_clock
async def test_a_behaviour_is_the_current_task_while_it_runs_and_among_all_tasks_until_it_ends():
    async def look(behaviour):
        task = asyncio.current_task()
        await asyncio.sleep(1)
        assert asyncio.current_task() is task
        assert task in asyncio.all_tasks()
        return task

    async with Container("c1") as container:
        one, two = do(look), do(look)
        own = asyncio.current_task()
        await start(container, "a", one, two)
        assert {task.get_name() for task in asyncio.all_tasks() - {own}} == {"a/Do"}
        assert asyncio.current_task() is own
        await one.join()
        await two.join()
        assert asyncio.current_task() is own
        assert one.result is not two.result
        assert asyncio.all_tasks() == {own}
        task = one.result
        assert task.done()
        assert task.get_coro().__qualname__ == "Behaviour.main_coroutine"
        assert not task.cancel()
        assert "Strand" in repr(task)
        task.set_name("other")
        assert task.get_name() == "other"
        for change in (task.set_result, task.set_exception):
            with pytest.raises(RuntimeError, match="its coroutine's"):
                change(None)


@pytest.mark.virtual_clock
async def test_plain_handles_of_micro_agents_are_no_task_and_async_ones_are():
    seen = {}

    class Plain(MicroAgent):
        def handle(self, message):
            seen["plain"] = asyncio.current_task()

    class Async(MicroAgent):
        async def handle(self, message):
            await asyncio.sleep(1)
            seen["async"] = asyncio.current_task().get_name()

    async with Container("c1") as container:
        await container.start(Plain("plain"))
        await container.start(Async("async"))
        await start(container, "a", do(lambda b: b.send(Message(to=("plain", "async")))))
        await asyncio.sleep(2)
    assert seen == {"plain": None, "async": "async/handle"}


@pytest.mark.virtual_clock
async def test_behaviours_do_not_see_each_others_context():
    async def change(behaviour):
        seen = [variable.get()]
        variable.set(behaviour.agent.name)
        await asyncio.sleep(1)
        seen.append(variable.get())
        return seen

    variable.set("outside")
    async with Container("c1") as container:
        one, two = do(change), do(change)
        await start(container, "one", one)
        variable.set("changed")
        await start(container, "two", two)
        await asyncio.sleep(2)
        assert one.result == ["outside", "one"]
        assert two.result == ["changed", "two"]
        assert variable.get() == "changed"


@pytest.mark.virtual_clock
async def test_micro_agents_see_the_context_of_their_container_whoever_writes():
    seen = []

    class Look(MicroAgent):
        def handle(self, message):
            seen.append(variable.get())

    async def send(behaviour):
        variable.set("sender")
        await behaviour.send(Message(to="look"))
        await asyncio.sleep(1)
        await behaviour.send(Message(to="look"))

    variable.set("outside")
    async with Container("c1") as container:
        await container.start(Look("look"))
        await start(container, "a", do(send))
        await asyncio.sleep(2)
    assert seen == ["outside", "outside"]


@pytest.mark.virtual_clock
async def test_a_behaviour_awaits_futures_tasks_threads_events_and_locks():
    loop = asyncio.get_running_loop()

    async def wait(behaviour):
        future = loop.create_future()
        loop.call_later(1, future.set_result, "future")
        failing = loop.create_future()
        loop.call_later(1, failing.set_exception, ValueError("mine"))
        done = loop.create_future()
        done.set_result("done")
        found = [await future, await done, await asyncio.create_task(asyncio.sleep(1, "task"))]
        found.append(await asyncio.to_thread(lambda: "thread"))
        with pytest.raises(ValueError, match="mine"):
            await failing
        async with asyncio.Lock():
            found.append(await asyncio.wait_for(asyncio.shield(asyncio.sleep(1, "shield")), 2))
        found += await asyncio.gather(asyncio.sleep(1, "one"), asyncio.sleep(2, "two"))
        return found

    async with Container("c1") as container:
        behaviour = do(wait)
        await start(container, "a", behaviour)
        await behaviour.join()
    assert behaviour.result == ["future", "done", "task", "thread", "shield", "one", "two"]


class Yields:
    def __init__(self, value):
        self.value = value

    def __await__(self):
        yield self.value


@pytest.mark.virtual_clock
async def test_what_asyncio_cannot_wait_for_is_an_error():
    other = asyncio.new_event_loop()
    foreign = other.create_future()

    async def wait(behaviour):
        await Yields(behaviour.wanted)

    async def wait_for_itself(behaviour):
        await asyncio.current_task()

    async def wait_for_foreign(behaviour):
        await foreign

    try:
        async with Container("c1") as container:
            for function, wanted, why in [
                (wait, 7, "awaited 7, which asyncio cannot wait for"),
                (wait, asyncio.get_running_loop().create_future(), "cannot wait for"),
                (wait_for_itself, None, "cannot wait for"),
                (wait_for_foreign, None, "belongs to another loop"),
            ]:
                behaviour = do(function)
                behaviour.wanted = wanted
                agent = await start(container, "a", behaviour)
                with pytest.raises(RuntimeError, match=why):
                    await behaviour.join()
                await agent.stop()
    finally:
        other.close()


@pytest.mark.virtual_clock
async def test_a_behaviour_that_ends_lets_nobody_see_it_as_current_task():
    async def fail(behaviour):
        raise ValueError("mine")

    async with Container("c1") as container:
        for function in (fail, lambda behaviour: asyncio.sleep(0)):
            agent = await start(container, "a", do(function))
            future = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(lambda f=future: f.set_result(asyncio.current_task()))
            assert await future is None
            await agent.stop()


@pytest.mark.virtual_clock
async def test_shield_and_groups_work_on_behaviours_of_others():
    async with Container("c1") as container:
        collect = Collect()
        await start(container, "a", collect)
        await until_idle()
        (strand,) = asyncio.all_tasks() - {asyncio.current_task()}
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(strand), 1)
        assert not strand.done()
        done, pending = await asyncio.wait([strand], timeout=1)
        assert (done, pending) == (set(), {strand})
        strand.cancel("why")
        with pytest.raises(asyncio.CancelledError, match="why"):
            await strand


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_out_of_a_behaviour_ends_the_program(error, caplog):
    agents = []

    async def interrupt(behaviour):
        await asyncio.sleep(1)
        raise error("mine")

    async def main():
        async with Container("c1") as container:
            agents.append(await start(container, "first", Collect()))
            agents.append(await start(container, "second", Collect(), do(interrupt)))
            await asyncio.sleep(100)

    with pytest.raises(error, match="mine"):
        run_virtual(main())
    assert [agent.state for agent in agents] == [AgentState.GONE] * 2
    assert (
        f"closing container c1: second/Do raised {error('mine')!r} at test_task_like_strand.py:"
        in caplog.text
    )


@pytest.mark.virtual_clock
async def test_what_waits_can_be_cancelled_at_once_and_what_does_not_cannot():
    ended = []

    async def answer(behaviour):
        try:
            behaviour.answer = Answer(loop=asyncio.get_running_loop())
            await behaviour.answer
        finally:
            ended.append(asyncio.current_task())

    async def sleep(behaviour):
        await asyncio.sleep(10)

    async def cancel_another(behaviour):
        return waiting.mailbox.strand.cancel_at_once()

    class Waits(Collect):
        async def run(self):
            try:
                await super().run()
            finally:
                ended.append(asyncio.current_task())
                await asyncio.sleep(1)

    async with Container("c1") as container:
        waiting, answering, sleeping, held = Waits(), do(answer), do(sleep), Collect()
        await start(container, "a", waiting, answering, sleeping, held)
        await until_idle()
        asks = do(cancel_another)
        await start(container, "b", asks)
        await asks.join()
        assert not asks.result  # as a strand runs
        own, strands = asyncio.current_task(), [each.mailbox.strand for each in (waiting, answering)]
        held.mailbox.strand.hold()
        for behaviour in (waiting, answering, held):
            assert behaviour.mailbox.strand.cancel_at_once()
            assert asyncio.current_task() is own
        assert ended == strands
        assert [each.mailbox.strand.done() for each in (waiting, answering, held)] == [False, True, True]
        assert answering.answer.cancelled()
        assert not sleeping.mailbox.strand.cancel_at_once()
        assert not waiting.mailbox.strand.cancel_at_once()
        await asyncio.sleep(2)
        assert waiting.mailbox.strand.cancelled()
        await sleeping.agent.stop()


@pytest.mark.virtual_clock
async def test_what_has_not_begun_is_cancelled_at_once_without_running():
    ran = []

    async def run(behaviour):
        ran.append(behaviour)

    async with Container("c1") as container:
        behaviour = do(run)
        await start(container, "a", behaviour)
        strand = behaviour.mailbox.strand
        strand.hold()
        await until_idle()
        assert not strand.has_begun
        assert strand.cancel_at_once()
        assert strand.cancelled()
        strand.release(behaviour.mailbox.next)
        await until_idle()
        assert not ran
