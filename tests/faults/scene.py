"""A scene: two containers that talk over a given route, and an account of their messages."""

from __future__ import annotations

import asyncio
import operator
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from tests.faults.ledger import Account, settle
from tests.faults.servers import FederatedServers, as_option, enter, lay_ways_to
from tests.faults.side import Side, SideError, until
from tests.faults.worker import Setting
from tests.plugins.namespaces import Host, joined_hosts

from formicary.server import ManagedServer

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

T = TypeVar("T")

Route = Literal["xmpp", "federated", "auto", "direct", "relay"]
ROUTES: dict[Route, str] = {
    "xmpp": "server",
    "federated": "two servers",
    "auto": "direct, or server",
    "direct": "direct",
    "relay": "direct, or relay",
}
LOOPBACK = "127.0.0.1"
_PATIENCE = 90.0  # s; the platform promises 30 where there is silence


@dataclass
class Figures:
    """The effects of a fault in numbers."""

    account: Account = field(default_factory=Account)
    resent: int = 0
    told_after: float | None = None
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


async def enter_aside(stack: AsyncExitStack, manager: AbstractContextManager[T]) -> T:
    """Enter a context in a thread, and leave it in one, so that other scenes continue.

    To start a server takes a second, or several where many processes run; faults last for some seconds.
    """
    entering = asyncio.create_task(asyncio.to_thread(manager.__enter__))

    async def leave() -> None:
        await asyncio.wait([entering])
        if not entering.exception():
            await asyncio.to_thread(manager.__exit__, None, None, None)

    stack.push_async_callback(leave)
    return await asyncio.shield(entering)


