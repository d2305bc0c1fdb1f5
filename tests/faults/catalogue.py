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
        is_heavy: whether it needs so much of the processors that others like it are to wait.
        is_long: whether it takes longer than others, and so starts before them.
    """

    name: str
    title: str
    routes: tuple[Route, ...]
    cause: Callable[[Scene], Awaitable[None]]
    shape: dict[str, Any]
    may_fail: bool
    is_heavy: bool
    is_long: bool


FAULTS: list[Fault] = []


def fault(
    title: str,
    *routes: Route,
    may_fail: bool = False,
    is_heavy: bool = False,
    is_long: bool = False,
    **shape: Any,
) -> Callable[[Callable[[Scene], Awaitable[None]]], Callable[[Scene], Awaitable[None]]]:
    """Put a function into the catalogue."""

    def enter(cause: Callable[[Scene], Awaitable[None]]) -> Callable[[Scene], Awaitable[None]]:
        FAULTS.append(Fault(cause.__name__, title, routes, cause, shape, may_fail, is_heavy, is_long))
        return cause

    return enter


# -- the server ---------------------------------------------------------------------------------------------


@fault("Prosody stands still for 20 s (SIGSTOP)", "xmpp", "auto", is_long=True)
async def server_stopped(scene: Scene) -> None:
    await scene.talk()
    os.kill(scene.server.pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(20)
    finally:
        os.kill(scene.server.pid, signal.SIGCONT)
    await scene.flow()


@fault(
    "Prosody is killed under load, and started again after 5 s",
    *("xmpp", "auto"),
    is_heavy=True,
    pause=0.002,
)
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


@fault(
    "the network is cut for 40 s, longer than the other side is waited for",
    "direct",
    apart=True,
    pause=0.1,
    may_fail=True,
    is_long=True,
)
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


@fault("the direct connection breaks on both sides at once, twenty times", "auto", "direct", "relay")
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


@fault("the container that both have joined is killed", "relay")
async def middle_killed(scene: Scene) -> None:
    await scene.talk()
    await scene.use("direct")
    await scene.middle.kill()
    await asyncio.sleep(5)
    await scene.flow()


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
    await scene.start()
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
    await asyncio.sleep(1)
    await scene.kill_c2()
    told_after = scene.figures.told_after
    scene.check(told_after <= ANSWER_LIMIT, f"senders knew only after {told_after:.1f} s")
    await asyncio.sleep(1)  # what is sent to it now fails, too


@fault("a container is killed, and started again under its name", "xmpp", "auto", "direct", may_fail=True)
async def container_restarted(scene: Scene) -> None:
    await scene.talk()
    for _ in range(2):
        await scene.kill_c2()
        await scene.restart_c2()
        await scene.flow()


@fault(
    "a container is stopped in good order, and started again under its name",
    "xmpp",
    "auto",
    "direct",
    may_fail=True,
)
async def container_reopened(scene: Scene) -> None:
    await scene.talk()
    for _ in range(2):
        await scene.c2.order("stop")
        await scene.c2.close()
        await scene.restart_c2()
        await scene.flow()


@fault("a container stands still for 20 s (SIGSTOP)", "xmpp", "auto", "direct", is_long=True)
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
    may_fail=True,
    is_long=True,
)
async def slow_receiver(scene: Scene) -> None:
    await scene.start()
    await scene.c2.order("pace", seconds=1)
    await scene.c1.order("start")
    numbers = scene.c1.ledger.next
    sent = -1
    while numbers[0] != sent:  # until all that has room is full
        sent = numbers[0]
        await asyncio.sleep(2)
    seconds = 35  # longer than senders wait for a mailbox
    before = scene.c1.memory, scene.c2.memory
    await asyncio.sleep(seconds)
    sent = numbers[0] - sent
    growth = [
        (new - old) / _MEGABYTE for old, new in zip(before, (scene.c1.memory, scene.c2.memory), strict=True)
    ]
    grown = "memory of the sender's and the receiver's container grew by {:.1f} and {:.1f} MB".format(*growth)
    scene.check(max(growth) < 4, grown)
    scene.note(f"{grown} in {seconds} s")
    scene.check(sent < 10 * seconds, f"{sent} messages were sent while the receiver took {seconds}")
    scene.note(f"{numbers[0] - sent} messages under way, then {sent} more sent in {seconds} s")
    await scene.c2.order("hurry")


@fault(
    "10 000 agents on each side",
    *("xmpp", "auto", "direct"),
    is_heavy=True,
    agents=10_000,
    limit=200,
    pause=2,
)
async def many_agents(scene: Scene) -> None:
    await scene.talk()
    await asyncio.sleep(5)


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
