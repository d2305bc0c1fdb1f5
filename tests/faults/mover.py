"""A container with agents that move; a worker with orders in lines of JSON on stdin.

    python -m tests.faults.mover

Each agent `a0`, `a1`, ... exchanges numbers with the agent of the same name in the other worker's container,
wherever it is. Their fate is recorded in the ledger of its home.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
from tests.faults.ledger import FAILED, RAISED, SENT, Ledger
from tests.faults.worker import Setting, container_of, tell

from formicary import Agent, Container, CyclicBehaviour, Message, Template
from formicary.delivery.dead_letters import is_failure
from formicary.errors import AgentStateError, FormicaryError, MoveError
from formicary.mobility.handover.machine import HandOver

MODULE = "tests.faults.mover"
"""What containers accept."""

STOP, SLOW = "stop", "slow"
"""Names of files beside the ledger: as long as they are there, nobody sends, or all receive slowly."""

_TIME_TAKEN = 0.05  # s for each message
_FILLING = 4096  # bytes that a disk is filled with at once
_AGAIN = 0.001  # s


class Errand(msgspec.Struct, frozen=True):
    """The state that an agent carries."""

    setting: Setting
    index: int


@cache
def ledger_of(path: str, agents: int, limit: int) -> Ledger:
    """Return the ledger at a path."""
    return Ledger(Path(path), agents, limit)


@cache
def sign(ledger: str, name: str) -> Path:
    """Return the file of this name beside a ledger."""
    return Path(ledger).with_name(name)


class Mover(Agent):
    """An agent that moves."""

    data: Errand

    def __init__(self, setting: Setting, index: int) -> None:
        super().__init__(f"a{index}")
        self.data = Errand(setting, index)
        self.add_behaviour(Receiving())
        self.add_behaviour(Sending(), Template(performative="never"))

    @property
    def ledger(self) -> Ledger:
        """The ledger of its home."""
        setting = self.data.setting
        return ledger_of(setting.ledger, setting.agents, setting.limit)


class Sending(CyclicBehaviour):
    """Sends numbers."""

    agent: Mover

    async def run(self) -> None:
        setting, index, ledger = self.agent.data.setting, self.agent.data.index, self.agent.ledger
        await asyncio.sleep(setting.pause)
        number = ledger.next[index]
        if sign(setting.ledger, STOP).exists() or number == ledger.limit:
            return
        ledger.next[index] = number + 1
        text = str(number)
        message = Message(to=f"a{index}@{setting.peer}", body=text, performative="inform", reply_with=text)
        try:
            await self.send(message)
        except FormicaryError:
            ledger.note_outgoing(index, number, RAISED)
        else:
            ledger.note_outgoing(index, number, SENT)


class Receiving(CyclicBehaviour):
    """Receives the other side's numbers, and failures of its own."""

    agent: Mover

    async def run(self) -> None:
        message = await self.receive()
        index, ledger = self.agent.data.index, self.agent.ledger
        if is_failure(message):
            ledger.note_outgoing(index, int(message.in_reply_to), FAILED)
        elif message.performative == "inform":
            ledger.note_incoming(index, int(message.body))
            if sign(self.agent.data.setting.ledger, SLOW).exists():
                await asyncio.sleep(_TIME_TAKEN)


def stand_still_at(event: str) -> None:
    """Stop the process before it handles the next hand-over event of this kind.

    Args:
        event: the name of the kind; where it has steps or states, of one of these, too, behind a dot.
    """
    receive = HandOver.receive
    name, _, detail = event.partition(".")

    def receive_until(self: HandOver, origin: str, payload: bytes) -> None:
        kind = next(kind for kind in self._takers if kind.__name__ == name)
        take = self._takers[kind]

        def stop(origin: str, what: Any) -> None:
            is_other = detail and getattr(what, "step", getattr(what, "state", None)).name != detail
            if is_other:
                take(origin, what)
                return
            patcher.stop()
            self._takers[kind] = take
            tell("reached", at=event)
            os.kill(os.getpid(), signal.SIGSTOP)
            take(origin, what)

        self._takers[kind] = stop
        try:
            receive(self, origin, payload)
        finally:
            self._takers[kind] = take

    patcher = patch.object(HandOver, "receive", receive_until)
    patcher.start()


def fill(disk: Path) -> None:
    """Write until there is no room left."""
    with suppress(OSError), (disk / "filling").open("wb", buffering=0) as filling:
        while True:
            filling.write(bytes(_FILLING))


async def fall_asleep(agent: Any, reasons: list[str]) -> None:
    """Put an agent to sleep until a message comes; one with unread messages stays awake."""
    try:
        while True:
            await agent.deactivate()
            await asyncio.sleep(_AGAIN)  # it has to receive something first
    except MoveError as error:
        reasons.append(str(error))
    except AgentStateError:
        pass  # it sleeps, or does so no more


async def obey(container: Container, setting: Setting, order: dict[str, Any], reasons: list[str]) -> None:
    """Carry out an order, and answer."""

    async def move(agent: Any, to: str) -> None:
        try:
            await agent.move(to)
        except MoveError as error:
            reasons.append(str(error))

    match order:
        case {"do": "populate"}:
            for index in range(setting.agents):
                await container.start(Mover(setting, index))
            tell("populated")
        case {"do": "move", "to": to}:
            _TASKS.extend(asyncio.create_task(move(agent, to)) for agent in container.agents)
            tell("moving")
        case {"do": "where"}:
            tell(
                "here",
                agents=[(agent.name, agent.state.value) for agent in container.agents],
                reasons=reasons,
            )
        case {"do": "sleep"}:
            await asyncio.gather(*(fall_asleep(agent, reasons) for agent in container.agents))
            tell("asked")
        case {"do": "fill" | "empty" as do, "disk": disk}:
            fill(Path(disk)) if do == "fill" else (Path(disk) / "filling").unlink()
            tell("done")
        case {"do": "stand still", "at": event}:
            stand_still_at(event)
            tell("armed")
        case _:
            raise ValueError(f"an order that nobody knows: {order}")


_TASKS: list[asyncio.Task[None]] = []


async def main() -> None:
    """Run the worker until it is ordered to close."""
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(orders), sys.stdin.buffer
    )
    setting = msgspec.json.decode(await orders.readline(), type=Setting)
    reasons: list[str] = []
    async with container_of(setting) as container:
        join = None if setting.options.get("server") else container.join_address
        tell("ready", pid=os.getpid(), join=join)
        while (order := msgspec.json.decode(await orders.readline() or b"null")) != {"do": "close"}:
            if order is None:
                os._exit(1)  # the parent process is gone
            await obey(container, setting, order, reasons)
    tell("closed", dead_letters=[letter.reason for letter in container.dead_letters][:20])


if __name__ == "__main__":
    import uvloop

    sys.modules[MODULE] = sys.modules["__main__"]  # one class of agents, under the name that others know
    Mover.__module__ = Receiving.__module__ = Sending.__module__ = Errand.__module__ = MODULE
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
