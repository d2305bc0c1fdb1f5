"""Nobody starves the rest, and nothing recurses."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, Echo, do, start

from formicary import Container, CyclicBehaviour, Limits, Message, MicroAgent


class Forever(MicroAgent):
    def __init__(self, name):
        super().__init__(name)
        self.handled = 0

    def handle(self, message):
        self.handled += 1
        self.send_nowait(message.make_reply())


class Flood(CyclicBehaviour):
    """Sends without end to an address."""

    def __init__(self, to):
        super().__init__()
        self.to = to
        self.sent = 0

    async def run(self):
        while True:
            await self.send(Message(to=self.to))
            self.sent += 1


class Spin(CyclicBehaviour):
    """Never waits."""

    spins = 0

    async def run(self):
        self.spins += 1


class Ball(CyclicBehaviour):
    """Answers each message; counts."""

    def __init__(self, *, serve=None):
        super().__init__()
        self.serve = serve
        self.hits = 0

    async def on_start(self):
        if self.serve:
            await self.send(Message(to=self.serve))

    async def run(self):
        await self.reply(await self.receive())
        self.hits += 1


async def others_go_on(container):
    """Let an ordinary exchange take place, a task run and a timer fire, beside what the test has started."""

    async def ask(behaviour):
        for number in range(10):
            await behaviour.send(Message(to="echo", body=str(number)))
            assert (await behaviour.receive()).body == str(number)

    asking = do(ask)
    await start(container, "echo", Echo())
    await start(container, "asker", asking)
    await asking.join()
    await asyncio.sleep(0.01)
    done = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.01, done.set_result, None)
    await done


async def test_two_micro_agents_that_answer_each_other_for_ever():
    async with Container("c1") as container:
        one, two = Forever("one"), Forever("two")
        await container.start(one)
        await container.start(two)
        one.send_nowait(Message(to="two"))
        await others_go_on(container)
        assert min(one.handled, two.handled) > 100


async def test_two_behaviours_that_answer_each_other_for_ever():
    async with Container("c1") as container:
        balls = Ball(), Ball(serve="left")
        await start(container, "left", balls[0])
        await start(container, "right", balls[1])
        await others_go_on(container)
        assert min(ball.hits for ball in balls) > 100


async def test_a_behaviour_that_floods_another():
    async with Container("c1") as container:
        collect, flood = Collect(), Flood("b")
        await start(container, "b", collect)
        await start(container, "a", flood)
        await others_go_on(container)
        assert flood.sent > 1000
        assert len(collect.messages) > 100


async def test_a_behaviour_that_floods_a_micro_agent():
    async with Container("c1", limits=Limits(micro_agents=100)) as container:
        handled = []

        class Sink(MicroAgent):
            def handle(self, message):
                handled.append(message)

        await container.start(Sink("b"))
        flood = Flood("b")
        await start(container, "a", flood)
        await others_go_on(container)
        assert flood.sent >= len(handled) > 100


async def test_a_behaviour_that_floods_nobody():
    async with Container("c1") as container:
        flood = Flood("nobody")
        await start(container, "a", flood)
        await others_go_on(container)
        assert flood.sent > 10


async def test_behaviours_that_never_wait():
    async with Container("c1") as container:
        spins = [Spin() for _ in range(10)]
        await start(container, "a", *spins)
        await others_go_on(container)
        assert min(spin.spins for spin in spins) > 0


async def test_a_behaviour_whose_messages_never_end_and_who_only_looks():
    class Look(CyclicBehaviour):
        async def run(self):
            await self.receive(timeout=0)

    async with Container("c1") as container:
        await start(container, "b", Look())
        await start(container, "a", Flood("b"))
        await others_go_on(container)


async def test_many_pairs_advance_alike():
    async with Container("c1") as container:
        balls = []
        for number in range(400):  # more than one turn of the loop takes
            left, right = Ball(), Ball(serve=f"left{number}")
            balls += [left, right]
            await start(container, f"left{number}", left)
            await start(container, f"right{number}", right)
        while sum(ball.hits for ball in balls) < 8000:  # noqa: ASYNC110 -- there is nothing to be told of
            await asyncio.sleep(0)
        hits = [ball.hits for ball in balls]
        assert max(hits) - min(hits) <= 2 + max(hits) // 4


@pytest.mark.virtual_clock
async def test_a_chain_of_micro_agents_does_not_recurse():
    count = 5000

    class Link(MicroAgent):
        def handle(self, message):
            number = int(self.name)
            if number + 1 < count:
                self.send_nowait(Message(to=str(number + 1), body=message.body))
            else:
                seen.append(message.body)

    seen = []
    async with Container("c1") as container:
        for number in range(count):
            await container.start(Link(str(number)))
        await start(container, "a", do(lambda behaviour: behaviour.send(Message(to="0", body="x"))))
        await asyncio.sleep(1)
    assert seen == ["x"]
