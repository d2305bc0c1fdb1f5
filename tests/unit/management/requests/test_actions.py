"""What one class of an action brings about: a request, a call in Python, and a command."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
import typer.main
from tests.unit.core.agents import Collect, Deaf, Do, start

from formicary import Container, Message
from formicary.cli import app, guest_session
from formicary.cli.command_tree import LazyCommand
from formicary.cli.guest_session import GuestSession
from formicary.errors import ManagementRequestError, UnknownAgentError
from formicary.management.requests.actions import actions
from formicary.management.requests.language import Command, OfAgent, Option, Result, make_request
from formicary.testing import MemoryNetwork, until_idle

POKED = Counter()


class Poke(OfAgent[Result], frozen=True, tag="poke"):
    """Poke an agent."""

    times: float

    command = Command(
        "poked",
        "Poke agents.",
        ("poke alice", "poke alice --times 3"),
        {"times": Option("--times", "TIMES", "How often.", 1)},
    )

    def perform(self, here):
        POKED[here.find(self.agent)] += self.times
        return Result("poke", self.agent)


@asynccontextmanager
async def containers():
    network = MemoryNetwork()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        await until_idle()
        yield c1, c2


@pytest.mark.virtual_clock
async def test_it_is_done_where_the_agent_is_whoever_calls():
    async with containers() as (c1, c2):
        alice = await start(c1, "alice", Deaf())
        for container in (c1, c2):
            assert (await container.management.perform(Poke("alice@c1", 2))).agent == alice.address
        assert POKED[alice] == 4
        with pytest.raises(UnknownAgentError):
            await c2.management.perform(Poke("bob@c1", 1))
        with pytest.raises(ManagementRequestError, match="times"):
            make_request(Poke, agent="alice", times="often")


@pytest.mark.virtual_clock
async def test_it_is_asked_for_by_message():
    async with containers() as (c1, c2):
        alice = await start(c1, "alice", Deaf())
        body = json.dumps({"action": "poke", "agent": "alice", "times": 3})
        asked = Collect()

        async def ask(behaviour):
            await behaviour.send(Message(to="ams@c1", performative="request", body=body))

        await start(c2, "bob", asked, Do(ask))
        await until_idle()
        assert json.loads(asked.messages[-1].body) == {"done": "poke", "agent": alice.address}
        assert POKED[alice] == 3


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["alice"], "poked alice@c1.lab.localhost\n"),
        (
            ["alice", "--times", "5", "--json"],
            '[{"agent":"alice@c1.lab.localhost","done":true,"error":null}]\n',
        ),
    ],
)
@pytest.mark.virtual_clock
async def test_it_is_a_command(monkeypatch, capsys, typed, said):
    async with containers() as (c1, c2):
        alice = await start(c1, "alice", Deaf())
        works = []
        session = GuestSession(c2, SimpleNamespace(domain=c1.domain))
        monkeypatch.setattr(guest_session, "_run_session", lambda _settings, _name, do: do(session))
        monkeypatch.setattr(guest_session, "_run", works.append)
        command = LazyCommand("poke", "formicary.cli.life:poke", "", "POKE").load()
        assert command.help == "Poke agents."
        assert "formicary poke alice --times 3" in command.epilog
        command.main(typed, standalone_mode=False)
        await works.pop()
        assert capsys.readouterr().out == said
        assert POKED[alice] == (5 if "--times" in typed else 1)


def test_each_command_that_the_platform_declares_is_in_the_help():
    declared = {
        name
        for name, kind in actions().items()
        if kind.command is not None and kind.__module__.startswith("formicary.")
    }
    assert {"kill", "suspend"} < declared
    assert declared <= {*typer.main.get_group(app).list_commands(None)}
