"""The exact accounting: who gets which CPU time, and that it leaves no trace."""

from __future__ import annotations

import asyncio
import gc
import threading
import time

import pytest
import uvloop
from tests.unit.profiling.splits import Truth, by_agent, by_group, check_within, shares

from formicary import Agent, Container, CyclicBehaviour, Message, MicroAgent, OneShotBehaviour
from formicary.core.scheduler import Scheduler
from formicary.core.strand import Strand
from formicary.errors import UsageError
from formicary.profiling.accounting.accounting import accounting
from formicary.profiling.accounting.borders import BORDERS, TO_AGENTS, owner_of
from formicary.profiling.model.profile import Method, decode, encode
from formicary.protocols import Agree, Inform, Participant, Request, responds
from formicary.transport.link import outbox

_REPETITIONS = 5


class Worker(CyclicBehaviour):
    """Burns for each message, in several steps of its coroutine, and answers."""

    def __init__(self, truth, seconds):
        super().__init__()
        self.truth = truth
        self.seconds = seconds

    async def run(self):
        message = await self.receive()
        for _ in range(2):
            self.truth.burn("agents", self.seconds / 2)
            await asyncio.sleep(0)
        await self.send(message.make_reply(body=""))


class Micro(MicroAgent):
    def __init__(self, name, truth, seconds):
        super().__init__(name)
        self.truth = truth
        self.seconds = seconds

    def handle(self, message):
        self.truth.burn("agents", self.seconds)
        self.send_nowait(message.make_reply(body=""))


class AsyncMicro(Micro):
    async def handle(self, message):
        self.truth.burn("agents", self.seconds / 2)
        if int(message.body or 0) % 2:  # the others end in their first step
            await asyncio.sleep(0)
        self.truth.burn("agents", self.seconds / 2)
        await self.send(message.make_reply(body=""))


class Asker(OneShotBehaviour):
    def __init__(self, *receivers, rounds=50, each=None):
        super().__init__()
        self.receivers = receivers
        self.rounds = rounds
        self.each = each

    async def run(self):
        for number in range(self.rounds):
            for receiver in self.receivers:
                await self.send(Message(to=receiver, body=str(number)))
                await self.receive()
            if self.each is not None:
                await self.each(self.agent)


def agent(name, *behaviours):
    made = Agent(name)
    for behaviour in behaviours:
        made.add_behaviour(behaviour)
    return made


class SlowBackend:
    """A directory that takes a while."""

    def __init__(self, truth):
        self.truth = truth

    async def search(self, query):
        self.truth.burn("directory", 0.015)
        return ()


async def ask_directory(asker):
    await asker.directory.search(type="printer")


async def mixed(truth, monkeypatch):
    """Have each group burn a share, one of them in another container of the process; return the profile."""
    encode_ = outbox.encode

    def slow_encode(entries):
        truth.burn("communication", 0.0125)
        return encode_(entries)

    async with (
        Container("c1", listen="127.0.0.1") as one,
        Container("c2", join=one.join_address) as two,
    ):
        await two.start(agent("far", Worker(truth, 0.0075)))
        await one.start(agent("near", Worker(truth, 0.025)))
        await one.start(Micro("micro", truth, 0.015))
        first = Asker("far@c2", rounds=1)
        await one.start(agent("first", first))
        await first.join()
        one.platform_services.backend.search = SlowBackend(truth).search
        with monkeypatch.context() as patch:
            patch.setattr(outbox, "encode", slow_encode)
            truth.burnt.clear()
            async with accounting(one, two) as account:
                asker = Asker("near", "micro", "far@c2", rounds=10, each=ask_directory)
                await one.start(agent("asker", asker))
                await asker.join()
                truth.burn("agents", 0.125)  # the main program's own task
        return account.profile()


on_each_loop = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])


@on_each_loop
def test_a_known_split_over_all_groups_is_found(run, monkeypatch):
    truth = Truth(0.5)
    found = by_group(run(mixed(truth, monkeypatch)))
    assert set(truth.burnt) == {"agents", "communication", "directory"}
    for group, seconds in truth.burnt.items():
        # What it takes to send messages is more on a busy machine.
        assert 0.98 * seconds <= found[group] < seconds + 0.1 * truth.burnt.total()


