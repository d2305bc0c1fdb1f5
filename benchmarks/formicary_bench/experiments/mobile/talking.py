"""Messages from agent to agent: `mobile/one-way`, `mobile/two-way` and `mobile/synchronize`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary import CyclicBehaviour, Message, Template
from formicary_bench.experiments.mobile.play import Play, played
from formicary_bench.subjects.ours.containers import start_agent
from formicary_bench.vocabulary.places import ECHOING
from formicary_bench.worker.workload import Countdown

if TYPE_CHECKING:
    from formicary import Container

_MESSAGES, _COUNTED = Template(ontology="measured"), Template(ontology="counted")


class Listen(CyclicBehaviour):
    """Receives messages, and answers those that ask for it."""

    __slots__ = ()

    async def run(self) -> None:
        message = await self.receive()
        if message.performative == "request":
            ontology = message.language  # where the answer belongs
            answer = Message(to=message.sender, body=message.body, ontology=ontology, performative="inform")
            await self.send(answer)


async def _start_listener(_: Play, home: Container) -> None:
    await start_agent(home, "listener", Listen(), _MESSAGES)


class Talk(Play):
    """Sends messages to one agent."""

    cast = ((ECHOING, _start_listener),)
    partner = ""

    async def on_start(self) -> None:
        """Record the receiver."""
        self.partner = f"listener@{self.domain(0)}"

    def message(self, performative: str, answer_to: str = "conduct") -> Message:
        return Message(
            to=self.partner,
            body=self.work.body,
            performative=performative,
            ontology="measured",
            language=answer_to,
        )


class OneWay(Talk):
    """Sends messages; only the last is answered, which confirms all."""

    async def operate(self, count: int) -> None:
        for _ in range(count - 1):
            await self.send(self.message("inform"))
        await self.send(self.message("request"))
        await self.hear()


class Synchronize(Talk):
    """Sends a message, and waits for its answer."""

    async def operate(self, count: int) -> None:
        """Send the messages one after another."""
        for _ in range(count):
            await self.send(self.message("request"))
            await self.hear()


class TwoWay(Talk):
    """Sends messages without waiting, while another behaviour of the agent receives the answers."""

    async def on_start(self) -> None:
        await super().on_start()
        self.unanswered = Countdown()
        self.agent.add_behaviour(TakeAnswers(self.unanswered), _COUNTED)

    async def operate(self, count: int) -> None:
        """Send the messages, and wait until all are answered."""
        answered = self.unanswered.expect(count)
        for _ in range(count):
            await self.send(self.message("request", "counted"))
        await answered


class TakeAnswers(CyclicBehaviour):
    """Counts answers."""

    def __init__(self, unanswered: Countdown) -> None:
        super().__init__()
        self.unanswered = unanswered

    async def run(self) -> None:
        await self.receive()
        self.unanswered.count()


both = echo = ask = played(
    {"mobile/one-way": OneWay, "mobile/two-way": TwoWay, "mobile/synchronize": Synchronize}
)
