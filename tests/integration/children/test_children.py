"""One more container in a process of its own: `container.spawn`."""

from __future__ import annotations

import contextlib
import os
import signal

import psutil
import pytest
from tests.integration.local.crew import Cell, Clerk, Doing
from tests.integration.transport.raw import until
from tests.processes import has_ended
from tests.unit.core.agents import Do

from formicary import Agent, Container, Message, Services
from formicary.errors import (
    ContainerClosedError,
    ContainerLostError,
    ManagementError,
    NameTakenError,
    UnauthorisedError,
    UsageError,
)


async def test_it_joins_the_container_and_ends_with_the_block():
    async with Container("c1", listen="127.0.0.1") as c1, c1.spawn("w1", seed=7) as worker:
        assert await worker.start(Clerk, "clerk", {"desk": 3}) == "clerk@w1.lab.localhost"

        async def ask(behaviour):
            await behaviour.send(Message(to="clerk@w1"))
            return await behaviour.receive(timeout=60)

        do = Do(ask)
        asker = Agent("asker")
        asker.add_behaviour(do)
        await c1.start(asker)
        await do.join()
        assert do.result.body == f"{{'desk': 3}} {worker.pid}"
        assert set(c1.members) == {"c1.lab.localhost", "w1.lab.localhost"}
        with pytest.raises(NameTakenError):
            await worker.start(Cell, "clerk")
        pid = worker.pid
    assert has_ended(pid)


async def test_it_is_told_no_secret_where_others_see_it():
    async with Container("c1", listen="127.0.0.1") as c1, c1.spawn("w1") as worker:
        seen = psutil.Process(worker.pid)
        secret = str(c1.join_address).rpartition("/")[2]
        assert secret not in " ".join([*seen.cmdline(), *seen.environ().values()])


async def test_only_agents_of_modules_that_the_program_has_named_are_created_there():
    async with Container("c1", listen="127.0.0.1") as c1, c1.spawn("w1") as worker:
        with pytest.raises(UnauthorisedError):
            await c1.management.create(Clerk, "clerk", container="w1")
        await worker.start(Clerk, "clerk")
        await c1.management.create(Cell, "cell", container="w1")


async def test_its_death_is_reported_and_the_block_continues(caplog):
    async with Container("c1", listen="127.0.0.1") as c1, c1.spawn("w1") as worker:
        await worker.start_many_placed(Cell, ["not-remembered"], None)
        for number in range(7):
            await worker.start(Cell, f"cell{number}")
        os.kill(worker.pid, signal.SIGTERM)
        await until(lambda: worker.loss)
        said = f"container w1 (process {worker.pid}) was killed (SIGTERM)"
        assert caplog.messages[0] == f"{said}; lost agents: cell0, cell1, cell2, cell3, cell4 and 2 more"
        with pytest.raises(ContainerLostError) as lost:
            await worker.start(Cell, "late")
        assert str(lost.value) == said
        with pytest.raises(ContainerLostError):
            await worker.join()


async def test_an_agent_that_exits_ends_it(caplog):
    async with Container("c1", listen="127.0.0.1") as c1, c1.spawn("w1") as worker:
        with contextlib.suppress(ManagementError):  # it may end before it has said that the agent is there
            await worker.start(Doing, "doing", {"what": "exit", "value": 3})
        await until(lambda: worker.loss)
        assert worker.report.exit_code == 3
        assert "ended because one of its agents ended it" in caplog.text


async def test_what_cannot_be_is_refused_in_a_sentence(monkeypatch):
    closed = Container("c1", listen="127.0.0.1")
    with pytest.raises(ContainerClosedError, match="is not open"):
        closed.spawn("w1")
    async with Container("c1") as alone:
        with pytest.raises(
            ContainerClosedError, match=r"^container c1 cannot be joined; open it with listen="
        ):
            alone.spawn("w1")
    async with Container("c1", listen="127.0.0.1") as c1:
        with pytest.raises(
            UsageError, match=r"^a container in its own process cannot have sleepers= in services=; omit it"
        ):
            c1.spawn("w1", services=Services(sleepers="file"))
        with pytest.raises(ContainerLostError, match="never started"):
            _ = c1.spawn("w1").pid
        with pytest.raises(UsageError, match="no package or module 'nosuch' here"):
            async with c1.spawn("w1", accepts=["nosuch"]):
                pass

        def refuse(*arguments, **options):
            raise OSError(11, "Resource temporarily unavailable")

        monkeypatch.setattr("formicary.children.process.Child", refuse)
        with pytest.raises(
            ContainerLostError,
            match=r"^the process of container w1 cannot be started \(Resource temporarily unavailable\); ask",
        ):
            async with c1.spawn("w1"):
                pass
