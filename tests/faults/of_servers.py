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


@fault("one of two Prosodies is killed, and started again after 5 s", "federated")
async def one_of_two_servers_killed(scene: Scene) -> None:
    await scene.talk()
    for index in (1, 0):
        scene.servers.kill(index)
        await asyncio.sleep(5)
        scene.servers.start(index)
        await scene.flow()
