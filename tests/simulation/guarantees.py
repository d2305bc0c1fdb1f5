"""The guarantees of a healed platform: after some time all know the same, and nothing is left over."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

from formicary import AgentState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.simulation.residents import Resident
    from tests.simulation.wanderers import Wandering
    from tests.simulation.world import Place, World

    from formicary import Container

_SETTLED = 130.0  # s after which all is known: a directory that was away is found after 70
_BACK = 0.6  # the share of containers that are started again if they are not there
_PATIENCE = 400  # s until the last message that was begun has to have ended
_LOOK = 0.037  # s between looks at the links, which is no part of a container's own rhythm
_LOOKS = 100
_GONE = 45.0  # s after which nothing is left of what has ended


class BrokenError(Exception):
    """Something does not end, so nothing else can be checked."""


async def begin(world: World) -> None:
    """Wait until all containers know each other; then let all agents write."""
    for place in world.places:
        await _until(lambda place=place: place.open() or place.container is not None, f"{place.name} opens")
    await asyncio.sleep(10.0)
    world.is_talking = True
    for resident in _residents(world):
        resident.begin()


async def settle(world: World) -> None:
    """Heal everything, and wait until everything should be known everywhere."""
    world.is_talking = False
    world.note("-- everything is made whole")
    world.network.heal()
    for place in world.places:
        if place.process is not None:
            place.process.proceed()
    chance = random.Random(f"{world.seed}/settle")
    for place in world.places:  # the first one, which others join, first; some stay away
        if place is world.places[0] or chance.random() < _BACK:
            await _until(
                lambda place=place: place.open() or place.container is not None, f"{place.name} opens"
            )
        else:
            await _until(lambda place=place: place.is_settled, f"{place.name} is open or closed")
    for resident in _residents(world):
        resident.pace, resident.burst = 0.0, 0
    await _until(lambda: all(it.is_quiet for it in _residents(world)), "all senders end", world)
    await asyncio.sleep(_SETTLED)


async def _until(holds: Callable[[], Any], what: str, world: World | None = None) -> None:
    for _ in range(_PATIENCE):
        if holds():
            return
        await asyncio.sleep(1.0)
    who = "" if world is None else [it.address for it in _residents(world) if not it.is_quiet]
    raise BrokenError(f"within {_PATIENCE} s it has not come to it that {what} {who}")


def _wanderings(world: World) -> list[Wandering]:
    return [it for it in world.wanderings.values() if it.places() and not _is_in_doubt(world, it)]


def _is_in_doubt(world: World, wandering: Wandering) -> bool:
    """Tell whether one is in transit whose home is not there to say what it has decided.

    Or its home was restarted and has forgotten that, and its destination is not there to say what it has.
    """
    domains = {place.domain for place, _ in _containers(world)}
    for agent in wandering.places():
        if agent.state is AgentState.TRANSIT:
            transit = agent.container.platform_services.mobility.transit(wandering.address)
            needed = {wandering.address.partition("@")[2], *([transit.to] if transit else ())}
            if not needed <= domains:
                return True
    return False


def _residents(world: World) -> list[Resident]:
    return [it for place in world.places for it in place.residents.values()]


async def check(world: World) -> list[str]:
    """Return the broken guarantees."""
    await settle(world)
    broken = [*_members(world), *await _links(world), *_wanderers(world)]
    broken += await _directory(world)
    broken += await _groups(world)
    broken += await _probe(world)
    broken += await _links(world)
    world.account.settle({it.address for it in world.wanderings.values() if _is_in_doubt(world, it)})
    broken += world.account.broken
    if world.shape.is_mild:
        broken += [f"{it} has failed, though all was soon whole again" for it in world.account.failures()]
    broken += await _end(world)
    return broken


def _containers(world: World) -> Iterator[tuple[Place, Container]]:
    for place in world.places:
        if place.container is not None:
            yield place, place.container


def _members(world: World) -> Iterator[str]:
    domains = {place.domain for place, _ in _containers(world)}
    for place, container in _containers(world):
        if set(container.members) != domains:
            yield f"{place.name} knows {sorted(container.members)}, and there are {sorted(domains)}"


async def _links(world: World) -> list[str]:
    """Poll until nothing is left on any link: control messages are soon acknowledged."""
    for _ in range(_LOOKS):
        left = [sentence for place, container in _containers(world) for sentence in _left(place, container)]
        if not left:
            break
        await asyncio.sleep(_LOOK)
    return left


def _left(place: Place, container: Container) -> Iterator[str]:
    overflow = container.dispatcher.overflow
    if overflow.lines or overflow._count:
        yield f"{place.name} has messages that wait for {sorted(overflow.lines)}"
    for link in container.dispatcher.transport.links.values():
        left = {
            "unacknowledged": link.session.unacknowledged,
            "waiting": len(link.outbox._letters),
            "paused": sorted(link.paused),
        }
        if any(left.values()):
            yield f"{place.name} has left on the link to {link.domain}: {left}"


def _wanderers(world: World) -> Iterator[str]:
    """Check that each wanderer is in one place, and not stuck there; or dead with a container."""
    for wandering in world.wanderings.values():
        places = wandering.places()
        names = [it.container.name for it in places]
        who = f"{wandering.address}/{wandering.life}"
        if len(places) > 1:
            yield f"{who} is in {names}"
        elif not places and not wandering.may_be_dead:
            yield f"{who} is nowhere, and was in no container that has ended"
        elif places and places[0].state is not AgentState.ACTIVE and not _is_in_doubt(world, wandering):
            yield f"{who} is {places[0].state} in {names}"
        wandering.may_be_dead = not places


async def _directory(world: World) -> list[str]:
    broken = []
    offered = {(it.address, name): entry for it in _residents(world) for name, entry in it.offers.items()}
    unsure = {(it.address, name) for it in _residents(world) for name in it.unsure}
    for place, container in _containers(world):
        assert place.process is not None
        services = await place.process.spawn(container.directory.search(max_results=10_000))
        found = {(it.agent, it.name): it for it in services}
        wrong = [
            key for key in sorted({*found, *offered} - unsure) if str(found.get(key)) != str(offered.get(key))
        ]
        broken += [f"{place.name} finds {found.get(key)} in place of {offered.get(key)}" for key in wrong]
        if place.view is not None:
            seen = place.view.known
            wrong = [key for key in sorted({*seen, *found}) if str(seen.get(key)) != str(found.get(key))]
            broken += [f"a watcher in {place.name} knows {seen.get(it)} for {found.get(it)}" for it in wrong]
    return broken


async def _groups(world: World) -> list[str]:
    broken = []
    sure = {(it.address, *role) for it in _residents(world) for role in it.roles - it.unsure_roles}
    unsure = {(it.address, *role) for it in _residents(world) for role in it.unsure_roles}
    for place in world.places:
        resident = next(iter(place.residents.values()), None)
        if resident is None:
            continue
        found = await resident.process.spawn(_players(resident))
        broken += [f"{place.name} does not know that {it} plays" for it in sorted(sure - unsure - found)]
        broken += [f"{place.name} has {it}, who does not play" for it in sorted(found - sure - unsure)]
    return broken


async def _players(resident: Resident) -> set[tuple[str, str, str]]:
    groups = resident.agent.groups
    return {
        (agent, group, role)
        for group in await groups.groups()
        for role in await groups.roles(group)
        for agent in await groups.agents(group, role)
    }


async def _probe(world: World) -> list[str]:
    """Let all agents write to all: everything arrives."""
    start = world.loop.time()
    residents = [*_residents(world), *_wanderings(world)]
    domains = {place.domain for place, _ in _containers(world)}
    # One that has moved is found by way of its home.
    reachable = [it for it in residents if it.address.partition("@")[2] in domains]
    for resident in residents:
        resident.probe([it.address for it in reachable if it is not resident])
    await _until(lambda: all(it.is_quiet for it in residents), "all senders end", world)
    await asyncio.sleep(10.0)
    letters = [it for it in world.account.letters.values() if it.at >= start]
    return [
        f"{it.sender.address} cannot reach {it.receiver} though all is whole: {it.failed}"
        for it in letters
        if not it.received
    ]


async def _end(world: World) -> list[str]:
    """Close all containers, the latest first, and check what they leave behind."""
    for place in reversed(world.places):
        place.close()
        await _until(lambda place=place: place.process is None, f"{place.name} closes")
    await asyncio.sleep(_GONE)
    dead = {task for place in world.places for process in place.killed for task in process._remains}
    left = [
        task.get_name()
        for task in asyncio.all_tasks()
        if task is not asyncio.current_task() and task not in dead
    ]
    return [f"there is left a task: {name}" for name in sorted(left)]
