"""`sys.exit` and KeyboardInterrupt in an agent: the container closes in order, and then the program ends."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import re
import signal
import subprocess
import sys

import pytest
from tests.unit.core.agents import Collect, do, reasons, start

from formicary import (
    Agent,
    AgentState,
    Container,
    CyclicBehaviour,
    FSMBehaviour,
    Instrument,
    Message,
    MicroAgent,
    OneShotBehaviour,
    State,
    Template,
)
from formicary.errors import AgentStateError
from formicary.testing import MemoryNetwork, run_virtual, until_idle


class Ends(CyclicBehaviour):
    """Takes a while to end, and notes that."""

    def __init__(self, ends):
        super().__init__()
        self.ends = ends

    async def run(self):
        await asyncio.sleep(100)

    async def on_end(self):
        await asyncio.sleep(1)
        self.ends.append(self.agent.name)


class Sure(Template):
    """A template with code of its own."""

    def __init__(self, error):
        super().__init__()
        self.error = error
        self.match = self.fail

    def fail(self, message):
        raise self.error


async def in_setup(container, error):
    class Broken(Agent):
        async def setup(self):
            raise error

    await container.start(Broken("broken"))


async def in_setups_side_by_side(container, error):
    class Broken(Agent):
        async def setup(self):
            raise error

    await asyncio.gather(*(container.start(Broken(f"broken-{number}")) for number in range(2)))


async def in_a_behaviour(container, error, place):
    class Broken(OneShotBehaviour):
        async def run(self):
            pass

    async def fail(_):
        raise error

    setattr(Broken, place, fail)
    await start(container, "broken", Broken())


async def in_on_start(container, error):
    await in_a_behaviour(container, error, "on_start")


async def in_run(container, error):
    await in_a_behaviour(container, error, "run")


async def in_on_end(container, error):
    await in_a_behaviour(container, error, "on_end")


async def in_a_state(container, error):
    class Broken(State):
        async def run(self):
            raise error

    machine = FSMBehaviour()
    machine.add_state("broken", Broken(), initial=True)
    await start(container, "broken", machine)


async def in_handle(container, error):
    class Broken(MicroAgent):
        def handle(self, message):
            raise error

    await container.start(Broken("broken"))
    await start(container, "asker", do(lambda behaviour: behaviour.send(Message(to="broken"))))


async def in_async_handle(container, error):
    class Broken(MicroAgent):
        async def handle(self, message):
            await asyncio.sleep(0.1)
            raise error

    await container.start(Broken("broken"))
    await start(container, "asker", do(lambda behaviour: behaviour.send(Message(to="broken"))))


async def in_a_template(container, error):
    agent = Agent("broken")
    agent.add_behaviour(Collect(), Sure(error))
    await container.start(agent)
    await start(container, "asker", do(lambda behaviour: behaviour.send(Message(to="broken"))))


async def in_an_instrument(container, error):
    class Broken(Instrument):
        def agent_started(self, agent):
            raise error

    container.add_instrument(Broken())
    await container.start(Agent("broken"))


async def in_a_gatekeeper(container, error):
    def decide(agent, role, key):
        raise error

    boss, worker = await start(container, "boss"), await start(container, "worker")
    await boss.groups.create("shop", gatekeeper=decide)
    await start(container, "asker", do(lambda _: worker.groups.request_role("shop", "clerk")))


PLACES = [
    in_setup,
    in_setups_side_by_side,
    in_on_start,
    in_run,
    in_on_end,
    in_a_state,
    in_handle,
    in_async_handle,
    in_a_template,
    in_an_instrument,
    in_a_gatekeeper,
]


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt("mine")], ids=["exit", "interrupt"])
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_it_ends_in_order(place, error, caplog):
    ends, went_on = [], []

    async def main():
        async with Container("c1") as container:
            for name in "first", "second", "last":
                await start(container, name, Ends(ends))
            await until_idle()
            await place(container, error)
            await asyncio.sleep(50)
            went_on.append(True)

    with pytest.raises(type(error)) as ended:
        run_virtual(main())
    assert ended.value is error
    assert ends == ["last", "second", "first"]
    assert not went_on
    assert "closing container c1: " in caplog.text
    assert f"raised {error!r} at " in caplog.text
    assert "test_program_exit.py:" in caplog.text


async def live(ends, *leaving, container=None):
    """Have agents 1, 2 and so on of which each does something of `leaving`, after one that takes a while."""
    async with container or Container("c1") as here:
        await start(here, "first", Ends(ends))
        for number, function in enumerate(leaving, 1):
            await start(here, str(number), do(function))
        await asyncio.sleep(50)


@pytest.mark.virtual_clock
async def test_messages_that_were_not_received_are_told():
    async def leave(behaviour):
        await behaviour.send(Message(to="first", body="x"))
        sys.exit(3)

    container = Container("c1")
    with pytest.raises(SystemExit):
        await live([], leave, container=container)
    assert reasons(container) == ["behaviour Ends of agent first ended before it received the message"]
    assert asyncio.current_task().cancelling() == 0


@pytest.mark.virtual_clock
async def test_other_containers_are_told_and_go_on():
    network, heard = MemoryNetwork(), Collect()

    async def leave(behaviour):
        await behaviour.send(Message(to="alice@c1", body="bye"))
        sys.exit()

    async with Container("c1", server=network) as c1:
        await start(c1, "alice", heard)
        with pytest.raises(SystemExit):
            await live([], leave, container=Container("c2", server=network))
        await until_idle()
        assert heard.bodies == ["bye"]
        assert list(c1.members) == ["c1.lab.localhost"]


@pytest.mark.virtual_clock
async def test_a_template_ends_its_own_container_wherever_the_message_comes_from():
    network, ends = MemoryNetwork(), []

    async def receive():
        async with Container("c2", server=network) as c2:
            await start(c2, "first", Ends(ends))
            agent = Agent("broken")
            agent.add_behaviour(Collect(), Sure(SystemExit(3)))
            await c2.start(agent)
            await asyncio.sleep(50)

    async with Container("c1", server=network) as c1:
        receiving = asyncio.create_task(catch(receive()))
        await asyncio.sleep(1)
        asking = do(lambda behaviour: behaviour.send(Message(to="broken@c2", body="x")))
        await start(c1, "asker", asking)
        assert (await receiving).code == 3
        await asking.join()
    assert ends == ["first"]


async def catch(work):
    """Return the SystemExit that something ends with: out of a task it would end the loop."""
    try:
        await work
    except SystemExit as error:
        return error


@pytest.mark.virtual_clock
async def test_the_outer_of_two_containers_ends_after_the_inner_one():
    ends = []

    async def two():
        async with Container("c1") as outer, Container("c2") as inner:
            await start(outer, "outer", Ends(ends), do(leave))
            await start(inner, "inner", Ends(ends))
            await asyncio.sleep(50)

    with pytest.raises(SystemExit):
        await two()
    assert ends == ["inner", "outer"]


async def leave(behaviour):
    sys.exit(int(behaviour.agent.name) if behaviour.agent.name.isdigit() else 3)


@pytest.mark.virtual_clock
async def test_the_first_of_several_counts():
    ends = []
    with pytest.raises(SystemExit) as ended:
        await live(ends, leave, leave)
    assert ended.value.code == 1
    assert ends == ["first"]


@pytest.mark.virtual_clock
async def test_those_who_join_do_not_get_it():
    joined = []

    async def join(behaviour):
        last = behaviour.agent.container.agents[-1]
        await asyncio.gather(last.join(), last.behaviours[0].join())
        joined.append(last.state)

    with pytest.raises(SystemExit):
        await live([], join, leave)
    assert joined in ([], [AgentState.GONE])


@pytest.mark.virtual_clock
async def test_a_body_that_keeps_its_cancellation_to_itself_ends_as_well():
    async def stubborn():
        async with Container("c1") as container:
            await start(container, "3", do(leave))
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(50)

    with pytest.raises(SystemExit):
        await stubborn()
    await asyncio.sleep(0)


@pytest.mark.virtual_clock
async def test_a_body_that_raises_something_else_does_not_hide_it(caplog):
    async def failing():
        async with Container("c1") as container:
            await start(container, "3", do(leave))
            try:
                await asyncio.sleep(50)
            finally:
                raise ValueError("mine")

    with pytest.raises(SystemExit):
        await failing()
    assert "the `async with` block of container c1 also raised an exception" in caplog.text
    assert "ValueError: mine" in caplog.text


class Leaving(Ends):
    async def on_end(self):
        sys.exit(4)


@pytest.mark.virtual_clock
async def test_an_exit_while_the_container_closes_is_raised_at_its_end():
    ends = []

    async def close():
        async with Container("c1") as container:
            await start(container, "first", Ends(ends))
            await start(container, "last", Leaving(ends))
            await until_idle()

    with pytest.raises(SystemExit) as ended:
        await close()
    assert ended.value.code == 4
    assert ends == ["first"]


@pytest.mark.parametrize("waits", ["sleep", "join", "close"])
def test_a_container_without_a_block_closes_and_then_the_program_ends(waits, caplog):
    ends = []

    async def main():
        container = await Container("c1").open()
        await start(container, "first", Ends(ends))
        await start(container, "last", Leaving(ends) if waits == "close" else do(leave))
        if waits == "sleep":
            await asyncio.sleep(50)
        if waits == "join":
            await container.wait_until_finished()
        await until_idle()
        await container.close()

    with pytest.raises(SystemExit) as ended:
        run_virtual(main())
    assert ended.value.code == (4 if waits == "close" else 3)
    assert ends == ["first"]
    gc.collect()
    assert "never retrieved" not in caplog.text


@pytest.mark.virtual_clock
async def test_it_ends_as_well_if_one_of_its_own_agents_has_begun_to_close_it():
    async def close(behaviour):
        await behaviour.agent.container.close()
        sys.exit(3)

    ends = []
    with pytest.raises(SystemExit):
        await live(ends, close)
    assert ends == ["first"]


@pytest.mark.virtual_clock
@pytest.mark.parametrize("error", [SystemExit(4), ValueError("mine")])
async def test_a_stop_of_ones_own_that_raises_keeps_nobody_from_ending(error, caplog):
    ends = []

    class Unwilling(Agent):
        async def stop(self):
            raise error

    async def close():
        async with Container("c1") as container:
            await start(container, "first", Ends(ends))
            await container.start(Unwilling("last"))
            await until_idle()

    with pytest.raises(SystemExit) if isinstance(error, SystemExit) else contextlib.nullcontext():
        await close()
    assert ends == ["first"]
    assert ("stopping agent last failed; it was abandoned" in caplog.text) == isinstance(error, ValueError)


@pytest.mark.virtual_clock
async def test_a_cancellation_out_of_a_setup_is_an_error_and_one_of_who_starts_it_is_none():
    class Broken(Agent):
        async def setup(self):
            future = asyncio.get_running_loop().create_future()
            future.cancel()
            await future

    async with Container("c1") as container:
        broken = Broken("a")
        with pytest.raises(AgentStateError, match=r"agent a ended with CancelledError.*test_program_exit"):
            await container.start(broken)
        with pytest.raises(AgentStateError, match="CancelledError"):
            await broken.join()
        assert container.agents == ()


PROGRAM = """
import asyncio, sys, time
from formicary import Agent, Container, CyclicBehaviour, OneShotBehaviour

