"""Faults of servers."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

from tests.faults.fault import fault

if TYPE_CHECKING:
    from tests.faults.scene import Scene


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


@fault("Prosody is killed every 2 to 5 s, and started again at once", "xmpp", "auto", is_long=True)
async def server_killed_often(scene: Scene) -> None:
    await scene.talk()
    for up in (2, 3.5, 2.5, 5):
        scene.server.kill()
        scene.server.restart()
        await asyncio.sleep(up)
    await scene.flow()


@fault(
    "Prosody has a tenth of a processor, and is killed every 2 to 3 s for 80 s, while 4 MB wait on each side",
    "xmpp",
    is_long=True,
    in_gate=False,
    agents=50,
    pause=0,
    size=4000,
    send_timeout=120.0,
)
async def slow_server_killed_often(scene: Scene) -> None:
    await scene.talk()
    for up in (2, 3, 2.5, 2, 3) * 4:
        scene.server.kill()
        await asyncio.sleep(1)
        await asyncio.to_thread(scene.server.restart)
        for _ in range(round(up / 0.65)):
            os.kill(scene.server.pid, signal.SIGSTOP)
            await asyncio.sleep(0.6)
            os.kill(scene.server.pid, signal.SIGCONT)
            await asyncio.sleep(0.05)
    await scene.flow()


@fault("Prosody is killed, and one of the containers is back at it 6 s after the other", "xmpp")
async def server_killed_and_one_is_late(scene: Scene) -> None:
    await scene.talk()
    await _without_c2(scene)


@fault("both begin to write while Prosody is away, and one is back at it 6 s after the other", "xmpp", "auto")
async def begun_without_server(scene: Scene) -> None:
    await scene.start()
    scene.server.kill()
    await asyncio.gather(*(side.order("start") for side in (scene.c1, scene.c2)))
    await _without_c2(scene)


async def _without_c2(scene: Scene) -> None:
    """Have Prosody start again while c2 stands still, which goes on later."""
    scene.server.kill()
    scene.c2.signal(signal.SIGSTOP)
    scene.server.restart()
    await asyncio.sleep(6)
    scene.c2.signal(signal.SIGCONT)
    await scene.flow()


@fault("one of two Prosodies is killed, and started again after 5 s", "federated")
async def one_of_two_servers_killed(scene: Scene) -> None:
    await scene.talk()
    for index in (1, 0):
        scene.servers.kill(index)
        await asyncio.sleep(5)
        scene.servers.start(index)
        await scene.flow()
