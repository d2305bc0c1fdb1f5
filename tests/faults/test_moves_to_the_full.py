"""Agents move to a container without room for their messages, or with a full disk."""

from __future__ import annotations

import asyncio

import pytest
from tests.faults.journey import AGENTS, DESTINATION, HOME, SOURCE, Journey
from tests.faults.mover import SLOW

pytestmark = [pytest.mark.timeout(300)]

_WAITING = 100  # messages of each agent that are to wait
_ROOM = 5  # messages


async def _judge(journey):
    """Check that all messages arrived, and no error was logged."""
    places = await journey.settled()
    await journey.flow()
    to, back = await journey.finish()
    for account in (to, back):
        assert account.is_settled, account
        assert account.failed == account.twice == account.disorder == account.made_up == 0, account
    assert journey.complaints() == []
    return places


async def _move_to_small_mailboxes(folder):
    async with Journey(folder, of_destination={"limits": {"mailbox": _ROOM}}, pause=0.01) as journey:
        await journey.begin()
        (folder / SLOW).touch()
        await journey.wait(lambda: min(journey.unread()) > _WAITING, "messages wait")
        await journey.move_all(SOURCE, DESTINATION)
        waiting = journey.unread()
        (folder / SLOW).unlink()
        assert min(waiting) > _ROOM, waiting
        places = await _judge(journey)
        assert set(places.values()) == {DESTINATION}
        assert len(places) == AGENTS


def test_a_destination_that_accepts_agents_and_has_no_room_for_their_messages(tmp_path):
    asyncio.run(_move_to_small_mailboxes(tmp_path))


async def _move_to_a_full_disk(folder):
    (disk := folder / "disk").mkdir()
    sleepers = {"services": {"sleepers": str(disk / "sleepers.sqlite")}}
    async with Journey(folder, of_home=sleepers, disk=disk) as journey:
        home = journey.sides[HOME]
        await journey.begin()
        await home.order("fill", disk=str(disk))
        await journey.move_all(SOURCE, HOME)
        await journey.flow()
        await home.order("sleep")
        here = await home.order("where")
        assert len(here["agents"]) == len(here["reasons"]) == AGENTS
        for reason in here["reasons"]:
            assert "cannot sleep" in reason
            assert (
                "sleepers.sqlite cannot grow because the disk is full; free some space and try again"
                in reason
            )
        await journey.flow()
        await home.order("empty", disk=str(disk))
        for _ in range(10):  # each is woken by the next message
            await home.order("sleep")
            await journey.flow()
        places = await _judge(journey)
        assert len((await home.order("where"))["reasons"]) == AGENTS  # there is none that is new
        assert set(places.values()) == {HOME}
        assert len(places) == AGENTS


def test_a_destination_without_room_on_its_disk_where_agents_would_sleep(tmp_path):
    asyncio.run(_move_to_a_full_disk(tmp_path))
