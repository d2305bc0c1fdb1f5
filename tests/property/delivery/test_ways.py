"""The short paths of messages behave like the long one.

Random programs run twice in virtual time: once as they are, and once with an instrument that does nothing, so
that every message takes the long path. Each agent sees the same in the same order, and the dead letters are
the same.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from hypothesis import example, given
from hypothesis import strategies as st

from formicary import (
    Agent,
    AgentState,
    Container,
    CyclicBehaviour,
    Instrument,
    Limits,
    Message,
    MicroAgent,
    Template,
)
from formicary.errors import FormicaryError
from formicary.testing import run_virtual, until_idle

NAMES = ("a", "b", "c")
FULL = tuple(f"{name}@c1.lab.localhost" for name in NAMES)
PERFORMATIVES = ("inform", "request", "cfp", "propose")
KINDS = ("waits", "looks", "two", "plain", "async", "yields", "raises")


def described(message):
    """Return what an agent can see of a message; several receivers as text."""
    return (str(message.to), message.sender, message.performative, message.body, message.in_reply_to)


class Waits(CyclicBehaviour):
    def __init__(self, seen, timeout=None):
        super().__init__()
        self.seen = seen
        self.timeout = timeout

    async def run(self):
        message = await self.receive(timeout=self.timeout)
        self.seen.append(message and described(message))
        if message is not None and message.performative == "request":
            await self.reply(message, body=message.body)
        elif message is not None and message.performative == "cfp":
            await asyncio.create_task(self.send(message.make_reply(performative="propose")))


class Plain(MicroAgent):
    def __init__(self, name, seen):
        super().__init__(name)
        self.seen = seen

    def handle(self, message):
        self.seen.append(described(message))
        if message.performative == "request":
            self.send_nowait(message.make_reply(body=message.body))


class Async(Plain):
    async def handle(self, message):
        self.seen.append(described(message))
        assert asyncio.current_task() is not None
        if message.performative in {"request", "cfp"}:
            await self.send(message.make_reply(body=message.body))


class Yields(Plain):
    async def handle(self, message):
        await asyncio.sleep(0.5 if message.performative == "cfp" else 0)
        self.seen.append(described(message))


class Raises(Plain):
    async def handle(self, message):
        self.seen.append(described(message))
        if message.performative == "request":
            asyncio.current_task().cancel()
            await asyncio.sleep(0)
        raise ValueError(message.body)


def make(kind, name, seen):
    """Make an agent."""
    micro = {"plain": Plain, "async": Async, "yields": Yields, "raises": Raises}
    if kind in micro:
        return micro[kind](name, seen)
    agent = Agent(name)
    if kind == "two":
        agent.add_behaviour(Waits(seen), Template(performative="inform"))
        agent.add_behaviour(Waits(seen, 3), Template(performative="request") | Template(performative="cfp"))
    else:
        agent.add_behaviour(Waits(seen, 2 if kind == "looks" else None))
    return agent


class Idle(Instrument):
    """Does nothing when told of every message."""


async def play(program, *, long_way):
    """Run a program; return what each agent saw, the dead letters, and what senders were told."""
    seen = {name: [] for name in (*NAMES, "asker")}
    told = []
    async with Container("c1", limits=Limits(mailbox=3, when_full="fail")) as container:
        if long_way:
            container.add_instrument(Idle())
        asker = Plain("asker", seen["asker"])
        await container.start(asker)
        living = {}
        kept = Message(to="a", body="kept", performative="inform")
        for step, *details in program:
            with suppress(FormicaryError):
                await act(step, details, container, living, asker, told, seen, kept)
        await until_idle()
        await asyncio.sleep(10)
        for agent in living.values():
            if isinstance(agent, Agent) and agent.state is AgentState.SUSPENDED:
                agent.resume()
        await until_idle()
        letters = container.dead_letters
        dead = [(letter.receiver, letter.reason, described(letter.message)) for letter in letters]
        assert kept.to == "a"  # what its sender keeps is as it was written
        return seen, dead, told


async def act(step, details, container, living, asker, told, seen, kept):  # noqa: PLR0917
    """Take one step of a program."""
    if step == "start":
        name, kind = details
        agent = make(kind, name, seen[name])
        await container.start(agent)
        living[name] = agent
    elif step == "stop" and details[0] in living:
        await living.pop(details[0]).stop()
    elif step == "suspend" and isinstance(agent := living.get(details[0]), Agent):
        (agent.resume if agent.state is AgentState.SUSPENDED else agent.suspend)()
    elif step == "wait":
        await asyncio.sleep(details[0])
    elif step == "send":
        send_twice(asker, told, *details)
    elif step == "keep":
        asker.send_nowait(kept)
    elif step == "instrument":
        watching = Idle()
        container.add_instrument(watching)
        await until_idle()
        container.remove_instrument(watching)


def send_twice(asker, told, to, performative, number):
    """Send the same message twice, and check that the sender's is unchanged."""
    message = Message(to=to, performative=performative, body=str(number), reply_with=str(number))
    for _ in range(2):
        try:
            asker.send_nowait(message)
        except FormicaryError as error:
            told.append(str(error))
    assert message.to == to


receivers = st.sampled_from(
    (*NAMES, *FULL, "nobody", ("a", "b"), ("b", "c", "a"), FULL[:2], ("a", "nobody"), "a@c1", "x@c9")
)
steps = st.one_of(
    st.tuples(st.just("start"), st.sampled_from(NAMES), st.sampled_from(KINDS)),
    st.tuples(st.just("stop"), st.sampled_from(NAMES)),
    st.tuples(st.just("suspend"), st.sampled_from(NAMES)),
    st.tuples(st.just("wait"), st.sampled_from((0, 0.7, 2.5))),
    st.tuples(st.just("send"), receivers, st.sampled_from(PERFORMATIVES), st.integers(0, 9)),
    st.tuples(st.just("send"), receivers, st.sampled_from(PERFORMATIVES), st.integers(0, 9)),
    st.tuples(st.just("keep")),
    st.tuples(st.just("wait"), st.just(0)),
    st.tuples(st.just("instrument")),
)


@given(st.lists(steps, max_size=25))
@example([("start", "a", "two"), ("send", "a", "inform", 1), ("stop", "a"), ("send", "a", "inform", 2)])
@example([("start", "a", "async"), ("send", "a", "cfp", 1), ("send", ("a", "b"), "cfp", 2), ("wait", 0)])
@example([("start", "a", "waits"), ("suspend", "a"), *[("send", "a", "inform", n) for n in range(4)]])
def test_every_way_does_the_same(program):
    short = run_virtual(play(program, long_way=False))
    assert short == run_virtual(play(program, long_way=True))
