"""What newcomers get wrong is refused at once, in a sentence that says what to write."""

from __future__ import annotations

import asyncio
import functools
import re
from datetime import timedelta
from typing import ClassVar

import pytest
from tests.unit.core.agents import Collect, do, start

from formicary import (
    Agent,
    Container,
    CyclicBehaviour,
    FSMBehaviour,
    Message,
    MicroAgent,
    OneShotBehaviour,
    PeriodicBehaviour,
    State,
    Template,
    TimeoutBehaviour,
)
from formicary.errors import AgentStateError, DefinitionError, UsageError
from formicary.testing import until_idle


class Forgetful(CyclicBehaviour):
    def __init__(self):
        self.count = 0

    async def run(self):
        await self.receive()


class ForgetfulTicker(PeriodicBehaviour):
    def __init__(self):
        self.count = 0

    async def run(self):
        self.count += 1


class ForgetfulTimer(TimeoutBehaviour):
    def __init__(self):
        self.count = 0

    async def run(self):
        self.count += 1


class Plain(OneShotBehaviour):
    done = False

    def run(self):
        Plain.done = True


class PlainWithReturn(OneShotBehaviour):
    def run(self):
        if not self.agent:
            return
        self.kill()


class PlainStart(Collect):
    def on_start(self):
        self.count = 0


class PlainEnd(Collect):
    def on_end(self):
        self.count = 0


class PlainReceive(Collect):
    def receive(self, timeout=None):
        self.count = 0


class Generator(OneShotBehaviour):
    def run(self):
        yield


class AsyncGenerator(OneShotBehaviour):
    async def run(self):
        yield


class Attribute(OneShotBehaviour):
    run = 7


class Idle(CyclicBehaviour):
    pass


class ClassTemplate(Collect):
    template = Template(performative="request")


class OwnAgent(Collect):
    def __init__(self):
        super().__init__()
        self.agent = "alice"


class Red(State):
    async def run(self):
        pass


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (Collect, "add_behaviour() takes a behaviour, not its class: write add_behaviour(Collect())"),
        (ForgetfulTicker, "not its class: write add_behaviour(ForgetfulTicker(...))"),
        (
            Collect.run,
            "add_behaviour() takes a behaviour, not function: define a subclass of OneShotBehaviour",
        ),
        (None, "add_behaviour() takes a behaviour, not NoneType"),
        (Agent("x"), "add_behaviour() takes a behaviour, not Agent"),
        (Forgetful(), "Forgetful.__init__() does not call super().__init__(): make that its first line"),
        (ForgetfulTicker(), "ForgetfulTicker.__init__() does not call super().__init__(period): make that"),
        (ForgetfulTimer(), "ForgetfulTimer.__init__() does not call super().__init__(start_at): make that"),
        (Plain(), "Plain.run() is a plain function, which cannot be awaited: write `async def run(self)`"),
        (PlainWithReturn(), "PlainWithReturn.run() is a plain function"),
        (
            PlainStart(),
            "PlainStart.on_start() is a plain function, which cannot be awaited: write `async def",
        ),
        (PlainEnd(), "PlainEnd.on_end() is a plain function"),
        (PlainReceive(), "PlainReceive.receive() is a plain function"),
        (Generator(), "Generator.run() contains a `yield`, so it cannot be awaited: remove it"),
        (AsyncGenerator(), "AsyncGenerator.run() contains a `yield`"),
        (Attribute(), "Attribute.run is int, and no function: write `async def run(self)`"),
        (Idle(), "Idle has no run(): write `async def run(self)`"),
        (OneShotBehaviour(), "OneShotBehaviour has no run(): define a class with `async def run(self)`"),
        (
            ClassTemplate(),
            "ClassTemplate has a template in its class body, where it has no effect: set self.temp",
        ),
        (OwnAgent(), "OwnAgent has its own attribute `agent`, which is str: rename it"),
        (Red(), "Red is a state, which runs inside a machine: write FSMBehaviour().add_state('red', Red())"),
    ],
)
def test_what_is_no_behaviour_is_refused_before_it_runs(given, sentence):
    agent = Agent("a")
    for _ in range(2):  # what was looked at once is refused again
        with pytest.raises(DefinitionError, match=re.escape(sentence)):
            agent.add_behaviour(given)
    assert agent.behaviours == ()
    assert not Plain.done


