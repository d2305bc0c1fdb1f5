"""All kinds of faults in sequence, some overlapping."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tests.faults.fault import fault

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.faults.scene import Scene

_SECONDS = 12.0
_SEED = 3
_PAUSES = (0, 0.05, 0.5, 1.5)  # s between two faults
_LENGTHS = (0.05, 0.3, 1, 2.5)  # s that a fault lasts


@fault("all kinds of faults at random for 12 s", "xmpp", "relay", is_long=True)
async def all_at_random(scene: Scene) -> None:
    await _cause_at_random(scene)


@fault(
    "all kinds of faults at random for 12 s, on two hosts",
    *("auto", "direct"),
    apart=True,
    is_long=True,
    may_fail="direct",  # where one fault follows the other, the connection may be away for too long
)
async def all_on_two_hosts(scene: Scene) -> None:
    await _cause_at_random(scene)


@fault(
    "all kinds of faults at random for 12 s, on two hosts, messages of 700 kB",
    *("auto", "direct"),
    apart=True,
    is_long=True,
    agents=2,
    pause=0.2,
    size=700_000,
    may_fail="direct",
)
async def all_with_large_messages(scene: Scene) -> None:
    await _cause_at_random(scene)


async def _cause_at_random(scene: Scene) -> None:
    await scene.talk()
    choices = random.Random(_SEED)
    causes = causes_of(scene)
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        await choices.choice(causes)(scene, choices.randrange(2), choices.choice(_LENGTHS))
        await asyncio.sleep(choices.choice(_PAUSES))
    await scene.flow()


def causes_of(scene: Scene) -> list[Callable[[Scene, int, float], Awaitable[None]]]:
    """Return the faults that can happen over the scene's route: functions of a side and a duration."""
    causes = [_stop_container, _break_connections]
    if scene.server is not None:
        causes += [_kill_server, _stop_server]
    if scene.servers is not None:
        causes += [_kill_one_server]
    if scene.hosts is not None:
        causes += [_cut, _reset]
    return causes


async def _stop_container(scene: Scene, which: int, seconds: float) -> None:
    side = (scene.c1, scene.c2)[which]
    side.signal(signal.SIGSTOP)
    await asyncio.sleep(seconds)
    side.signal(signal.SIGCONT)


async def _break_connections(scene: Scene, which: int, _: float) -> None:
    await (scene.c1, scene.c2)[which].order("break")


async def _kill_server(scene: Scene, _: int, seconds: float) -> None:
    scene.server.kill()
    await asyncio.sleep(seconds)
    await scene.restart_server()


async def _stop_server(scene: Scene, _: int, seconds: float) -> None:
    os.kill(scene.server.pid, signal.SIGSTOP)
    await asyncio.sleep(seconds)
    os.kill(scene.server.pid, signal.SIGCONT)


async def _kill_one_server(scene: Scene, which: int, seconds: float) -> None:
    scene.servers.kill(which)
    await asyncio.sleep(seconds)
    await scene.start_server(which)


async def _cut(scene: Scene, which: int, seconds: float) -> None:
    scene.hosts[which].cut()
    await asyncio.sleep(seconds)
    scene.hosts[which].mend()


async def _reset(scene: Scene, which: int, _: float) -> None:
    with suppress(AssertionError):  # there is none just now
        scene.hosts[which].reset_connections()
