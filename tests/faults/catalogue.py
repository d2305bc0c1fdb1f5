"""The faults: each is caused for real, while containers talk over one route or another."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.faults.scene import Route, Scene

ANSWER_LIMIT = 5.0  # s within which the senders to a container that was killed know
_MEGABYTE = 1 << 20
_HOUR = 3600.0


@dataclass(frozen=True, eq=False)
class Fault:
    """One of the faults.

    Attributes:
        name: what it is called in tests.
        title: what happens, for the table.
        routes: over which it can.
        cause: sets the scene in motion, and causes it.
        shape: further arguments of `Scene`.
        may_fail: whether messages may fail, rather than arrive.
    """

    name: str
    title: str
    routes: tuple[Route, ...]
    cause: Callable[[Scene], Awaitable[None]]
    shape: dict[str, Any]
    may_fail: bool


FAULTS: list[Fault] = []


def fault(
    title: str, *routes: Route, may_fail: bool = False, **shape: Any
) -> Callable[[Callable[[Scene], Awaitable[None]]], Callable[[Scene], Awaitable[None]]]:
    """Put a function into the catalogue."""

    def enter(cause: Callable[[Scene], Awaitable[None]]) -> Callable[[Scene], Awaitable[None]]:
        FAULTS.append(Fault(cause.__name__, title, routes, cause, shape, may_fail))
        return cause

    return enter


# -- the server ---------------------------------------------------------------------------------------------


@fault("Prosody stands still for 20 s (SIGSTOP)", "xmpp", "auto")
async def server_stopped(scene: Scene) -> None:
    await scene.talk()
    os.kill(scene.server.pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(20)
    finally:
        os.kill(scene.server.pid, signal.SIGCONT)
    await scene.flow()


@fault("Prosody is killed under load, and started again after 5 s", "xmpp", "auto")
async def server_killed(scene: Scene) -> None:
    await scene.talk()
    for pause in (5, 0):
        scene.server.kill()
        await asyncio.sleep(pause)
        scene.server.restart()
        await scene.flow()


# -- the network --------------------------------------------------------------------------------------------


@fault("the network between the hosts is cut for 8 s: an address taken away", "auto", "direct", apart=True)
async def network_cut(scene: Scene) -> None:
    first, _ = scene.hosts
    await scene.talk()
    await scene.use("direct")
    first.cut()
    if scene.route == "auto":
        await scene.flow()  # over the server, while the cable is cut
        scene.check(await scene.ways() == {"xmpp"}, f"the way is {await scene.ways()} while that is cut")
    else:
        await asyncio.sleep(8)
    first.mend()
    await scene.flow()
    await scene.use("direct")


@fault("the network is cut for longer than senders wait", "direct", apart=True, may_fail=True, pause=0.1)
async def network_cut_for_long(scene: Scene) -> None:
    _, second = scene.hosts
    await scene.talk()
    second.cut()
    await asyncio.sleep(40)
    second.mend()
    await scene.flow()


@fault("the direct connection is reset, five times", "auto", "direct", apart=True)
async def connection_reset(scene: Scene) -> None:
    first, _ = scene.hosts
    await scene.talk()
    for _ in range(5):
        await scene.use("direct")
        first.reset_connections()
        await scene.flow()
    await scene.use("direct")


@fault("the direct connection breaks on both sides at once, twenty times", "auto", "direct")
async def connection_broken(scene: Scene) -> None:
    await scene.talk()
    broken = 0
    for _ in range(20):
        answers = await asyncio.gather(*(side.order("break") for side in (scene.c1, scene.c2)))
        broken += sum(answer["count"] for answer in answers)
        await asyncio.sleep(0.1)
    scene.check(broken >= 20, f"only {broken} ends of connections could be broken")
    await scene.flow()
    await scene.use("direct")


@fault(
    "both begin to write to each other at once, and know nothing of each other", "xmpp", "auto", agents=500
)
async def both_at_once(scene: Scene) -> None:
    await scene.talk()
    if scene.route == "auto":
        await scene.use("direct")
    links = [len(await scene.links(side)) for side in (scene.c1, scene.c2)]
    scene.check(links == [1, 1], f"they have {links} links")


@fault("no route to the host that the direct link is offered at", "auto", apart=True)
async def no_route(scene: Scene) -> None:
    for host in scene.hosts:
        host.cut()
    await scene.talk()
    await asyncio.sleep(6)  # longer than a connection may take to be made
    await scene.flow()
    scene.check(await scene.ways() == {"xmpp"}, f"the way is {await scene.ways()}")


@fault("the host that the direct link is offered at answers nothing", "auto", apart=True)
async def black_hole(scene: Scene) -> None:
    first, second = scene.hosts
    first.swallow(second)
    second.swallow(first)
    await scene.talk()
    await asyncio.sleep(6)
    await scene.flow()
    scene.check(await scene.ways() == {"xmpp"}, f"the way is {await scene.ways()}")


# -- the other side -----------------------------------------------------------------------------------------


@fault("a container is killed (SIGKILL)", "xmpp", "auto", "direct", may_fail=True)
async def container_killed(scene: Scene) -> None:
    await scene.talk()
    await scene.kill_c2()
    told_after = scene.figures.told_after
    scene.check(told_after <= ANSWER_LIMIT, f"senders knew only after {told_after:.1f} s")


@fault("a container is killed, and started again under its name", "xmpp", "auto", "direct", may_fail=True)
async def container_restarted(scene: Scene) -> None:
    await scene.talk()
    for _ in range(2):
        await scene.kill_c2()
        await scene.restart_c2()
        await scene.flow()


@fault("a container stands still for 20 s (SIGSTOP)", "xmpp", "auto", "direct")
async def container_stopped(scene: Scene) -> None:
    await scene.talk()
    scene.c2.signal(signal.SIGSTOP)
    try:
        await asyncio.sleep(20)
    finally:
        scene.c2.signal(signal.SIGCONT)
    await scene.flow()


@fault(
    "a receiver takes one message a second, its sender sends as fast as it can",
    *("xmpp", "auto", "direct"),
    agents=1,
    pause=0,
    size=1000,
    limit=1_000_000,
)
async def slow_receiver(scene: Scene) -> None:
    await scene.start()
    await scene.c2.order("pace", seconds=1)
    await scene.talk(scene.c1)
    await asyncio.sleep(3)  # until all that has room is full
    first = scene.c1.ledger.next[0], scene.c1.memory, scene.c2.memory
    await asyncio.sleep(8)
    last = scene.c1.ledger.next[0], scene.c1.memory, scene.c2.memory
    for side, before, after in zip(("sender", "receiver"), first[1:], last[1:], strict=True):
        growth = (after - before) / _MEGABYTE
        scene.note(f"memory of the {side}'s container: {growth:+.1f} MB in 8 s")
        scene.check(growth < 4, f"the {side}'s container grew by {growth:.1f} MB")
    sent = last[0] - first[0]
    scene.check(sent < 100, f"the sender sent {sent} messages while the receiver took 8")
    scene.note(f"{last[0]} under way")
    await scene.c2.order("hurry")


@fault("10 000 agents on each side", "xmpp", "auto", "direct", agents=10_000, limit=200, pause=2)
async def many_agents(scene: Scene) -> None:
    await scene.talk()
    await asyncio.sleep(8)


# -- time ---------------------------------------------------------------------------------------------------


@fault("clocks are a day apart, and one jumps by two days", "xmpp", "auto", "direct", apart_in_time=True)
async def clock_jumps(scene: Scene) -> None:
    await scene.start(early=24 * _HOUR)
    await scene.talk()
    for hours in (-24, 24):
        await scene.c1.order("clock", seconds=hours * _HOUR)
        if scene.route != "xmpp":
            await scene.c1.order("break")  # what comes then is signed by the new time
        await scene.flow()