@pytest.mark.parametrize("template", [{"performative": "request"}, "request", Message(to="a"), Template, Red])
def test_what_is_no_template_is_refused(template):
    agent, behaviour = Agent("a"), Collect()
    sentence = (
        "a template must be a Template, such as Template(performative='request'), not "
        f"{type(template).__name__}"
    )
    with pytest.raises(DefinitionError, match=re.escape(sentence)):
        agent.add_behaviour(behaviour, template)
    behaviour.template = template
    with pytest.raises(DefinitionError, match=re.escape(sentence)):
        agent.add_behaviour(behaviour)
    assert agent.behaviours == ()
    behaviour.template = None
    agent.add_behaviour(behaviour)


@pytest.mark.virtual_clock
async def test_what_can_be_awaited_is_taken_however_it_is_written():
    runs = []

    async def work(behaviour):
        runs.append(type(behaviour).__name__)

    class Returns(OneShotBehaviour):
        def run(self):
            return work(self)

    def twice(function):
        @functools.wraps(function)
        def run(self):
            return asyncio.gather(function(self), function(self))

        return run

    class Decorated(OneShotBehaviour):
        run = twice(work)

    class Partial(OneShotBehaviour):
        run = functools.partialmethod(work)

    class Placeholder(OneShotBehaviour):
        def run(self):
            raise NotImplementedError

    class Filled(Placeholder):
        async def run(self):
            await work(self)

    class Mixed:
        async def run(self):
            await work(self)

    class Mixing(Mixed, OneShotBehaviour):
        pass

    async with Container("c1") as container:
        await start(container, "a", Returns(), Decorated(), Partial(), Filled(), Mixing())
        own = Idle()
        own.run = lambda: work(own)
        own.kill()
        await start(container, "b", own)
        await until_idle()
    assert runs == ["Returns", "Partial", "Filled", "Mixing", "Decorated", "Decorated"]


@pytest.mark.parametrize(
    "period", [0, -1, 0.0, float("nan"), float("inf"), "1", None, timedelta(seconds=1), True]
)
def test_a_period_is_a_number_of_seconds_above_zero(period):
    with pytest.raises(UsageError, match=r"a period must be a number of seconds above 0, such as 0\.5, not "):
        PeriodicBehaviour(period)
    behaviour = PeriodicBehaviour(1)
    with pytest.raises(UsageError, match="a period must be a number of seconds above 0"):
        behaviour.period = period
    assert behaviour.period == 1


def test_a_behaviour_belongs_to_one_agent_once():
    agent, behaviour = Agent("a"), Collect()
    agent.add_behaviour(behaviour)
    with pytest.raises(AgentStateError, match="agent a has behaviour Collect of agent a already"):
        agent.add_behaviour(behaviour)
    with pytest.raises(
        AgentStateError, match="Collect of agent a already has an agent; create a behaviour for ea"
    ):
        Agent("b").add_behaviour(behaviour)


@pytest.mark.virtual_clock
async def test_a_behaviour_that_has_ended_is_not_added_again():
    async with Container("c1") as container:
        behaviour = do(lambda _: asyncio.sleep(0))
        agent = await start(container, "a", behaviour)
        await behaviour.join()
        for other in agent, Agent("b"):
            with pytest.raises(AgentStateError, match="behaviour Do of agent a has ended; create a new one"):
                other.add_behaviour(behaviour)


class Nameless(Agent):
    def __init__(self):
        self.count = 0


class Hasty(Agent):
    def __init__(self, name):
        self.add_behaviour(Collect())
        super().__init__(name)


class NamelessMicro(MicroAgent):
    def __init__(self):
        self.count = 0


class PlainSetup(Agent):
    def setup(self):
        self.add_behaviour(Collect())


class Talkative(Agent):
    """Has methods of its own with names that mean something elsewhere."""

    def run(self):
        self.count = 0

    def send(self):
        self.run()


class Prepared(Collect):
    def setup(self):
        self.count = 0


@pytest.mark.virtual_clock
async def test_methods_of_ones_own_are_nobodys_business():
    async with Container("c1") as container:
        agent = Talkative("a")
        agent.add_behaviour(Prepared())
        await container.start(agent)
        assert len(agent.behaviours) == 1


class Moody(Agent):
    def __init__(self, name, attribute="state"):
        super().__init__(name)
        setattr(self, attribute, "thinking")


