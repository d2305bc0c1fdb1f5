"""Kills containers while agents move between them."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import psutil
from tests.faults.ledger import Account, settle
from tests.faults.mover import MODULE, STOP
from tests.faults.scene import LOOPBACK
from tests.faults.servers import as_option
from tests.faults.side import Side, SideError, until
from tests.faults.worker import Setting

from formicary.server import ManagedServer

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_ALL = PEER, HOME, SOURCE, DESTINATION = "c0", "c1", "c2", "c3"
AGENTS = 5
_PATIENCE = 60.0  # s


class Traveller(Side):
    """A worker of agents that move."""

    program: ClassVar = "tests.faults.mover"


class Journey:
    """Agents with a home container that move from a second to a third one, and talk to a fourth.

    Args:
        folder: for ledgers and logs.
        by_server: the route by way of a server; without one, they join each other.
        of_home, of_destination: further arguments of these containers.
        disk: the home's: a folder where it has a small disk of its own.
        pause: seconds between two messages of an agent.
    """

    def __init__(
        self,
        folder: Path,
        *,
        by_server: str | None = None,
        of_home: dict[str, Any] | None = None,
        of_destination: dict[str, Any] | None = None,
        disk: Path | None = None,
        pause: float = 0.02,
    ) -> None:
        self.folder = folder
        self._stack = AsyncExitStack()
        self.server = ManagedServer(containers=[*_ALL]) if by_server is not None else None
        self._route = by_server
        self._more = {HOME: of_home or {}, DESTINATION: of_destination or {}}
        self._disk = disk
        self._pause = pause
        self.peer: Side
        self.sides: dict[str, Side]

    def _side(self, name: str, peer: str) -> Side:
        options = {"accepts": [MODULE], **self._more.get(name, {})}
        if self.server is None:
            options |= {"listen": LOOPBACK}
        else:
            options |= {"server": as_option(self.server.address), "network": {"route": self._route}}
        ledger = str(self.folder / f"{name}.ledger")
        setting = Setting(name, peer, ledger, options, AGENTS, 20_000, self._pause, 20)
        prefix: tuple[str, ...] = ()
        if name == HOME and self._disk is not None:
            mount = 'mount -t tmpfs -o size=16m,mode=0700 none "$0" && exec "$@"'
            prefix = ("unshare", "--mount", "sh", "-c", mount, str(self._disk))
        kind = Side if name == PEER else Traveller
        return kind(setting, self.folder, prefix)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            if self.server is not None:
                stack.enter_context(self.server)
            self.peer = self._side(PEER, HOME)
            self.sides = {name: self._side(name, PEER) for name in (HOME, SOURCE, DESTINATION)}
            for side in (self.peer, *self.sides.values()):
                stack.push_async_callback(side.end)
            first = self.sides[HOME] if self.server is not None else self.peer  # the others join it
            await first.start()
            if self.server is None:
                for side in self.sides.values():
                    options = {**side.setting.options, "join": self.peer.join}
                    side.setting = replace(side.setting, options=options)
            others = [side for side in (self.peer, *self.sides.values()) if side is not first]
            async with asyncio.TaskGroup() as starting:  # if one fails, nobody waits for the others any more
                for side in others:
                    starting.create_task(side.start())
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def begin(self) -> None:
        """Bring the agents to the source, and start all traffic."""
        home, source = self.sides[HOME], self.sides[SOURCE]
        await home.order("populate")
        await home.order("move", to=SOURCE)
        await self.wait(lambda: self._all_at(source), "the agents come to their source")
        await self.peer.order("start")
        await self.flow()

    async def move_all(self, origin: str, to: str) -> None:
        """Move the agents, and wait for their arrival."""
        await self.sides[origin].order("move", to=to)
        await self.wait(lambda: self._all_at(self.sides[to]), f"the agents come to {to}")

    async def _all_at(self, side: Side) -> bool:
        agents = (await side.order("where"))["agents"]
        return len(agents) == AGENTS and all(state == "active" for _, state in agents)

    @staticmethod
    async def wait(holds: object, what: str) -> None:
        """Wait until something holds.

        Raises:
            SideError: it never does.
        """
        if not await until(holds, _PATIENCE):  # type: ignore[arg-type]
            raise SideError(f"within {_PATIENCE:g} s it has not come to it that {what}")

    async def flow(self, agents: Collection[int] = range(AGENTS)) -> None:
        """Wait until these agents get what is sent from now on, and what they send arrives."""
        mine, theirs = self.sides[HOME].ledger, self.peer.ledger
        one, two = list(theirs.next), list(mine.next)

        def flows() -> bool:
            return all(mine.latest[it] > one[it] and theirs.latest[it] > two[it] for it in agents)

        await self.wait(flows, "messages flow")

    async def kill(self, event: str, at: str, victims: Collection[str]) -> None:
        """Move the agents, and kill containers when one of them is about to handle some event.

        The home is restarted, and so is a destination killed with it: while it might only be unreachable,
        nobody can know whether the agents continue there.
        """
        there = await self._stand_still(event, at)
        for name in victims:
            await self.sides[name].kill()
        if at not in victims:
            there.signal(signal.SIGCONT)
        if HOME in victims:
            await self.sides[HOME].start()
            if DESTINATION in victims:
                await self.sides[DESTINATION].start()

    async def restart_server(self, event: str, at: str) -> None:
        """Move the agents, and restart the server when one of them is about to handle some event."""
        assert self.server is not None
        there = await self._stand_still(event, at)
        self.server.kill()
        there.signal(signal.SIGCONT)
        await asyncio.to_thread(self.server.restart)

    async def _stand_still(self, event: str, at: str) -> Side:
        """Move the agents, and return the container that stops when it is about to handle some event."""
        there = self.sides[at]
        await there.order("stand still", at=event)
        await self.sides[SOURCE].order("move", to=DESTINATION)
        await there._answer("reached")
        process = psutil.Process(there.pid)  # which has said so just before it does
        await self.wait(lambda: process.status() == psutil.STATUS_STOPPED, f"{at} stands still")
        return there

    def unread(self) -> list[int]:
        """Return how many messages each agent has not received yet."""
        mine, theirs = self.sides[HOME].ledger, self.peer.ledger
        return [sent - got for sent, got in zip(theirs.next, mine.latest, strict=True)]

    async def settled(self) -> dict[str, str]:
        """Wait until no agent is in transit, and each is in at most one place; return where each is."""
        places: dict[str, str] = {}

        async def is_settled() -> bool:
            places.clear()
            for name, side in self.sides.items():
                if side.pid:
                    for agent, state in (await side.order("where"))["agents"]:
                        if state != "active" or agent in places:
                            return False
                        places[agent] = name
            return True

        for _ in range(3):
            await self.wait(is_settled, "each agent is in one place")
            await asyncio.sleep(1)
        return places

    async def finish(self) -> tuple[Account, Account]:
        """Stop all traffic, and return the account of messages to and from the agents that moved."""
        (self.folder / STOP).touch()
        await self.peer.order("stop")
        mine, theirs = self.sides[HOME].ledger, self.peer.ledger
        await until(
            lambda: settle(theirs, mine).is_settled and settle(mine, theirs).is_settled, _PATIENCE / 3
        )
        return settle(theirs, mine), settle(mine, theirs)

    def complaints(self) -> list[str]:
        """Return the errors in the logs."""
        return [line for side in (self.peer, *self.sides.values()) for line in side.complaints()]
