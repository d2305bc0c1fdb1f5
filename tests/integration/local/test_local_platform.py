"""Local platforms of real processes: what agents there are, how they find each other, and how all ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys

import pytest
from tests.integration.local.crew import Cell, Clerk, Doing, Holding, Mover, Relay
from tests.integration.transport.raw import until
from tests.plugins.paths import ROOT
from tests.processes import has_ended
from tests.unit.core.agents import Collect, Do

from formicary import Agent, Container, LocalPlatform, Message
from formicary.children.orders import Meet
from formicary.children.process import ContainerProcess
from formicary.errors import (
    ContainerLostError,
    FormicaryError,
    ManagementError,
    ManagementRequestError,
    NameTakenError,
    UsageError,
)


async def started(platform, name, *behaviours):
    """Start an agent in the program's own container."""
    agent = Agent(name)
    for behaviour in behaviours:
        agent.add_behaviour(behaviour)
    await platform.container.start(agent)
    return agent


async def start_all(platform, *classes):
    for number, cls in enumerate(classes):
        await platform.start(cls, f"w{number}", {"what": "kill"} if cls is Doing else None)


async def ask(platform, to, body=""):
    """Return what an agent answers."""

    async def asking(behaviour):
        await behaviour.send(Message(to=to, body=body))
        return await behaviour.receive(timeout=60)

    do = Do(asking)
    agent = await started(platform, f"asker{os.urandom(4).hex()}", do)
    await do.join()
    await agent.stop()
    return do.result


async def test_agents_live_in_processes_of_their_own_and_are_found_by_short_names():
    async with LocalPlatform(containers=2) as platform:
        assert platform.containers == ("c1", "c2")
        made = [await platform.start(Clerk, f"w{number}", {"desk": number}) for number in range(3)]
        assert made == ["w0@c1.lab.localhost", "w1@c2.lab.localhost", "w2@c1.lab.localhost"]
        pids = [child.pid for child in platform.children]
        for number, pid in zip(range(3), [*pids, pids[0]], strict=True):
            answer = await ask(platform, f"w{number}")
            assert answer.body == f"{{'desk': {number}}} {pid}"
        links = {link.peer: link.way for link in platform.container.links}
        assert links == {"c1.lab.localhost": "direct", "c2.lab.localhost": "direct"}
        await platform.start(Relay, "relay", on="c1")
        await platform.start(Cell, "cell", on="c2")
        assert (await ask(platform, "relay", "cell hello")).body == "cell: hello"
        assert len({child.pid for child in platform.children} | {os.getpid()}) == 3
    assert all(map(has_ended, pids))


async def test_many_are_started_at_once_and_those_that_cannot_be_are_named():
    async with LocalPlatform(containers=2, placement="least-loaded") as platform:
        made = await platform.start_many(Cell, [f"w{number}" for number in range(200)])
        assert (len(made), made.failed) == (200, ())
        containers = await platform.container.management.list_containers()
        assert [each.agents for each in containers] == [100, 100, 0]
        await platform.container.management.kill("w0@c1")
        await until(lambda: platform._placement.names_in("c1")[0] != "w0")
        assert await platform.start(Cell, "w0", group="red") == "w0@c1.lab.localhost"
        made = await platform.start_many(Clerk, ["a", "b"], {"desk": 1}, group="red")
        assert made == ("a@c1.lab.localhost", "b@c1.lab.localhost")
        with pytest.raises(NameTakenError):
            await platform.start_many(Clerk, ["c", "a"])
        assert await platform.start(Clerk, "c", on="c2") == "c@c2.lab.localhost"


async def test_who_has_moved_is_found_and_when_it_has_ended_elsewhere_its_name_is_free():
    async with LocalPlatform(containers=2, accepts=["tests.integration.local.crew"]) as platform:
        management = platform.container.management
        assert await platform.start(Mover, "w") == "w@c1.lab.localhost"
        assert (await ask(platform, "w")).body == "c1"
        await management.move("w@c1", "c2")
        assert (await ask(platform, "w")).body == "c2"
        await management.kill("w@c1")
        await until(lambda: platform._placement.names_in("c1") == ())
        assert await platform.start(Clerk, "w", on="c2") == "w@c2.lab.localhost"
        assert (await ask(platform, "w")).sender == "w@c2.lab.localhost"


async def test_it_waits_until_no_agent_is_left():
    async with LocalPlatform(containers=2) as platform:
        await platform.wait_until_finished()
        await platform.start(Doing, "a", {"what": "start", "value": "b"})
        await platform.wait_until_finished()
        assert [each.agents for each in await platform.container.management.list_containers()] == [0, 0, 0]
        await platform.start(Doing, "c", {"what": "fail"})
        await platform.container.management.kill("c@c2")
        with pytest.raises(
            FormicaryError, match=r"^an agent failed: ValueError: no desk left \(raised by c/Do in cont"
        ):
            await platform.wait_until_finished()