@on_each_loop
@pytest.mark.full("ten seconds of CPU, and of a quiet machine: what messages take is less than two points")
def test_a_known_split_over_all_groups_is_found_within_two_points(run, monkeypatch):
    # The truth knows what was burnt, not what it takes to send messages: the loops are long beside that.
    errors = {"agents": [], "communication": [], "directory": [], "platform": [], "runtime": []}
    for _ in range(_REPETITIONS):
        truth = Truth()
        found = shares(by_group(run(mixed(truth, monkeypatch))))
        for group, values in errors.items():
            values.append(found[group] - truth.shares()[group])
    for values in errors.values():
        check_within(values, 0.02)


async def alone(one, two, three, four):
    """Have three agents burn, each with a truth of its own; return the profile."""
    async with Container("c1") as container:
        await container.start(agent("one", Worker(one, 0.001)))
        await container.start(agent("two", Worker(two, 0.003)))
        await container.start(Micro("three", three, 0.006))
        await container.start(AsyncMicro("four", four, 0.004))
        async with accounting(container) as account:
            asker = Asker("one", "two", "three", "four", rounds=10)
            await container.start(agent("asker", asker))
            await asker.join()
        return account.profile()


def test_each_agents_time_is_its_own():
    # What the asker and the loop take beside them is more on a busy machine, so it is left out of the shares.
    errors = {"one/Worker": [], "two/Worker": [], "three": [], "four": []}
    for _ in range(_REPETITIONS):
        truths = {name: Truth() for name in errors}
        profile = uvloop.run(alone(*truths.values()))
        seconds = {name: by_agent(profile)[name] for name in errors}
        found = shares(seconds)
        burnt = shares({name: truth.burnt["agents"] for name, truth in truths.items()})
        for name, values in errors.items():
            assert seconds[name] >= 0.98 * truths[name].burnt["agents"]
            values.append(found[name] - burnt[name])
    for values in errors.values():
        check_within(values, 0.02)


async def test_the_parts_sum_to_the_cpu_time_of_the_process():
    truth = Truth()
    async with Container("c1") as container, accounting(container) as account:
        asker = Asker("micro", rounds=40)
        await container.start(Micro("micro", truth, 0.002))
        await container.start(agent("asker", asker))
        await asker.join()
    profile = account.profile()
    (process,) = profile.processes
    known = sum(by_group(profile).values()) + profile.cost * process.cpu_s
    assert known == pytest.approx(process.cpu_s, rel=0.02)
    assert process.cpu_s >= truth.burnt["agents"]
    assert profile.method is Method.ACCOUNTED
    assert "the accounting itself took" in profile.warnings[0]
    assert decode(encode(profile)) == profile


async def test_tasks_timers_and_callbacks_of_the_users_own_are_the_agents():
    truth = Truth()

    async def own():
        for _ in range(10):
            truth.burn("agents", 0.004)
            await asyncio.sleep(0.001)

    loop = asyncio.get_running_loop()
    async with Container("c1") as container, accounting(container) as account:
        async with asyncio.TaskGroup() as group:
            group.create_task(own())
            group.create_task(asyncio.wait_for(own(), 10))  # the standard library's, and the users' within
        loop.call_soon(truth.burn, "agents", 0.03)
        loop.call_later(0.01, truth.burn, "agents", 0.03)
        await asyncio.sleep(0.1)
        profile = account.profile()
    assert by_group(profile)["agents"] == pytest.approx(truth.burnt["agents"], rel=0.05)
    assert sum(truth.burnt.values()) > 0.13


async def test_threads_that_agents_use_are_theirs_and_idle_waiting_is_nobodys():
    truth = Truth()
    has_burnt, finish = threading.Event(), threading.Event()

    def work():
        truth.burn("agents", 0.05)
        has_burnt.set()
        finish.wait()

    async with Container("c1") as container, accounting(container) as account:
        await asyncio.to_thread(truth.burn, "agents", 0.05)
        own = threading.Thread(target=work, name="own work")
        own.start()
        await asyncio.sleep(0.3)
        await asyncio.to_thread(has_burnt.wait)
        profile = account.profile()
        finish.set()
        await asyncio.to_thread(own.join)
    (process,) = profile.processes
    assert by_group(profile)["agents"] == pytest.approx(truth.burnt["agents"], rel=0.15)
    kinds = {thread.name: thread.kind for thread in process.threads}
    assert kinds["own work"] == "python"
    assert kinds["asyncio_0"] == "executor"
    assert [thread.kind for thread in process.threads].count("loop") == 1
    assert by_group(profile)["runtime"] < 0.1  # of 0.3 s in which the loop waits for the most part


