"""Behaviours in threads of their own."""

from __future__ import annotations

import asyncio
import threading

import pytest

from formicary import (
    Agent,
    Container,
    CyclicBehaviour,
    Limits,
    Message,
    OneShotBehaviour,
    Template,
    ThreadBehaviour,
)
from formicary.container import lifecycle
from formicary.errors import AgentStateError, DefinitionError, MailboxFullError


class Echo(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.reply(message, body=f"{message.body}!")


class Asks(ThreadBehaviour):
    """Asks three times, and notes what it does, and where."""

    def __init__(self):
        super().__init__()
        self.log = []

    def note(self, what):
        self.log.append((what, threading.current_thread().name))

    def on_start(self):
        self.note("started")

    def run(self):
        for number in range(3):
            self.send(Message(to="echo", body=str(number)))
            self.note(self.receive().body)

    def on_end(self):
        self.note("ended")


class Receives(ThreadBehaviour):
    """Receives for ever."""

    def __init__(self):
        super().__init__()
        self.got = []
        self.end = None

    def run(self):
        while True:
            message = self.receive()
            self.got.append(message.body)
            self.reply(message, body="ok")

    def on_end(self):
        self.send(Message(to="echo", body="farewell"))
        self.end = self.receive(timeout=100)


class Blocks(ThreadBehaviour):
    def __init__(self):
        super().__init__()
        self.entered, self.release = asyncio.Event(), threading.Event()
        self.loop = asyncio.get_running_loop()
        self.end = None

    def run(self):
        self.loop.call_soon_threadsafe(self.entered.set)
        self.release.wait()
        try:
            self.receive()
        except asyncio.CancelledError:
            self.end = "cancelled"
            raise


def agent(name, *behaviours):
    made = Agent(name)
    for behaviour in behaviours:
        made.add_behaviour(behaviour)
    return made


async def test_it_sends_and_receives_in_its_thread():
    async with Container("c1") as container:
        await container.start(agent("echo", Echo()))
        asks = Asks()
        await container.start(agent("asks", asks))
        await asks.join()
        assert asks.log == [(what, "asks/Asks") for what in ("started", "0!", "1!", "2!", "ended")]
        assert asks.is_done()
        assert not asks.is_killed()


async def test_the_others_go_on_while_it_blocks():
    async with Container("c1") as container:
        await container.start(agent("echo", Echo()))
        blocks = Blocks()
        blocking = agent("blocks", blocks)
        await container.start(blocking)
        await blocks.entered.wait()
        asks = Asks()
        await container.start(agent("asks", asks))
        await asks.join()
        assert not blocks.is_done()
        blocks.release.set()
        await blocking.stop()
        assert blocks.end == "cancelled"


async def test_kill_ends_it_where_it_receives_and_on_end_still_can():
    async with Container("c1") as container:
        await container.start(agent("echo", Echo()))
        receives = Receives()
        await container.start(agent("receives", receives))
        await container.start(asking := agent("asking", ask := AskOnce("receives")))
        await ask.join()
        receives.kill(7)
        await receives.join()
        assert (receives.got, receives.end.body, receives.exit_code) == (["hello"], "farewell!", 7)
        assert asking.failures == 0


class AskOnce(OneShotBehaviour):
    def __init__(self, name):
        super().__init__()
        self.name = name

    async def run(self):
        await self.send(Message(to=self.name, body="hello"))
        await self.receive()


async def test_it_kills_itself_at_its_next_receive():
    class Kills(ThreadBehaviour):
        ended = False

        def run(self):
            self.kill("done")
            self.receive()

        def on_end(self):
            self.ended = True

    async with Container("c1") as container:
        kills = Kills()
        await container.start(agent("kills", kills))
        await kills.join()
        assert (kills.exit_code, kills.ended) == ("done", True)


async def test_an_exception_ends_it_without_on_end():
    class Fails(ThreadBehaviour):
        def run(self):
            raise ValueError("no paper")

        def on_end(self):
            raise AssertionError

    async with Container("c1") as container:
        failing = agent("fails", fails := Fails())
        await container.start(failing)
        with pytest.raises(ValueError, match="no paper"):
            await fails.join()
        assert failing.last_failure.what.startswith("ValueError: no paper (test_thread_behaviour.py:")


async def test_stop_iteration_is_an_exception_as_well():
    class Fails(ThreadBehaviour):
        def run(self):
            next(iter(()))

    async with Container("c1") as container:
        await container.start(agent("fails", fails := Fails()))
        with pytest.raises(RuntimeError, match="raised StopIteration"):
            await fails.join()


@pytest.mark.virtual_clock
async def test_a_time_out_in_virtual_time():
    class Waits(ThreadBehaviour):
        def run(self):
            self.got = self.receive(timeout=3600), self.receive(timeout=0)

    async with Container("c1") as container:
        await container.start(agent("waits", waits := Waits()))
        await waits.join()
        assert waits.got == (None, None)
        assert asyncio.get_running_loop().time() == 3600


async def test_a_full_mailbox_makes_the_thread_wait_or_fail():
    class Sends(ThreadBehaviour):
        error = None

        def run(self):
            self.send(Message(to="lazy", body="1"))
            try:
                self.send(Message(to="lazy", body="2"))
            except MailboxFullError as error:
                self.error = error

    class Lazy(CyclicBehaviour):
        async def run(self):
            await asyncio.Event().wait()

    async with Container("c1", limits=Limits(mailbox=1, when_full="fail")) as container:
        await container.start(agent("lazy", Lazy()))
        await container.start(agent("sends", sends := Sends()))
        await sends.join()
        assert "is full" in str(sends.error)


async def test_it_takes_what_its_template_says_and_leaves_the_rest():
    class Takes(ThreadBehaviour):
        def run(self):
            self.got = self.receive().body

    async with Container("c1") as container:
        takes = Takes()
        made = Agent("takes")
        made.add_behaviour(takes, Template(performative="request"))
        await container.start(made)
        await container.start(agent("sender", say := Say("takes", ("inform", "request", "request"))))
        await takes.join()
        await say.join()
        assert takes.got == "request"
        to_it = [letter for letter in container.dead_letters if letter.receiver == takes.agent.address]
        assert [letter.message.body for letter in to_it] == ["inform", "request"]


class Say(OneShotBehaviour):
    def __init__(self, name, performatives):
        super().__init__()
        self.name, self.performatives = name, performatives

    async def run(self):
        for performative in self.performatives:
            await self.send(Message(to=self.name, body=performative, performative=performative))


async def test_the_container_does_not_wait_for_one_that_never_returns(monkeypatch, caplog):
    monkeypatch.setattr(lifecycle, "_STOP_TIMEOUT", 0.01)
    async with Container("c1") as container:
        blocks = Blocks()
        await container.start(agent("blocks", blocks))
        await blocks.entered.wait()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert "blocks/Blocks did not end within 0.01 s and was abandoned" in caplog.text
    (said,) = [each.getMessage() for each in caplog.records if "the thread of" in each.getMessage()]
    assert said.startswith("the thread of behaviour Blocks of agent blocks was abandoned (test_thread_")
    assert said.endswith(", in run)")
    blocks.release.set()
    (thread,) = [each for each in threading.enumerate() if each.name == "blocks/Blocks"] or [None]
    if thread is not None:
        assert thread.daemon
        thread.join()
    assert blocks.end == "cancelled"


async def test_elsewhere_than_in_its_thread_it_neither_sends_nor_receives():
    async with Container("c1") as container:
        blocks = Blocks()
        with pytest.raises(AgentStateError, match="can only send and receive in its own thread: in on_start"):
            blocks.receive()
        await container.start(agent("blocks", blocks))
        await blocks.entered.wait()
        with pytest.raises(AgentStateError, match="can only send and receive in its own thread"):
            blocks.send(Message(to="echo"))
        blocks.release.set()


async def test_a_suspended_agent_does_nothing_for_its_thread():
    async with Container("c1") as container:
        receives = Receives()
        held = agent("receives", receives)
        await container.start(agent("echo", Echo()))
        await container.start(held)
        await asyncio.sleep(0)
        held.suspend()
        await container.start(agent("asking", ask := AskOnce("receives")))
        for _ in range(10):
            await asyncio.sleep(0)
        assert receives.got == []
        held.resume()
        await ask.join()
        assert receives.got == ["hello"]


@pytest.mark.parametrize("name", ["run", "on_start", "on_end"])
def test_asynchronous_methods_are_refused(name):
    async def method(self):
        """Do nothing."""

    kind = type("Late", (ThreadBehaviour,), {"run": lambda self: None, name: method})
    with pytest.raises(
        DefinitionError, match=rf"^Late.{name}\(\) is asynchronous, but runs in a thread: write"
    ):
        Agent("a").add_behaviour(kind())


def test_one_without_run_is_refused():
    class Empty(ThreadBehaviour):
        pass

    with pytest.raises(DefinitionError, match=r"^Empty has no run\(\): write `def run\(self\)`$"):
        Agent("a").add_behaviour(Empty())