async def test_where_an_agent_has_failed_those_of_other_containers_are_waited_for_all_the_same():
    async with LocalPlatform(containers=2) as platform:
        await platform.start(Clerk, "clerk")
        await platform.start(Doing, "c", {"what": "fail"})
        await platform.container.management.kill("c@c2")
        joining = asyncio.create_task(platform.wait_until_finished())
        for _ in range(20):
            await platform.container.management.list_agents()
        assert not joining.done()
        await platform.container.management.kill("clerk@c1")
        with pytest.raises(FormicaryError, match="no desk left"):
            await joining


async def test_what_is_killed_is_said_with_its_agents_and_partners_get_failures(caplog):
    async with LocalPlatform(containers=2) as platform:
        for number in range(4):
            await platform.start(Clerk, f"w{number}")
        collect = Collect()

        async def send(behaviour):
            await behaviour.send(Message(to="w1"))

        asker = await started(platform, "asker", collect)
        do = Do(send)
        asker.add_behaviour(do)
        await do.join()
        victim = platform.children[1]
        os.kill(victim.pid, signal.SIGKILL)
        await until(lambda: victim.loss)
        said = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
        how = "was killed (SIGKILL: by a user, or by the system if memory ran out)"
        assert said == [f"container c2 (process {victim.pid}) {how}; lost agents: w1, w3"]
        assert platform.containers == ("c1",)
        asker.add_behaviour(Do(send))
        await until(lambda: any(message.performative == "failure" for message in collect.messages))
        with pytest.raises(UsageError, match=r"no container 'c2' to place agents in; it has c1$"):
            await platform.start(Clerk, "late", on="c2")
        assert await platform.start(Clerk, "w1") == "w1@c1.lab.localhost"
        await until(lambda: "c2.lab.localhost" not in platform.container.members)
        assert (await ask(platform, "w1")).performative == "inform"


async def run_until_lost(pids, what, value=None, **options):
    """Have a platform that an agent ends in one of its ways, and wait."""
    async with LocalPlatform(containers=2, **options) as platform:
        pids += [child.pid for child in platform.children]
        await platform.start(Clerk, "clerk")
        await platform.start(Clerk, "other")
        with contextlib.suppress(FormicaryError):
            await platform.start(Doing, "w", {"what": what, "value": value})
        await asyncio.Event().wait()


async def test_all_end_where_that_is_asked_for():
    pids = []
    with pytest.raises(
        ContainerLostError, match=r"^container c1 \(process \d+\) was killed .*; lost agents: clerk"
    ):
        await run_until_lost(pids, "kill", when_lost="end")
    assert len(pids) == 2
    assert all(map(has_ended, pids))
    assert not asyncio.current_task().cancelling()


async def test_an_agent_that_exits_ends_all_with_its_code():
    pids = []
    with pytest.raises(SystemExit) as exits:
        await run_until_lost(pids, "exit", 7)
    assert exits.value.code == 7
    assert all(map(has_ended, pids))


async def test_one_that_is_killed_before_all_have_met_is_not_waited_for(monkeypatch):
    order = ContainerProcess.order
    pids = []

    async def order_and_kill(process, given):
        if isinstance(given, Meet) and process._name == "c1":
            os.kill(process.pid, signal.SIGKILL)
        pids.append(process.pid)
        return await order(process, given)

    monkeypatch.setattr(ContainerProcess, "order", order_and_kill)
    with pytest.raises(ContainerLostError, match=r"^container c1 \(process \d+\) was killed"):
        async with LocalPlatform(containers=2):
            pass
    assert all(map(has_ended, pids))


async def test_who_is_killed_while_an_agent_is_started_there_is_no_reason_to_wait():
    async with LocalPlatform(containers=1) as platform:
        with pytest.raises((ContainerLostError, ManagementError, UsageError)):  # as far as that has come
            await start_all(platform, Doing, Clerk, Clerk)


async def test_what_holds_its_loop_is_ended_all_the_same(tmp_path, caplog, monkeypatch):
    sign = tmp_path / "holds"
    async with LocalPlatform(containers=1) as platform:
        await platform.start(Holding, "w", {"sign": str(sign)})
        await started(platform, "boss", Do(lambda behaviour: behaviour.send(Message(to="w"))))
        await until(sign.exists)
        monkeypatch.setattr("formicary.children.child._ENDS_WITHIN", 0.5)
        monkeypatch.setattr("formicary.children.child._ALLOWS_WITHIN", 0.5)
        with pytest.raises(
            ManagementError, match=r"^container c1 has not answered within 0.5 s: one of its agents"
        ):
            await platform.start("shop:Clerk", "late")
        pid = platform.children[0].pid
    assert has_ended(pid)
    assert "container c1 did not end within 0.5 s, and its process was killed, with w" in caplog.text