async def test_the_garbage_collector_is_the_runtimes_whoever_brought_it_about():
    heap = [[] for _ in range(300_000)]

    class Hoarder(OneShotBehaviour):
        async def run(self):
            began = time.thread_time()
            for _ in range(5):
                gc.collect()
            self.took = time.thread_time() - began

    async with Container("c1") as container, accounting(container) as account:
        hoarder = Hoarder()
        await container.start(agent("a", hoarder))
        await hoarder.join()
        profile = account.profile()
    assert len(heap) == 300_000
    found = by_group(profile)
    assert found["runtime"] >= 0.9 * hoarder.took
    assert found["agents"] <= 0.2 * hoarder.took


async def test_behaviours_that_raise_are_cancelled_or_send_within_sends_keep_the_books_in_order(caplog):
    truth = Truth()

    class Raises(OneShotBehaviour):
        async def run(self):
            truth.burn("agents", 0.02)
            raise ValueError("on purpose")

    class Waits(OneShotBehaviour):
        async def run(self):
            try:
                truth.burn("agents", 0.02)
                await self.receive()
            except asyncio.CancelledError:
                truth.burn("agents", 0.02)
                await self.send(Message(to="nobody", body="", performative="failure"))
                raise

    class TimesOut(OneShotBehaviour):
        async def run(self):
            assert await self.receive(timeout=0.01) is None
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await self.receive()
            truth.burn("agents", 0.02)

    class Later(MicroAgent):
        async def handle(self, message):
            await asyncio.sleep(0)
            truth.burn("later", 0.02)
            await self.send(message.make_reply(body=""))
            raise RuntimeError("on purpose")

    async with Container("c1") as container, accounting(container) as account:
        raises, waits, times_out, asker = Raises(), Waits(), TimesOut(), Asker("later", rounds=2)
        for name, behaviour in (("a", raises), ("b", waits), ("c", times_out)):
            await container.start(agent(name, behaviour))
        await container.start(Later("later"))
        await container.start(agent("asker", asker))
        with pytest.raises(ValueError, match="on purpose"):
            await raises.join()
        await asyncio.sleep(0)
        waits.kill()
        for behaviour in (waits, times_out, asker):
            await behaviour.join()
        profile = account.profile()
    assert by_group(profile)["agents"] == pytest.approx(truth.burnt.total(), rel=0.1)
    assert truth.burnt.total() >= 0.12
    assert account.profile() is not None
    # Also what came after the wait.
    assert by_agent(profile)["later"] == pytest.approx(truth.burnt["later"], rel=0.25)


async def test_nothing_is_left_when_it_is_over():
    owners = {owner_of(method) for method in (*BORDERS, *TO_AGENTS)}
    init, loop = Strand.adopt, asyncio.get_running_loop()
    collectors = list(gc.callbacks)
    async with Container("c1") as container:
        micro = Micro("micro", Truth(), 0)
        stays = Worker(Truth(), 0)
        await container.start(micro)
        await container.start(agent("stays", stays))
        before = {owner: dict(vars(owner)) for owner in owners}
        async with accounting(container):
            assert Strand.adopt is not init
            assert Scheduler.run is not before[Scheduler]["run"]
            asker = Asker("micro", "stays", rounds=3)
            await container.start(agent("asker", asker))
            await asker.join()
            assert "call_soon" in vars(loop)
        assert {owner: dict(vars(owner)) for owner in owners} == before
        assert Strand.adopt is init
        assert not {"call_soon", "call_later", "call_at", "call_soon_threadsafe"} & set(vars(loop))
        assert gc.callbacks == collectors
        assert micro.micro_inbox.handle == micro.handle
        assert stays.mailbox.strand.runner is stays.mailbox.strand.get_context()
        again = Asker("micro", "stays", rounds=3)  # what waited behind a border goes on without
        await container.start(agent("again", again))
        await again.join()


async def test_messages_that_wait_for_micro_agents_when_it_begins_and_ends_arrive():
    got = []
    has_all = asyncio.Event()

    class Counts(MicroAgent):
        def handle(self, message):
            got.append(message.body)
            if len(got) == 400:
                has_all.set()

    async with Container("c1") as container:
        await container.start(Counts("counts"))
        sender = Micro("sender", Truth(), 0)
        await container.start(sender)
        account = accounting(container)
        for number in range(200):
            sender.send_nowait(Message(to="counts", body=str(number)))
        async with account:
            for number in range(200, 400):
                sender.send_nowait(Message(to="counts", body=str(number)))
        await has_all.wait()
    assert got == [str(number) for number in range(400)]


