"""Faults of the network, and of connections."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from tests.faults.fault import fault
from tests.faults.servers import enter
from tests.faults.side import end_program, start_program

if TYPE_CHECKING:
    from tests.faults.scene import Scene
    from tests.faults.side import Side
    from tests.plugins.namespaces import Host


@fault(
    "the network between the hosts is cut for 8 s",
    "auto",
    "direct",
    "federated",
    apart=True,
)
async def network_cut(scene: Scene) -> None:
    first, _ = scene.hosts
    await scene.talk()
    way = "xmpp" if scene.route == "federated" else "direct"
    await scene.use(way)
    first.cut()
    if scene.route == "auto":
        await scene.flow()  # over the server, while the cable is cut
        scene.check(await scene.ways() == {"xmpp"}, f"the way is {await scene.ways()} while that is cut")
    await asyncio.sleep(8)
    first.mend()
    await scene.flow()
    await scene.use(way)


@fault(
    "the network is cut for 35 s, longer than the other side is waited for",
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
    await asyncio.sleep(35)
    second.mend()
    await scene.flow()


@fault("connections between the hosts are reset, five times", "auto", "direct", "federated", apart=True)
async def connection_reset(scene: Scene) -> None:
    first, _ = scene.hosts
    await scene.talk()
    way = "xmpp" if scene.route == "federated" else "direct"
    for _ in range(5):
        await scene.use(way)
        first.reset_connections()
        await scene.flow()
    await scene.use(way)


@fault("the direct connection breaks on both sides at once, twenty times", "auto", "direct", "relay")
async def connection_broken(scene: Scene) -> None:
    await scene.talk()
    times = tries = 0
    while times < 20 and tries < 200:  # on a busy machine a new connection may take several tries
        answers = await asyncio.gather(*(side.order("break") for side in (scene.c1, scene.c2)))
        times += any(answer["count"] for answer in answers)
        tries += 1
        await asyncio.sleep(0.1)
    scene.check(times == 20, f"the connection could be broken only {times} times")
    await scene.flow()
    await scene.use("direct")


@fault("the container that both have joined is killed", "relay")
async def middle_killed(scene: Scene) -> None:
    await scene.talk()
    await scene.use("direct")
    await scene.middle.kill()
    await asyncio.sleep(5)
    await scene.flow()


@fault("both first write to each other at the same time", "xmpp", "auto", agents=500)
async def both_at_once(scene: Scene) -> None:
    await scene.talk()
    if scene.route == "auto":
        await scene.use("direct")
    links = [len(await scene.links(side)) for side in (scene.c1, scene.c2)]
    scene.check(links == [1, 1], f"they have {links} links")


@fault("no route to the direct link's host", "auto", apart=True)
async def no_route(scene: Scene) -> None:
    await scene.start()
    for host in scene.hosts:
        host.cut()
    await scene.talk()
    await asyncio.sleep(6)  # longer than a connection may take to be made
    await scene.flow()
    scene.check(await scene.ways() == {"xmpp"}, f"the way is {await scene.ways()}")


@fault("the direct link's host does not answer", "auto", apart=True)
async def black_hole(scene: Scene) -> None:
    first, second = scene.hosts
    first.swallow(second)
    second.swallow(first)
    await scene.talk()
    await asyncio.sleep(6)
    await scene.flow()
    scene.check(await scene.ways() == {"xmpp"}, f"the way is {await scene.ways()}")


@fault(
    "300 strangers send each container three bytes; the direct connection breaks five times",
    *("auto", "direct"),
    apart=True,
)
async def strangers(scene: Scene) -> None:
    await scene.talk()
    await scene.use("direct")
    sides = (scene.c1, scene.c2)
    before = [side.memory for side in sides]
    async with AsyncExitStack() as crowds:
        for side, elsewhere in zip(sides, reversed(scene.hosts), strict=True):
            await _crowd(side, elsewhere, crowds)
        for _ in range(5):
            await scene.c1.order("break")
            await scene.flow()
        await scene.use("direct")
        grown = [(side.memory - former) / 1e6 for side, former in zip(sides, before, strict=True)]
        open_files = max(side.open_files for side in sides)
    scene.check(max(grown) < 40, f"memory grew by {grown} MB")
    scene.check(open_files < 200, f"{open_files} file descriptors are in use")
    scene.note(f"{open_files} file descriptors at most, {max(grown):.0f} MB more")


async def _crowd(side: Side, elsewhere: Host, crowds: AsyncExitStack) -> None:
    """Let strangers connect from the other host."""
    ((address, port),) = (await side.order("places"))["tcp"]
    program = (sys.executable, "-m", "tests.faults.strangers", address, str(port), "300")
    crowd = await start_program(*enter(elsewhere), *program)
    crowds.push_async_callback(end_program, crowd)
    assert crowd.stdout is not None
    assert await crowd.stdout.readline() == b"ready\n"