async def test_bad_input_is_one_sentence():
    class Local(Agent):
        pass

    with pytest.raises(UsageError, match=r"^a local platform must have at least one container, not 0; omit"):
        LocalPlatform(containers=0)
    with pytest.raises(UsageError, match=r"^100000000 containers need about .* ask for at most "):
        LocalPlatform(containers=100_000_000)
    with pytest.raises(
        UsageError, match=r"^a container in its own process has no option server=; it takes accepts"
    ):
        LocalPlatform(containers=1, server=None)
    with pytest.raises(UsageError, match=r"be 'continue' or 'end', not 'restart'$"):
        LocalPlatform(containers=1, when_lost="restart")
    with pytest.raises(UsageError, match=r"cannot be named 'c1', like one of the others; name it 'main'"):
        LocalPlatform(containers=1, container=Container("c1"))
    async with LocalPlatform(containers=1) as platform:
        with pytest.raises(ManagementRequestError, match=r"define it at the top level of a module$"):
            await platform.start(Local, "w")
        with pytest.raises(ManagementRequestError, match=r"no module named 'nowhere' where this container"):
            await platform.start("nowhere:Worker", "w")
        with pytest.raises(ManagementRequestError, match=r"cannot be created with these arguments"):
            await platform.start(Cell, "w", {"desk": 1})
        with pytest.raises(ManagementRequestError):
            await platform.start(Clerk, "w", {"desk": object()})
        assert await platform.start(Clerk, "w") == "w@c1.lab.localhost"
        with pytest.raises(NameTakenError):
            await platform.start(Clerk, "w")


SCRIPT = """\
import asyncio
import sys
from formicary import Agent, LocalPlatform, OneShotBehaviour

class Worker(Agent):
    def __init__(self, name, word):
        super().__init__(name)
        self.word = word

    async def setup(self):
        self.add_behaviour(Work())

class Work(OneShotBehaviour):
    async def run(self):
        print(self.agent.address, self.agent.word, __name__, flush=True)
        await self.agent.stop()

async def main():
    async with LocalPlatform(containers=2) as platform:
        await platform.start(Worker, "w1", {"word": "hello"})
        await platform.wait_until_finished()
        print(*(child.pid for child in platform.children), flush=True)
        END

if __name__ == "__main__":
    asyncio.run(main())
"""
ONE = SCRIPT.replace("containers=2", "containers=1")


def script(tmp_path, end="", text=SCRIPT, name="work.py"):
    path = tmp_path / name
    path.write_text(text.replace("END", end))
    return subprocess.Popen(
        [sys.executable, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )


async def until_gone(pids):
    await until(lambda: all(map(has_ended, pids)))


@pytest.mark.parametrize(
    ("name", "module"),
    [
        pytest.param("work.py", "work", marks=pytest.mark.full("that and more is the next one")),
        ("my-work.py", "script_my_work"),
    ],
)
def test_a_class_of_the_script_itself_works(tmp_path, name, module):
    with script(tmp_path, name=name) as process:
        said, errors = process.communicate()
    assert (said.splitlines()[0], errors, process.returncode) == (
        f"w1@c1.lab.localhost hello {module}",
        "",
        0,
    )


def test_a_script_without_a_guard_is_told_so(tmp_path):
    text = ONE.replace('if __name__ == "__main__":\n    asyncio', "asyncio")
    with script(tmp_path, text=text) as process:
        said, errors = process.communicate()
    assert said == ""
    assert 'under `if __name__ == "__main__":`' in errors.splitlines()[-1]
    assert process.returncode == 1


def test_an_exception_at_import_is_said_in_a_sentence(tmp_path):
    text = ONE.replace("import sys", 'import sys\nif __name__ != "__main__":\n    raise ValueError("closed")')
    with script(tmp_path, text=text) as process:
        _, errors = process.communicate()
    assert errors.splitlines()[-1].endswith(
        "work.py cannot be imported by another process: ValueError: closed"
    )


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        signal.SIGKILL,
        pytest.param(signal.SIGTERM, marks=pytest.mark.full("it ends at once, as by SIGKILL")),
    ],
)
async def test_the_processes_end_with_the_program_however_that_ends(tmp_path, number):
    with script(tmp_path, "await asyncio.Event().wait()") as process:
        process.stdout.readline()
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert len(pids) == 2
        os.kill(process.pid, number)
        await until_gone(pids)
        _, errors = process.communicate()
    if number == signal.SIGINT:
        assert errors.splitlines()[-1] == "KeyboardInterrupt"


async def test_a_raised_exception_ends_them_in_order(tmp_path):
    with script(tmp_path, "raise LookupError('done')") as process:
        said, errors = process.communicate()
    await until_gone(int(pid) for pid in said.splitlines()[1].split())
    assert errors.splitlines()[-1] == "LookupError: done"