async def test_what_waits_for_participants_when_it_begins_and_ends_is_answered():
    class Doer(Agent):
        @responds(Request)
        async def do(self, message):
            await asyncio.sleep(0)
            return message.body

    async with Container("c1") as container:
        await container.start(Doer("doer"))

        async def ask(numbers):
            questions = [asyncio.create_task(container.request("doer", str(number))) for number in numbers]
            await asyncio.sleep(0)
            return questions

        account = accounting(container)
        questions = await ask(range(50))
        async with account:
            questions += await ask(range(50, 100))
        answers = await asyncio.gather(*questions)
        assert [answer.body for answer in answers] == [str(number) for number in range(100)]
        assert container.failure_log.total == 0


async def test_what_agents_answer_by_in_conversations_is_theirs():
    truth = Truth()

    class Doer(Agent):
        @responds(Request)
        def do(self, message):
            truth.burn("doer", 0.004)
            return message.body

    class Waiter(Agent):
        @responds(Request)
        async def do(self, message):
            truth.burn("waiter", 0.002)
            await asyncio.sleep(0)
            truth.burn("waiter", 0.002)
            return message.body

    class Teller(Agent):
        @responds(Request)
        def do(self, message):
            truth.burn("others", 0.002)
            yield Agree()
            truth.burn("others", 0.002)
            yield Inform(message.body)

    class Later(Agent):
        @responds(Request)
        async def do(self, message):
            truth.burn("others", 0.002)
            yield Agree()
            await asyncio.sleep(0)
            truth.burn("others", 0.002)
            yield Inform(message.body)

    class Parted(Agent):
        @responds(Request)
        class Do(Participant):
            async def request(self, message):
                truth.burn("others", 0.002)
                await asyncio.sleep(0)
                truth.burn("others", 0.002)
                return message.body

    async with Container("c1") as container:
        await container.start(Doer("doer"))  # before it begins, and after
        async with accounting(container) as account:
            await container.start(Waiter("waiter"))
            await container.start(Teller("teller"))
            await container.start(Later("later"))
            await container.start(Parted("parted"))
            for _ in range(20):
                for name in ("doer", "waiter", "teller", "later", "parted"):
                    await container.request(name, "x")
        profile = account.profile()
        assert (await container.request("doer", "x")).body == "x"
    assert by_group(profile)["agents"] == pytest.approx(truth.burnt.total(), rel=0.1)
    for name in ("doer", "waiter"):
        assert by_agent(profile)[name] == pytest.approx(truth.burnt[name], rel=0.1)


class Maker(OneShotBehaviour):
    """Has tasks do the work, one of them made by another."""

    def __init__(self, truth):
        super().__init__()
        self.truth = truth

    async def run(self):
        await asyncio.gather(*(asyncio.create_task(self.outer()) for _ in range(3)))

    async def outer(self):
        for _ in range(3):
            await asyncio.sleep(0.001)
            await asyncio.create_task(self.inner())

    async def inner(self):
        await asyncio.sleep(0)
        self.truth.burn(self.agent.name, 0.005)


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_tasks_that_an_agent_makes_count_for_it(new_loop):
    truth = Truth()

    async def main():
        async with Container("c1") as container, accounting(container) as account:
            behaviours = [Maker(truth) for _ in range(2)]
            for name, behaviour in zip(("ada", "bob"), behaviours, strict=True):
                await container.start(agent(name, behaviour))
            nobodys = asyncio.create_task(burn_for_nobody())
            for behaviour in behaviours:
                await behaviour.join()
            await nobodys
            return account.seconds_by_agent()

    async def burn_for_nobody():
        await asyncio.sleep(0)
        truth.burn("nobody", 0.02)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        found = runner.run(main())
    for name in ("ada", "bob"):
        assert truth.burnt[name] <= found[f"{name}/Maker"] + 0.002
        assert found[f"{name}/Maker"] < truth.burnt[name] + 0.015


async def test_two_at_once_are_refused_and_so_is_a_container_that_is_not_open():
    async with Container("c1") as container, accounting(container):
        with pytest.raises(UsageError, match="already being accounted"):
            await accounting(container).__aenter__()
    with pytest.raises(UsageError, match="c2 is not open"):
        await accounting(Container("c2")).__aenter__()
    async with Container("c3") as container, accounting(container):
        pass  # and after it, the next one goes
