"""Links that nobody uses are forgotten, after a while or where others need the room."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from formicary.transport.link_table import LinkTable

pytestmark = pytest.mark.virtual_clock


def link(name, *, is_idle=True, is_open=False):
    session, now = SimpleNamespace(is_open=is_open), asyncio.get_running_loop().time()
    return SimpleNamespace(domain=name, is_idle=is_idle, ended_at=now, session=session, abandon=Mock())


def table(*links, limit=10_000):
    """Return a table with these links, and a list of the names of those that it will forget."""
    forgotten = []
    made = LinkTable(lambda links: forgotten.extend(each.domain for each in links))
    made.limit = limit
    for each in links:
        made.add(each)
    return made, forgotten


async def test_a_link_without_a_session_is_forgotten_after_two_minutes_unless_it_is_used():
    links, forgotten = table(link("idle"), link("used", is_idle=False), link("kept"))
    links.kept = links["kept"]
    await asyncio.sleep(119)
    assert not forgotten
    await asyncio.sleep(60)
    assert forgotten == ["idle"]
    assert set(links) == {"used", "kept"}
    links.close()


async def test_where_all_have_sessions_nobody_looks_until_one_has_ended():
    links, forgotten = table(other := link("other", is_idle=False, is_open=True))
    await asyncio.sleep(1000)
    other.is_idle, other.session.is_open, other.ended_at = True, False, 1000
    await asyncio.sleep(1000)
    assert not forgotten
    links.sweep_later()
    await asyncio.sleep(31)
    assert forgotten == ["other"]
    links.close()


async def test_where_there_are_too_many_the_idle_ones_make_room_at_once():
    links, forgotten = table(link("idle"), link("used", is_idle=False), limit=2)
    assert links.make_room()
    assert forgotten == ["idle"]
    links.add(link("third", is_idle=False))
    assert not links.make_room()
    assert set(links) == {"used", "third"}
    links.close()


async def test_a_closed_table_ends_its_links_and_looks_no_more():
    links, forgotten = table(link("idle"))
    links.close()
    links["idle"].abandon.assert_called_once_with()
    links.sweep_later()
    await asyncio.sleep(1000)
    assert not forgotten
