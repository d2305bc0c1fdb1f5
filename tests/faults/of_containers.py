"""Faults of containers, receivers and clocks."""

from __future__ import annotations

import asyncio
import signal
from operator import sub
from typing import TYPE_CHECKING

from tests.faults.fault import fault
from tests.faults.ledger import settle

if TYPE_CHECKING:
    from tests.faults.scene import Scene

# Seconds within which the senders to a container that was killed know. It takes 3 to 4, as the table says,
# and more on a busy machine; if only silence told them, it would take 30.
ANSWER_LIMIT = 20.0
_MEGABYTE = 1 << 20
_HOUR = 3600.0


async def _kill(scene: Scene) -> None:
    await asyncio.sleep(1)
    await scene.kill_c2()
    told_after = scene.figures.told_after
    scene.check(told_after <= ANSWER_LIMIT, f"senders knew only after {told_after:.1f} s")
    await asyncio.sleep(1)  # what is sent to it now fails, too


@fault("a container is killed (SIGKILL)", "xmpp", "federated", "auto", "direct", may_fail=True)
async def container_killed(scene: Scene) -> None:
    await scene.talk()
    await _kill(scene)


@fault(
    "a container is killed while one agent floods it",
    *("xmpp", "auto", "direct"),
    may_fail=True,
    is_heavy=True,
    agents=1,
    pause=0,
    limit=200_000,
)
async def container_killed_under_load(scene: Scene) -> None:
    await scene.talk(scene.c1)
    await _kill(scene)


@fault(
    "a container is killed whose agents take a message in 0.3 s",
    *("xmpp", "federated", "auto", "direct", "relay"),
    may_fail=True,
)
async def slow_container_killed(scene: Scene) -> None:
    await scene.start()
    await scene.c2.order("pace", seconds=0.3)
    await scene.talk()
    await asyncio.sleep(2)
    await scene.kill_c2()
    to_them = settle(scene.c1.ledger, scene.c2.ledger)
    scene.check(to_them.received < to_them.sent // 2, "its agents had taken nearly everything")


@fault("a container is killed and restarted", "xmpp", "auto", "direct", may_fail=True)
async def container_restarted(scene: Scene) -> None:
    await scene.talk()
    for _ in range(2):
        await scene.kill_c2()
        await scene.restart_c2()
        await scene.flow()


@fault(
    "a container is stopped and restarted",
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
    "an agent floods a receiver that takes one message a second",
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
    sent, before = -1, (0, 0)
    while True:  # until all that has room is full, and what is under way has come to where it waits
        memory = scene.c1.memory, scene.c2.memory
        if numbers[0] == sent and max(map(abs, map(sub, memory, before))) < _MEGABYTE:
            break
        sent, before = numbers[0], memory
        await asyncio.sleep(2)
    seconds = 35  # longer than senders wait for a mailbox
    await asyncio.sleep(seconds)
    sent = numbers[0] - sent
    growth = [
        (new - old) / _MEGABYTE for old, new in zip(before, (scene.c1.memory, scene.c2.memory), strict=True)
    ]
    grown = "memory of the sender's and the receiver's container grew by {:.1f} and {:.1f} MB".format(*growth)
    scene.check(max(growth) < 4, grown)
    scene.check(sent < 10 * seconds, f"{sent} messages were sent while the receiver took {seconds}")
    more = "memory {:.1f} and {:.1f} MB".format(*growth)
    scene.note(f"{numbers[0] - sent} under way; in {seconds} s {sent} more sent, {more} more")
    await scene.c2.order("hurry")


@fault(
    "10 000 agents on each side",
    *("xmpp", "auto", "direct"),
    comes_last=True,
    agents=10_000,
    limit=200,
    pause=10,
)
async def many_agents(scene: Scene) -> None:
    await scene.talk()
    await asyncio.sleep(5)


@fault("clocks are a day apart, and one jumps by two days", "xmpp", "auto", "direct", apart_in_time=True)
async def clock_jumps(scene: Scene) -> None:
    await scene.start(early=24 * _HOUR)
    await scene.talk()
    for hours in (-24, 24):
        await scene.c1.order("clock", seconds=hours * _HOUR)
        if scene.route != "xmpp":
            await scene.c1.order("break")  # what comes then is signed by the new time
        await scene.flow()