class Wait(CyclicBehaviour):
    async def run(self):
        await self.receive()

    async def on_end(self):
        print("end of", self.agent.name, flush=True)
        if "slow" in sys.argv:
            time.sleep(100)

class Leave(OneShotBehaviour):
    async def run(self):
        await asyncio.sleep(0.05)
        if "exit" in sys.argv:
            sys.exit(3)
        if "interrupt" in sys.argv:
            raise KeyboardInterrupt

async def main():
    async with Container("c1") as container:
        for name in "first", "last":
            agent = Agent(name)
            agent.add_behaviour(Wait())
            await container.start(agent)
        agent.add_behaviour(Leave())
        print("ready", flush=True)
        await container.wait_until_finished()

if "uvloop" in sys.argv:
    import uvloop
    uvloop.run(main())
else:
    asyncio.run(main())
"""


# The developer mode says so of what takes longer than 0.1 s, as anything may on a busy machine.
SLOW = r"Executing <.*> took \d+\.\d+ seconds"


def start_program(*options):
    return subprocess.Popen(
        [sys.executable, "-X", "dev", "-c", PROGRAM, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(("kind", "code"), [("exit", 3), ("interrupt", -signal.SIGINT)])
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_program_ends_with_the_reason_and_the_exit_code(loop, kind, code):
    with start_program(loop, kind) as process:
        out, err = process.communicate(timeout=60)
    assert out.splitlines() == ["ready", "end of last", "end of first"]
    assert process.returncode == code
    said = [line for line in err.splitlines() if not re.fullmatch(SLOW, line)]
    assert said[0].startswith("closing container c1: last/Leave raised ")
    assert ("Traceback" in err) == (kind == "interrupt")
    assert "never retrieved" not in err


def test_a_second_ctrl_c_still_ends_at_once():
    with start_program("slow") as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "end of last\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert "end of first" not in out
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode == -signal.SIGINT
