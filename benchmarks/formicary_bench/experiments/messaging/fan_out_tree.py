"""A message that goes down a tree of agents and is acknowledged up again: `messaging/fan-out-tree`.

The whole experiment is here. What only its agents need is imported when they run, to keep
`formicary bench list` quick.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

from formicary_bench.experiments.experiment import AS_IT_IS, Experiment, Figure, Preset
from formicary_bench.experiments.messaging import OURS
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.metrics import MEAN, P99, PER_SECOND, TIME, Metric
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import PAYLOAD, ROUNDS, Exchange, Rounds
from formicary_bench.vocabulary.places import SAME

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from formicary import CyclicBehaviour, OneShotBehaviour
    from formicary_bench.vocabulary.parameters.parameter import HasParameters
    from formicary_bench.worker.workload import PreparedRole, Workload

CPU_GROUP = "agents"

BRANCHING = Parameter(
    name="branching",
    kind=whole(1, 100),
    unit="children",
    help="Number of agents that each agent of the tree passes a message on to.",
    example=[2, 4],
    few=4,
)
DEPTH = Parameter(
    name="depth",
    kind=whole(1, 12),
    unit="levels",
    help="Number of levels below the first agent.",
    example=[1, 3],
    few=3,
)


class Tree(Exchange, frozen=True, kw_only=True):
    """A tree of agents whose root sends."""

    branching: Annotated[int, BRANCHING] = 0
    depth: Annotated[int, DEPTH] = 0
    payload_bytes: Annotated[int, PAYLOAD] = 0
    rounds: Annotated[Rounds, ROUNDS] = (0, 0, 0)
    pairs: int = 1

    @property
    def agents(self) -> int:
        """The number of agents below the root."""
        return sum(self.branching**level for level in range(1, self.depth + 1))


MESSAGES = Metric("messages_per_s", "messages per second", PER_SECOND, "messages/s", more_is_better=True)


def _messages_per_s(one: HasParameters, values: Mapping[str, float]) -> float | None:
    """Return the messages per second: one down to each agent, and one up from it."""
    mean_us = values.get(MEAN.name)
    return 2 * Tree.of(one).agents * 1e6 / mean_us if mean_us else None


EXPERIMENT = Experiment(
    name="messaging/fan-out-tree",
    title="A message down a tree of agents, with acknowledgements",
    what="time until all agents of a tree have received and acknowledged a message",
    parameters=Tree,
    sizes={"branching": (2, 4), "depth": (1, 2, 4), "payload_bytes": (100,), "rounds": (50, 200, 0)},
    placements=(SAME,),
    subjects=(OURS,),
    quick=Preset(sizes={"depth": (1, 3)}),
    metrics=(MEAN, TIME, P99, MESSAGES),
    derived={MESSAGES: _messages_per_s},
    main=MESSAGES,
    over="depth",
    figures=(Figure(metric=MEAN, over="depth"), Figure(metric=MESSAGES, over="branching")),
    says="A message passed on to {branching}, {depth} deep, is acknowledged by all within {rtt_p50_us} "
    "(median): {messages_per_s} messages per second.",
    profiling=AS_IT_IS,
    played_by="formicary_bench.experiments.messaging.fan_out_tree",
)


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    from formicary import Agent, Container
    from formicary_bench.vocabulary.places import ASKING
    from formicary_bench.worker.workload import PairTimes, PreparedRole

    tree = Tree.of(work.configuration)
    work.times.append(PairTimes())
    inner = tree.agents - tree.branching**tree.depth  # those that are not leaves
    async with Container(ASKING, seed=work.job.seed) as home:
        for number in range(tree.agents):
            first = (number + 1) * tree.branching
            children = range(first, first + tree.branching) if number < inner else ()
            node = Agent(f"node-{number}")
            node.add_behaviour(_pass_on([f"node-{child}" for child in children]))
            await home.start(node)
            work.steps += 1

        async def measure() -> None:
            asker, ask = Agent("asker"), _ask(work, [f"node-{number}" for number in range(tree.branching)])
            asker.add_behaviour(ask)
            await home.start(asker)
            await ask.join()

        yield PreparedRole(measure=measure)


def _pass_on(children: list[str]) -> CyclicBehaviour:
    """Return a behaviour that passes messages on and acknowledges each once all children have."""
    from formicary import CyclicBehaviour, Message

    class PassOn(CyclicBehaviour):
        async def run(self) -> None:
            message = await self.receive()
            for child in children:
                await self.send(Message(to=child, body=message.body, performative="request"))
            for _ in children:
                await self.receive()
            await self.reply(message, performative="inform")

    return PassOn()


def _ask(work: Workload, children: list[str]) -> OneShotBehaviour:
    """Return a behaviour that keeps sending a message down the tree and waiting for its acknowledgements."""
    from time import perf_counter_ns

    from formicary import Message, OneShotBehaviour

    (times,) = work.times

    class Ask(OneShotBehaviour):
        async def run(self) -> None:
            for _ in range(work.trips):
                start = perf_counter_ns()
                for child in children:
                    await self.send(Message(to=child, body=work.body, performative="request"))
                for _ in children:
                    await self.receive()
                times.rtts.append(perf_counter_ns() - start)
                times.starts.append(start)

    return Ask()
