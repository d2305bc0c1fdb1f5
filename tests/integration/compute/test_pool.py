"""Functions beside the event loop, in real worker processes and threads."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import threading
from contextlib import suppress

import psutil
import pytest
from tests.integration.compute import functions
from tests.processes import has_ended

from formicary import Agent, Container, MicroAgent, OneShotBehaviour
from formicary.errors import ComputeError, ContainerClosedError


class Asks(OneShotBehaviour):
    def __init__(self, *call, timeout=None):
        super().__init__()
        self.call, self.timeout = call, timeout
        self.result = None

    async def run(self):
        self.result = await self.compute(*self.call, timeout=self.timeout)


async def asked(container, name, *call, within=None):
    """Have an agent compute something; return the result."""
    asks, agent = Asks(*call, timeout=within), Agent(name)
    agent.add_behaviour(asks)
    await container.start(agent)
    try:
        await asks.join()
    finally:
        await agent.stop()
    return asks.result


async def appears(path):
    """Wait for what a worker writes into a file."""
    while not path.exists() or not path.read_text(encoding="utf-8"):  # noqa: ASYNC110 -- others write it
        await asyncio.sleep(0.01)
    return int(path.read_text(encoding="utf-8"))


def kill_and_wait(pid):
    os.kill(pid, signal.SIGKILL)
    with suppress(ChildProcessError):  # where the container was quicker
        os.waitpid(pid, 0)


async def test_a_function_runs_in_another_process_while_others_continue():
    async with Container("c1", compute_in="processes") as container:
        assert await asked(container, "a", functions.add, 2, 3) == 5
        assert await asked(container, "a", functools.partial(functions.add, other=[1]), [0]) == [0, 1]
        assert await asked(container, "a", functions.Tool().use, 2) == "usedused"
        first = await asked(container, "a", functions.worker)
        assert first != os.getpid()
        assert await container.compute(functions.worker) == first  # it is used again
    assert has_ended(first)


async def test_a_micro_agent_computes_as_well():
    class Cell(MicroAgent):
        async def handle(self, message):
            self.container.result.set_result(await self.compute(functions.add, 1, 1))

    async with Container("c1", compute_in="threads") as container:
        container.result = asyncio.get_running_loop().create_future()
        await container.start(Cell("cell"))
        agent = Agent("a")
        await container.start(agent)
        from formicary import Message

        container.dispatcher.send_nowait(Message(to="cell", sender=agent.address))
        assert await container.result == 2


@pytest.mark.parametrize("means", ["processes", "threads"])
async def test_several_run_at_once_and_an_exception_comes_out_as_it_is(tmp_path, means):
    async with Container("c1", compute_in=means) as container:
        together = [container.compute(functions.meet, str(tmp_path), name, 2) for name in "ab"]
        if len(os.sched_getaffinity(0)) > 1:
            assert len(set(await asyncio.gather(*together))) == (2 if means == "processes" else 1)
        else:
            [each.close() for each in together]
        with pytest.raises(functions.ShopError) as caught:
            await asked(container, "a", functions.fail, 7)
        assert caught.value.args == ("sold out", 7)
        assert caught.value.price == 7
        if means == "processes":
            assert "in a worker process:\nTraceback" in caught.value.__notes__[0]
            assert "in fail" in caught.value.__notes__[0]


REFUSED = [
    (
        (lambda: 1,),
        r"a lambda of module .*test_pool cannot be sent to a worker process: define it",
    ),
    ((Asks("x").run,), r"Asks.run\(\) is asynchronous: await it"),
    ((functions.later,), r"later\(\) is asynchronous: await it, or pass compute\(\) a plain function"),
    (
        (Asks("x").kill,),
        r"Behaviour.kill\(\) belongs to the behaviour Asks, which stays in its container",
    ),
    (
        (functions.add, threading.Lock()),
        r"add\(\) cannot be sent to a worker process with its arguments \(TypeError: cannot pickle",
    ),
    ((functions.lock,), r"lock\(\) returned lock, which cannot be sent back: TypeError: cannot pickle"),
    (
        (functions.fail_unsendably,),
        r"fail_unsendably\(\) raised ShopError: .*, and that exception cannot be sent back",
    ),
    (
        (functions.fail_unreadably,),
        r"fail_unreadably\(\) raised an exception that cannot be unpickled in its container \(Type",
    ),
    (
        (functions.leave,),
        r"the worker process of leave\(\) has ended with exit code 7 before",
    ),
    ((functions.kill_worker,), r"the worker process of kill_worker\(\) was killed by SIGKILL before"),
    ((3,), r"compute\(\) takes a function and its arguments, such as compute\(solve, 3\), not 3"),
]


async def test_what_cannot_be_computed_is_refused_in_a_sentence():
    async with Container("c1", compute_in="processes") as container:
        for call, sentence in REFUSED:
            with pytest.raises(ComputeError, match=sentence) as caught:
                await asked(container, "a", *call)
            assert "\n" not in str(caught.value)
            assert await asked(container, "a", functions.add, 2, 3) == 5


async def test_a_function_of_a_function_is_refused():
    def local():
        """Do nothing."""

    async with Container("c1", compute_in="processes") as container:
        with pytest.raises(ComputeError, match=r"refused.local\(\) is defined inside another function"):
            await container.compute(local)


async def test_one_that_never_returns_is_ended_with_its_worker(tmp_path):
    async with Container("c1", compute_in="processes") as container:
        path = tmp_path / "pid"
        await container.compute(functions.worker)  # so that the time is not taken by its start
        with pytest.raises(
            TimeoutError,
            match=r"say_and_never_return\(\) has not returned within 5 s: its worker process was ended",
        ):
            await asked(container, "a", functions.say_and_never_return, path, within=5)
        pid = await appears(path)
        assert await container.compute(functions.worker) != pid
        assert has_ended(pid)


async def test_a_thread_that_never_returns_is_left_behind(tmp_path):
    release = threading.Event()
    async with Container("c1", compute_in="threads") as container:
        with pytest.raises(
            TimeoutError, match=r"Event.wait\(\) .* within 0.01 s: its thread keeps running, because"
        ):
            await asked(container, "a", release.wait, within=0.01)
        assert await container.compute(functions.thread) == "computes"
        release.set()


async def test_what_is_killed_from_outside_fails_and_the_others_go_on(tmp_path):
    async with Container("c1", compute_in="processes") as container:
        path = tmp_path / "pid"
        lost = asyncio.create_task(container.compute(functions.say_and_never_return, path))
        pid = await appears(path)
        psutil.Process(pid).kill()
        with pytest.raises(ComputeError, match="was killed by SIGKILL before it returned; the next function"):
            await lost
        idle = await container.compute(functions.worker)
        process = psutil.Process(idle)
        process.kill()
        psutil.wait_procs([process], timeout=60)
        assert await container.compute(functions.add, 2, 3) == 5


async def test_a_worker_that_others_have_waited_for_is_known_to_have_ended(tmp_path):
    async with Container("c1", compute_in="processes") as container:
        idle = await container.compute(functions.worker)
        kill_and_wait(idle)
        assert await container.compute(functions.add, 2, 3) == 5
        path = tmp_path / "pid"
        lost = asyncio.create_task(container.compute(functions.say_and_never_return, path))
        pid = await appears(path)
        kill_and_wait(pid)
        with pytest.raises(ComputeError, match=r"has ended before it returned|was killed by SIGKILL"):
            await lost
        assert await container.compute(functions.add, 2, 3) == 5


async def test_the_end_of_the_container_ends_all_and_tells_who_waits(tmp_path):
    container = await Container("c1", compute_in="processes").open()
    path = tmp_path / "pid"
    endless = asyncio.create_task(container.compute(functions.say_and_never_return, path))
    pid = await appears(path)
    asks = Asks(functions.say_and_never_return, tmp_path / "other")
    agent = Agent("a")
    agent.add_behaviour(asks)
    await container.start(agent)
    await container.close()
    assert asks.is_done()
    with pytest.raises(
        ContainerClosedError,
        match=r"say_and_never_return\(\) did not finish, because container c1",
    ):
        await endless
    assert has_ended(pid)
    with pytest.raises(ContainerClosedError, match="container c1 is not open"):
        await container.compute(functions.add, 1)


async def test_no_end_waits_for_processes_that_a_function_has_left_behind(tmp_path):
    paths = [tmp_path / name for name in ("forked", "started", "pid")]
    async with Container("c1", compute_in="processes") as container:
        endless = asyncio.create_task(container.compute(functions.leave_children_and_never_return, *paths))
        forked, started, pid = [await appears(path) for path in paths]
    try:
        with pytest.raises(ContainerClosedError):
            await endless
        assert has_ended(pid)
        assert not has_ended(forked)
        assert not has_ended(started)
    finally:
        for left in (forked, started):
            psutil.Process(left).kill()


async def test_a_container_that_is_not_open_computes_nothing():
    with pytest.raises(ContainerClosedError, match="container c1 is not open"):
        await Container("c1").compute(functions.add, 1)
