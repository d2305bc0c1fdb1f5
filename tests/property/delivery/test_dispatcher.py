"""Whatever happens to agents: each message is received once or is a dead letter, in order."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from contextlib import suppress

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.property.searches import at_first

from formicary import (
    Agent,
    AgentState,
    Container,
    CyclicBehaviour,
    Instrument,
    Limits,
    Message,
    MicroAgent,
    OneShotBehaviour,
    Template,
)
from formicary.delivery.dead_letters import DeadLetters
from formicary.errors import ContainerClosedError, MailboxFullError
from formicary.testing import MemoryNetwork, VirtualClockLoop, until_idle

NAMES = ["a", "b", "c", "d"]
WANTED = Template(performative="inform")
NOTHING = Template(performative="nothing")


class Ledger:
    """The sent messages, and where each is now."""

    def __init__(self):
        self.sent = Counter()  # by body and receiver
        self.received = Counter()
        self.order = defaultdict(list)  # by sending behaviour and receiving agent

    def receive(self, message, agent):
        self.received[message.body, agent.name] += 1
        thread, number = message.body.split("/")
        self.order[thread, agent.name].append(int(number))


class EveryDeadLetter(DeadLetters):
    """Keeps all of them."""

    def __init__(self):
        super().__init__()
        self.dead = Counter()

    def add(self, letter, **how):
        super().add(letter, **how)
        if letter.message.performative == "inform":
            self.dead[letter.message.body, letter.receiver.partition("@")[0]] += 1


class Receive(CyclicBehaviour):
    def __init__(self, ledger, pause, patience):
        super().__init__()
        self.ledger = ledger
        self.pause = pause
        self.patience = patience

    async def run(self):
        if self.pause:
            await asyncio.sleep(self.pause)
        if self.patience == "timeout":
            message = await self.receive(timeout=0.3)
        elif self.patience == "cancel":
            message = None
            with suppress(TimeoutError):
                async with asyncio.timeout(0.3):
                    message = await self.receive()
        elif self.patience == "task":
            message = await asyncio.wait_for(asyncio.ensure_future(self.receive(timeout=0.3)), 100)
        else:
            message = await self.receive()
        if message is not None:
            self.ledger.receive(message, self.agent)


class Send(OneShotBehaviour):
    def __init__(self, ledger, thread, to, count, pause):
        super().__init__()
        self.ledger = ledger
        self.thread = thread
        self.to = to
        self.count = count
        self.pause = pause
        self.template = NOTHING

    async def run(self):
        for number in range(self.count):
            body = f"{self.thread}/{number}"
            sent = Counter((body, name.partition("@")[0]) for name in self.to)
            self.ledger.sent += sent
            to = self.to[0] if len(self.to) == 1 and number % 2 else self.to  # by the short and the long way
            try:
                await self.send(Message(to=to, body=body, performative="inform"))
            except ContainerClosedError:
                self.ledger.sent -= sent
                return
            except MailboxFullError:
                pass
            if self.pause:
                await asyncio.sleep(self.pause)


class Plain(MicroAgent):
    def __init__(self, name, ledger):
        super().__init__(name)
        self.ledger = ledger

    def handle(self, message):
        if message.performative == "inform":
            self.ledger.receive(message, self)


class Async(Plain):
    async def handle(self, message):
        Plain.handle(self, message)
        await asyncio.sleep(1)


class Conservation(RuleBasedStateMachine):
    """Random lives of agents in two containers."""

    @initialize(
        delay=st.sampled_from([0, 0.2]),
        limit=st.sampled_from([1, 3, 100]),
        when_full=st.sampled_from(["wait", "fail"]),
        watched=st.booleans(),
    )
    def open(self, delay, limit, when_full, watched):
        self.runner = asyncio.Runner(loop_factory=VirtualClockLoop)
        self.network = MemoryNetwork(delay=delay)
        self.ledger = Ledger()
        self.letters = EveryDeadLetter()
        self.agents = {}
        self.threads = 0

        async def open_both():
            self.containers = []
            for name in ("c1", "c2"):
                container = self.make_container(
                    name,
                    server=self.network,
                    limits=Limits(mailbox=limit, micro_agents=limit, when_full=when_full, send_timeout=3),
                )
                container.dispatcher.dead_letters = self.letters
                if watched:
                    container.add_instrument(Instrument())
                await container.__aenter__()
                self.containers.append(container)

        self.runner.run(open_both())

    @staticmethod
    def make_container(name, **about):
        """Make a container; others make others."""
        return Container(name, **about)

    @staticmethod
    def place(name):
        """Each name has its container."""
        return NAMES.index(name) % 2

    def do(self, function, *arguments):
        async def call():
            result = function(*arguments)
            if asyncio.iscoroutine(result):
                await result

        self.runner.run(call())

    def of_kind(self, kind, *states):
        agents = [agent for agent in self.agents.values() if isinstance(agent, kind)]
        return [agent for agent in agents if not states or (agent.state in states and not agent._stopping)]

    @rule(
        name=st.sampled_from(NAMES),
        kind=st.sampled_from(["agent", "plain", "async"]),
        pause=st.sampled_from([0, 0.5]),
        patience=st.sampled_from(["none", "timeout", "cancel", "task"]),
    )
    def start(self, name, kind, pause, patience):
        if name in self.agents:
            return
        if kind == "agent":
            agent = Agent(name)
            agent.add_behaviour(Receive(self.ledger, pause, patience), WANTED)
        else:
            agent = (Plain if kind == "plain" else Async)(name, self.ledger)
        self.agents[name] = agent
        self.do(self.containers[self.place(name)].start, agent)

    @precondition(lambda self: self.of_kind(Agent))
    @rule(
        data=st.data(),
        to=st.lists(st.sampled_from([*NAMES, "nobody"]), min_size=1, max_size=3, unique=True),
        count=st.integers(1, 8),
        pause=st.sampled_from([0, 0.1]),
    )
    def send(self, data, to, count, pause):
        agent = data.draw(st.sampled_from(self.of_kind(Agent)))
        full = tuple(f"{name}@c{self.place(name) + 1}" if name != "nobody" else name for name in to)
        self.threads += 1
        self.do(agent.add_behaviour, Send(self.ledger, f"t{self.threads}", full, count, pause))

    @precondition(lambda self: self.agents)
    @rule(data=st.data(), at_once=st.booleans())
    def stop(self, data, at_once):
        agent = self.agents.pop(data.draw(st.sampled_from(sorted(self.agents))))
        if not at_once:
            self.do(until_idle)
        self.do(agent.stop)

    @precondition(lambda self: self.of_kind(Agent, AgentState.ACTIVE))
    @rule(data=st.data())
    def suspend(self, data):
        data.draw(st.sampled_from(self.of_kind(Agent, AgentState.ACTIVE))).suspend()

    @precondition(lambda self: self.of_kind(Agent, AgentState.SUSPENDED))
    @rule(data=st.data())
    def resume(self, data):
        self.do(data.draw(st.sampled_from(self.of_kind(Agent, AgentState.SUSPENDED))).resume)

    @precondition(lambda self: self.of_kind(Agent))
    @rule(data=st.data(), pause=st.sampled_from([0, 0.5]))
    def replace_receiver(self, data, pause):
        agent = data.draw(st.sampled_from(self.of_kind(Agent)))

        def replace():
            for behaviour in agent.behaviours:
                if isinstance(behaviour, Receive) and not behaviour.is_killed():
                    # Until it has ended both would receive, so the new one comes after the end.
                    agent.remove_behaviour(behaviour)
                    asyncio.get_running_loop().create_task(follow(behaviour))
                    return

        async def follow(behaviour):
            await behaviour.join()
            if agent.state is not AgentState.GONE and not agent._stopping:
                agent.add_behaviour(Receive(self.ledger, pause, "none"), WANTED)

        self.do(replace)

    @precondition(lambda self: any(isinstance(b, Send) for a in self.of_kind(Agent) for b in a.behaviours))
    @rule(data=st.data())
    def kill_sender(self, data):
        senders = [b for a in self.of_kind(Agent) for b in a.behaviours if isinstance(b, Send)]
        self.do(data.draw(st.sampled_from(senders)).kill)

    @rule(seconds=st.sampled_from([0, 0.1, 0.35, 1, 4]))
    def pass_time(self, seconds):
        self.do(asyncio.sleep, seconds)

    @rule()
    def settle(self):
        self.do(until_idle)

    @invariant()
    def nothing_is_received_twice_or_out_of_order(self):
        if hasattr(self, "ledger"):
            assert not [entry for entry, count in self.ledger.received.items() if count > 1]
            for numbers in self.ledger.order.values():
                assert numbers == sorted(numbers)

    def teardown(self):
        if not hasattr(self, "runner"):
            return

        async def close():
            for container in reversed(self.containers):
                await container.__aexit__(None, None, None)
            await until_idle()
            return asyncio.all_tasks() - {asyncio.current_task()}

        try:
            assert self.runner.run(close()) == set()
            accounted = self.ledger.received + self.letters.dead
            assert accounted == self.ledger.sent
            self.nothing_is_received_twice_or_out_of_order()
        finally:
            self.runner.close()


TestConservation = Conservation.TestCase
TestConservation.settings = at_first(40, 150, stateful_step_count=25)
