"""Containers or the server are killed at each step of a hand-over: each agent is in one place, or dead.

All selected cases run before the first is checked, several at a time, since they mostly wait.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import traceback
from pathlib import Path

import pytest
from tests.faults.journey import AGENTS, DESTINATION, HOME, SOURCE, Journey
from tests.plugins.leaks import leaving_nothing_behind

pytestmark = [pytest.mark.timeout(600)]

STEPS = {
    "prepare": ("Prepare", DESTINATION),
    "prepared": ("Prepared", SOURCE),
    "asked": ("Ask", HOME),
    "committed": ("Decided", SOURCE),
    "left": ("Proceed.START", DESTINATION),
    "started": ("Status.CONFIRMED", SOURCE),
}
"""By name: the event of a hand-over that is about to be taken, and by whom."""

VICTIMS = {
    "source": {SOURCE},
    "destination": {DESTINATION},
    "home": {HOME},
    "source-and-home": {SOURCE, HOME},
    "destination-and-home": {DESTINATION, HOME},
}
ROUTES = {"server": "xmpp", "server-beside-direct": "auto"}
"""Cases in which the server is killed, and the route."""

WHO = [*VICTIMS, *(pytest.param(route, marks=pytest.mark.server) for route in ROUTES)]
_AT_ONCE = 3 * (os.cpu_count() or 1)
_LONGEST = 150.0  # s


async def _play(step, who, folder):
    """Kill, and return broken guarantees."""
    victims = VICTIMS.get(who, set())
    async with asyncio.timeout(_LONGEST), Journey(folder, by_server=ROUTES.get(who)) as journey:
        await journey.begin()
        if who in ROUTES:
            await journey.restart_server(*STEPS[step])
        else:
            await journey.kill(*STEPS[step], victims)
        places = await journey.settled()
        await journey.flow([int(agent[1:]) for agent in places])
        to, back = await journey.finish()
        problems = journey.complaints()
        if victims <= {HOME} and len(places) != AGENTS:
            problems.append(f"of {AGENTS} agents only {sorted(places)} are there, though none was killed")
        if not victims and to.failed + back.failed:
            problems.append(f"messages failed: {to}, {back}")
        # What the agents had sent that were killed is nobody's any more.
        for account in (to, back.without_lost() if len(places) < AGENTS else back):
            if not account.is_settled or account.twice or account.disorder or account.made_up:
                problems.append(f"messages were lost, doubled, out of order or made up: {account}")
        return problems


async def _run(cases):
    free = asyncio.Semaphore(_AT_ONCE)

    async def take_turn(case):
        async with free:
            with tempfile.TemporaryDirectory(prefix="formicary-moves-") as folder:
                try:
                    return case, await _play(*case, Path(folder))
                except Exception as error:  # noqa: BLE001 -- a result
                    return case, traceback.format_exception(error)

    return dict(await asyncio.gather(*map(take_turn, cases)))


@pytest.fixture(scope="module")
def problems(request):
    """The problems of the selected cases; all processes have ended."""
    selected = {
        (item.callspec.params["step"], item.callspec.params["who"])
        for item in request.session.items
        if getattr(item, "module", None) is request.module  # examples in the docs have none
    }
    with leaving_nothing_behind():
        return asyncio.run(_run(sorted(selected)))


@pytest.mark.grid
@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("step", STEPS)
def test_an_agent_is_in_one_place_or_dead_with_its_container(step, who, problems):
    assert not problems[step, who], "\n".join(problems[step, who])