class Scene:
    """Two containers, `c1` and `c2`, each in a worker of its own.

    Args:
        route: the route of their messages.
        folder: for ledgers, logs and sockets; its path is short.
        agents: how many agents each has.
        pause: seconds between two messages of an agent.
        limit: the most messages of each agent.
        size: characters of a message.
        apart: put each on a host of its own: a network namespace.
        apart_in_time: also give each a monotonic clock of its own.
        options: further arguments of the containers.
    """

    def __init__(
        self,
        route: Route,
        folder: Path,
        *,
        agents: int = 20,
        pause: float = 0.02,
        limit: int = 20_000,
        size: int = 20,
        apart: bool = False,
        apart_in_time: bool = False,
        **options: Any,
    ) -> None:
        self.route = route
        self.figures = Figures()
        self.hosts: tuple[Host, Host] | None = None
        self.server: ManagedServer | None = None
        self.servers: FederatedServers | None = None
        self._folder = folder
        self._options = options
        self._apart = apart
        self._apart_in_time = apart_in_time
        self._shape = {"agents": agents, "pause": pause, "limit": limit, "size": size}
        self._stack = AsyncExitStack()
        self._excused: list[int] | None = None  # up to where c2's messages were sent by one that was killed
        self.middle: Side | None = None  # which both have joined
        self.c1: Side
        self.c2: Side

    # -- setting up -----------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            if self._apart or self.route == "federated":
                self.hosts = await enter_aside(stack, joined_hosts())
            if self.route == "federated":
                self.servers = await asyncio.to_thread(FederatedServers, self.hosts, self._folder)
            elif self.route in {"auto", "xmpp"}:
                self.server = await enter_aside(stack, ManagedServer(containers=["c1", "c2"]))
                if self.hosts is not None:
                    await lay_ways_to(self.server, self.hosts, self._folder, stack)
            self.c1, self.c2 = self._side("c1", "c2"), self._side("c2", "c1")
            self.middle = self._side("c0", "c0") if self.route == "relay" else None
            for side in filter(None, (self.middle, self.c1, self.c2)):
                stack.push_async_callback(side.end)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def _side(self, name: str, peer: str) -> Side:
        number = int(name == "c2")
        host = self.hosts and self.hosts[number]
        listen = host.address if host else None if self.server else LOOPBACK
        options = {**self._options, "listen": listen}
        if self.server is not None:
            options |= {"server": as_option(self.server.address), "network": {"route": self.route}}
        elif self.servers is not None:
            options |= {"server": as_option(self.servers.address(number)), "network": {"route": "xmpp"}}
        ledger = str(self._folder / f"{name}.ledger")
        setting = Setting(name, peer, ledger, options, **self._shape)
        prefix = enter(host) if host else ()
        if self._apart_in_time and name == "c2":
            prefix = ("unshare", "--time", "--monotonic", "1000000", "--fork", "--kill-child")
        return Side(setting, self._folder, prefix)

    async def start(self, *, early: float = 0.0) -> None:
        """Start both workers; nothing is sent yet.

        Args:
            early: seconds by which the time of day on c1's side is wrong.
        """
        self.c1.setting = replace(self.c1.setting, early=early)
        if self.middle is not None:
            await self.middle.start()
            self._join(self.c1, self.middle)
        await self.c1.start()
        if self.route in {"direct", "relay"}:
            self._join(self.c2, self.middle or self.c1)
        await self.c2.start()

    @staticmethod
    def _join(side: Side, other: Side) -> None:
        side.setting = replace(side.setting, options={**side.setting.options, "join": other.join})

    async def talk(self, *sides: Side) -> None:
        """Start both workers unless they run, and wait until the agents of these sides send."""
        if not self.c1.pid:
            await self.start()
        await asyncio.gather(*(side.order("start") for side in sides or (self.c1, self.c2)))
        await self.flow(*sides)

    async def flow(self, *sides: Side) -> None:
        """Wait until new messages of these sides have arrived.

        Raises:
            SideError: they do not.
        """
        for side in sides or (self.c1, self.c2):
            other = self.c2 if side is self.c1 else self.c1
            numbers = list(side.ledger.next)
            if not await until(lambda: any(map(operator.gt, other.ledger.latest, numbers)), _PATIENCE):  # noqa: B023
                links = [await self.links(each) for each in (self.c1, self.c2)]
                raise SideError(f"nothing of {side.setting.name} arrives any more: {links}")

    # -- what is asked --------------------------------------------------------------------------------------

    async def links(self, side: Side) -> list[dict[str, Any]]:
        """Return a side's report on its links."""
        links: list[dict[str, Any]] = (await side.order("links"))["links"]
        return [link for link in links if not link["peer"].startswith("c0.")]

    async def ways(self) -> set[str]:
        """Return the routes that both use now."""
        return {link["way"] for side in (self.c1, self.c2) for link in await self.links(side)}

    async def use(self, way: str) -> None:
        """Wait until both use this route.

        Raises:
            SideError: they do not.
        """

        async def is_used() -> bool:
            return await self.ways() == {way}

        if not await until(is_used, _PATIENCE):
            raise SideError(f"the way is {await self.ways()}, not {way}")

    def note(self, remark: str) -> None:
        """Add a remark to the figures."""
        self.figures.notes.append(remark)

    def check(self, holds: object, problem: str) -> None:
        """Note a problem unless something holds."""
        if not holds:
            self.figures.problems.append(problem)

    # -- servers that die -----------------------------------------------------------------------------------

    async def restart_server(self) -> None:
        """Restart the server, while other scenes continue."""
        assert self.server is not None
        await asyncio.to_thread(self.server.restart)

    async def start_server(self, index: int) -> None:
        """Restart the first or the second of two servers, while other scenes continue."""
        assert self.servers is not None
        await asyncio.to_thread(self.servers.start, index)

    # -- a side that dies -----------------------------------------------------------------------------------

    async def kill_c2(self) -> None:
        """Kill c2, and measure how long the senders in c1 take to learn the fate of all messages."""
        await self.c2.kill()
        killed = time.monotonic()
        before = list(self.c1.ledger.next)
        self._excused = list(self.c2.ledger.next)
        await until(lambda: settle(self.c1.ledger, self.c2.ledger, end=before).is_settled, _PATIENCE)
        self.figures.told_after = max(time.monotonic() - killed, self.figures.told_after or 0.0)

    async def restart_c2(self) -> None:
        """Restart c2 under its old name, with its agents sending."""
        await self.c2.start()
        await self.c2.order("start")

    # -- the end --------------------------------------------------------------------------------------------

    async def finish(self, *, may_fail: bool) -> None:
        """Stop sending, wait until all is accounted for or time is up, close both sides, and count.

        Args:
            may_fail: whether messages may fail, rather than arrive.
        """
        sides = [side for side in (self.c1, self.c2) if side.pid]
        stopped = await asyncio.gather(*(side.order("stop") for side in sides))
        await until(lambda: self.account().is_settled, _PATIENCE)
        for side in sides:
            self.figures.resent += sum(link["resent"] for link in await self.links(side))
        closed = await asyncio.gather(*(side.close() for side in sides))
        account = self.figures.account = self.account()
        self.check(may_fail or not account.failed, f"{account.failed} messages failed")
        self.check(may_fail or not account.both, f"{account.both} messages arrived and were said not to have")
        self._judge(account)
        if self.figures.problems:
            self.figures.problems += [str(answer) for answer in (*stopped, *closed)]

    def account(self) -> Account:
        """Return the account of all messages so far."""
        one, two = self.c1.ledger, self.c2.ledger
        there = settle(one, two)
        if self._excused is None:
            return there + settle(two, one)
        back = settle(two, one, end=self._excused).without_lost()
        return there + back + settle(two, one, start=self._excused)

    def _judge(self, account: Account) -> None:
        self.check(account.is_settled, f"{account.lost} messages were lost, {account.waiting} hang")
        self.check(not account.twice, f"{account.twice} messages arrived more than once")
        self.check(not account.disorder, f"{account.disorder} messages arrived after later ones")
        self.check(not account.made_up, f"{account.made_up} messages arrived that nobody sent")
        self.check(account.received, "no message arrived at all")
        balance = account.received + account.failed - account.both
        self.check(account.sent == balance, f"{account.sent} sent, but {balance} received or failed")
        for side in filter(None, (self.middle, self.c1, self.c2)):
            self.figures.problems += side.complaints()
