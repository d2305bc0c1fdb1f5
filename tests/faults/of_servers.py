"""Faults of servers."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING

import psutil
from tests.faults.fault import fault
from tests.faults.side import end_program, start_program

if TYPE_CHECKING:
    from tests.faults.scene import Scene

_FLOOD_SECONDS = 10.0  # of processor time; it was 90, and more


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
    "Prosody is killed under load, and restarted after 5 s",
    *("xmpp", "auto"),
    is_heavy=True,
    pause=0.004,
)
async def server_killed(scene: Scene) -> None:
    await scene.talk()
    for pause in (5, 0):
        scene.server.kill()
        await asyncio.sleep(pause)
        await scene.restart_server()
        await scene.flow()


@fault("Prosody is killed every 2 to 5 s, and restarted at once", "xmpp", "auto", is_long=True)
async def server_killed_often(scene: Scene) -> None:
    await scene.talk()
    for up in (2, 3.5, 2.5, 5):
        scene.server.kill()
        await scene.restart_server()
        await asyncio.sleep(up)
    await scene.flow()


@fault(
    "Prosody has a tenth of a CPU and is killed every 2 to 3 s, with 4 MB waiting on each side",
    "xmpp",
    is_long=True,
    in_gate=False,
    agents=50,
    pause=0,
    size=4000,
    limits={"send_timeout": 120.0},
)
async def slow_server_killed_often(scene: Scene) -> None:
    await scene.talk()
    for up in (2, 3, 2.5, 2, 3) * 4:
        scene.server.kill()
        await asyncio.sleep(1)
        await scene.restart_server()
        for _ in range(round(up / 0.65)):
            os.kill(scene.server.pid, signal.SIGSTOP)
            await asyncio.sleep(0.6)
            os.kill(scene.server.pid, signal.SIGCONT)
            await asyncio.sleep(0.05)
    await scene.flow()


@fault("Prosody is killed; one container is back at it 6 s after the other", "xmpp")
async def server_killed_and_one_is_late(scene: Scene) -> None:
    await scene.talk()
    await _without_c2(scene)


@fault("both begin to write without Prosody; one is back at it 6 s after the other", "xmpp", "auto")
async def begun_without_server(scene: Scene) -> None:
    await scene.start()
    scene.server.kill()
    await asyncio.gather(*(side.order("start") for side in (scene.c1, scene.c2)))
    await _without_c2(scene)


async def _without_c2(scene: Scene) -> None:
    """Restart Prosody while c2 is stopped, and resume c2 later."""
    scene.server.kill()
    scene.c2.signal(signal.SIGSTOP)
    await scene.restart_server()
    await asyncio.sleep(6)
    scene.c2.signal(signal.SIGCONT)
    await scene.flow()


@fault("one of two Prosodies is killed, and restarted after 5 s", "federated")
async def one_of_two_servers_killed(scene: Scene) -> None:
    await scene.talk()
    for index in (1, 0):
        scene.servers.kill(index)
        await asyncio.sleep(5)
        await scene.start_server(index)
        await scene.flow()


@fault(
    "an XMPP client sends 10 000 subscriptions and 5 000 messages to absent agents",
    "xmpp",
    is_heavy=True,
)
async def flooded_by_a_client(scene: Scene) -> None:
    await scene.talk()
    server = scene.server
    server.create_account("eve", "secret")
    before = _processor_seconds(server.pid)
    address = (str(server.client_port), server.address.platform, "eve", "secret")
    flooder = await start_program(sys.executable, "-m", "tests.faults.flooder", *address, "10000", "5000")
    try:
        assert flooder.stdout is not None
        assert await flooder.stdout.readline() == b"sent\n"
        for _ in range(10):
            await scene.flow()
            await asyncio.sleep(0.5)
        spent = _processor_seconds(server.pid) - before
    finally:
        await end_program(flooder)
    scene.check(spent < _FLOOD_SECONDS, f"Prosody spent {spent:.0f} s of processor time in 5 s")
    await scene.flow()
    scene.note(f"Prosody spent {spent:.1f} s of CPU in 5 s, with all else that it carried")


def _processor_seconds(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)
