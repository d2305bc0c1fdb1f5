"""Who sets an attribute of agents that is the platform's is told so at once."""

from __future__ import annotations

import pytest
from tests.unit.core.agents import do, start

from formicary import Agent, Container
from formicary.errors import DefinitionError


class Moody(Agent):
    def __init__(self, name, attribute):
        super().__init__(name)
        setattr(self, attribute, "thinking")


RESERVED = [
    "name",
    "address",
    "state",
    "container",
    "directory",
    "groups",
    "behaviours",
    "random",
    "failures",
]


@pytest.mark.parametrize("attribute", RESERVED)
async def test_who_sets_what_is_the_platforms_is_told_at_once(attribute):
    sentence = f"agent a has set `{attribute}` to str, but that attribute is reserved: rename it"
    with pytest.raises(DefinitionError, match=sentence):
        Moody("a", attribute)
    behaviour = do(lambda own: setattr(own.agent, attribute, "busy"))
    async with Container("c1") as container:
        await start(container, "a", behaviour)
        with pytest.raises(DefinitionError, match=sentence):
            await behaviour.join()
        await container.agents[0].stop()


@pytest.mark.parametrize("attribute", ["_address", "_state"])
async def test_who_sets_what_the_platform_keeps_there_is_told_at_the_start(attribute):
    class Hidden(Moody):
        pass

    async with Container("c1") as container:
        with pytest.raises(DefinitionError, match=f"agent a has set `{attribute}` to str"):
            await container.start(Hidden("a", attribute))


async def test_who_sets_its_state_before_it_is_an_agent_is_told():
    class Early(Agent):
        def __init__(self):
            self.state = "early"
            super().__init__("early")

    with pytest.raises(DefinitionError, match="Early has set `state` to str, but that attribute is reserved"):
        Early()


async def test_who_sets_an_attribute_to_what_it_is_changes_nothing():
    class Twice(Agent):
        def __init__(self, name):
            super().__init__(name)
            self.name = name

    async with Container("c1") as container:
        await container.start(twice := Twice("twice"))
        assert (twice.name, twice.address) == ("twice", "twice@c1.lab.localhost")
