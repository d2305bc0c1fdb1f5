"""What agents ask of the service that moves them."""

from __future__ import annotations

import pytest

from formicary import Agent, Container, MicroAgent
from formicary.errors import ContainerClosedError, MoveError, UsageError


@pytest.mark.parametrize("kind", [Agent, MicroAgent])
async def test_an_agent_that_is_nowhere_cannot_move(kind):
    with pytest.raises(ContainerClosedError, match=r"alice is not in a container; container\.start\(\) it"):
        await kind("alice").move("c2")


@pytest.mark.parametrize("kind", [Agent, MicroAgent])
async def test_to_move_to_where_it_is_does_nothing(kind):
    async with Container("c1") as c1:
        agent = kind("alice")
        await c1.start(agent)
        await agent.move("c1")
        await agent.move("c1.lab.localhost")
        assert c1.agents == (agent,)


@pytest.mark.parametrize(
    "asked",
    [lambda a: a.move("c2"), lambda a: a.clone("c2", "bob")],
    ids=["move", "clone"],
)
async def test_a_refused_agent_stays(asked):
    async with Container("c1") as c1:
        agent = Agent("alice")
        await c1.start(agent)
        with pytest.raises(MoveError):
            await asked(agent)
        assert c1.agents == (agent,)


@pytest.mark.parametrize("to", ["", "C2", "c2/x", ".lab.localhost"])
async def test_what_cannot_be_a_container_s_name_is_said_to_be_none(to):
    async with Container("c1") as c1:
        agent = Agent("alice")
        await c1.start(agent)
        with pytest.raises(MoveError, match=r"alice cannot move: '.*' is not a valid container name"):
            await agent.move(to)
        assert c1.agents == (agent,)


def test_who_does_not_move_has_nothing_of_it():
    assert not hasattr(Agent("alice"), "__dict__")
    assert (Agent.data, Agent.data_version, Agent.transient) == (None, 1, ())


def test_data_of_another_version_needs_an_upgrade():
    with pytest.raises(MoveError, match="version 3, but Agent there has version 1: write an upgrade"):
        Agent.upgrade({}, 3)


def test_a_container_accepts_modules_by_name():
    assert Container("c1").accepts == ()
    assert Container("c1", accepts="json").accepts == ("json",)
    assert Container("c1", accepts=["json.tool", "email"]).accepts == ("json.tool", "email")


@pytest.mark.parametrize("given", ["", "shop:Agent", "shop.", ["json", 3], ["../json"]])
def test_what_names_no_module_is_not_accepted(given):
    with pytest.raises(UsageError, match="accepts= takes package or module names"):
        Container("c1", accepts=given)
