"""Agents that sleep."""

from __future__ import annotations

from dataclasses import dataclass, field

from formicary import Agent, CyclicBehaviour, MicroAgent, OneShotBehaviour


@dataclass
class Diary:
    """What an agent remembers."""

    words: list[str] = field(default_factory=list)
    seconds: float | None = None


class Listening(CyclicBehaviour):
    """Notes what it hears, and has its agent sleep when it hears nothing more."""

    async def run(self):
        agent = self.agent
        message = await self.receive(0.5)
        if message is None:
            await agent.deactivate(agent.data.seconds)
        else:
            agent.data.words.append(message.body)


class Sleepy(Agent):
    """Sleeps as soon as it hears nothing."""

    data: Diary

    def __init__(self, name, seconds=None):
        super().__init__(name)
        self.data = Diary(seconds=seconds)
        self.add_behaviour(Listening())


class SleepyMicro(MicroAgent):
    """Counts its messages."""

    data: int = 0

    def handle(self, message):
        self.data += 1


class Sender(OneShotBehaviour):
    """Sends messages, and waits for nothing."""

    def __init__(self, messages):
        super().__init__()
        self.messages = messages

    async def run(self):
        for message in self.messages:
            await self.send(message)