class Listed(Agent):
    behaviours: ClassVar = ["walk"]


@pytest.mark.virtual_clock
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (Agent, "start() takes an agent, not its class: write start(Agent('agent'))"),
        (Nameless, "start() takes an agent, not its class: write start(Nameless('nameless'))"),
        (
            Collect(),
            "start() takes an agent, not Collect: create an agent, and call its add_behaviour() with this",
        ),
        ("alice", "start() takes an agent, not str"),
        (
            Nameless(),
            "Nameless.__init__() does not call super().__init__(name): make that its first line",
        ),
        (
            NamelessMicro(),
            "NamelessMicro.__init__() does not call super().__init__(name): make that its first",
        ),
        (
            PlainSetup("a"),
            "PlainSetup.setup() is a plain function, which cannot be awaited: write `async def setup",
        ),
        (Moody("a", "stop"), "agent a has set `stop` to str, but that attribute is reserved"),
        (
            Moody("a", "_behaviours"),
            "agent a has set `_behaviours` to str, but that attribute is reserved",
        ),
        (Listed("a"), "agent a has set `behaviours` to list, but that attribute is reserved"),
    ],
)
async def test_what_is_no_agent_is_refused(given, sentence):
    async with Container("c1") as container:
        for _ in range(2):
            with pytest.raises(DefinitionError, match=re.escape(sentence)):
                await container.start(given)
        assert container.agents == ()


async def test_who_replaces_what_only_the_platform_calls_is_told():
    class Player(Agent):
        def abandon(self):
            """Leave the game."""

    class Game(CyclicBehaviour):
        def start_strand(self):
            """Begin to spin."""

        async def run(self):
            await self.receive()

    async with Container("c1") as container:
        with pytest.raises(
            DefinitionError, match="agent a has set `abandon` to function, but that attribute"
        ):
            await container.start(Player("a"))
        with pytest.raises(DefinitionError, match="Game has set `start_strand` to function"):
            Agent("b").add_behaviour(Game())


async def test_an_agent_that_sets_its_state_while_it_is_set_up_is_told():
    class Slow(Agent):
        async def setup(self):
            self.state = "thinking"

    async with Container("c1") as container:
        with pytest.raises(DefinitionError, match="agent slow has set `state` to str"):
            await container.start(Slow("slow"))
        assert container.agents == ()


@pytest.mark.parametrize("attribute", ["mailbox", "kill", "receive", "strand_phase"])
def test_a_behaviour_that_sets_what_is_the_platforms_is_told(attribute):
    class Busy(Collect):
        def __init__(self):
            super().__init__()
            setattr(self, attribute, "busy")

    with pytest.raises(
        DefinitionError, match=f"Busy has set `{attribute}` to str, but that attribute is reserved"
    ):
        Agent("a").add_behaviour(Busy())


def test_an_agent_that_adds_behaviours_before_it_is_one_is_told():
    with pytest.raises(
        DefinitionError, match=r"Hasty.__init__\(\) does not call super\(\).__init__\(name\): make"
    ):
        Hasty("a")
    with pytest.raises(DefinitionError, match="make that its first line"):
        Nameless().add_behaviour(Collect())


class Light(FSMBehaviour):
    def __init__(self):
        self.add_state("red", Red(), initial=True)


class ForgetfulState(State):
    def __init__(self):
        self.count = 0

    async def run(self):
        pass


class PlainState(State):
    def run(self):
        pass


class EmptyState(State):
    pass


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (Red, "add_state() takes a state, not its class: write add_state('red', Red())"),
        (Collect(), "add_state() takes a state, not Collect: define a subclass of State"),
        (
            ForgetfulState(),
            "ForgetfulState.__init__() does not call super().__init__(): make that its first",
        ),
        (PlainState(), "PlainState.run() is a plain function, which cannot be awaited: write `async def run"),
        (EmptyState(), "EmptyState has no run(): write `async def run(self)`"),
    ],
)
def test_what_is_no_state_is_refused(given, sentence):
    machine = FSMBehaviour()
    with pytest.raises(DefinitionError, match=re.escape(sentence)):
        machine.add_state("red", given, initial=True)


def test_a_machine_that_adds_states_before_it_is_one_is_told():
    with pytest.raises(
        DefinitionError, match=r"Light.__init__\(\) does not call super\(\).__init__\(\): make"
    ):
        Light()
