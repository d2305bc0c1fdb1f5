"""A recording in the page, in a real browser."""

import re

import pytest
from playwright.async_api import expect
from tests.integration.live.web.conftest import Live, until
from tests.unit.live.synthetic import BEGIN

from formicary.observe.events import Begun, LeftOut


@pytest.fixture
def live():
    started = Live(span=(BEGIN, BEGIN + 100))
    yield started
    started.close()


async def test_a_recording_is_paused_and_played_elsewhere_backwards_and_faster(view, live):
    live.trade(30)
    await expect(view.at("replay")).to_be_visible()
    await expect(view.at("counts")).to_have_text("all shown")
    assert await view.text("rights") == "A recording"
    assert (await view.text("place")).endswith("0 µs of 100 s")
    await view.at("play").click()
    await until(lambda: live.feed.is_paused)
    await expect(view.at("play")).to_have_text("Play")
    await expect(view.page.get_by_role("button", name="Pause", exact=True)).to_have_count(0)
    await expect(view.page.get_by_role("button", name="Resume", exact=True)).to_have_count(0)
    await view.at("seek").fill("500")
    await until(lambda: live.feed.sought == [BEGIN + 50])
    live.put(Begun(BEGIN + 50), live.market.figures(BEGIN + 50))
    await expect(view.at("counts")).to_have_text(re.compile("No messages yet$"))
    await expect(view.at("place")).to_have_text(re.compile("50 s of 100 s$"))
    await view.at("backwards").click()
    await until(lambda: live.feed.speed == -1)
    await expect(view.at("backwards")).to_have_attribute("aria-pressed", "true")
    await view.at("speed").select_option("10")
    await until(lambda: live.feed.speed == -10)
    await view.at("stage").focus()
    await view.press(" ")
    await until(lambda: not live.feed.is_paused)
    await expect(view.page.get_by_role("button", name="Pause", exact=True)).to_have_count(1)


async def test_a_recording_that_was_sampled_never_says_that_all_is_shown(view, live):
    live.put(*live.market.messages(BEGIN, 20, 1), LeftOut(BEGIN + 1, "c1", 20, 80))
    await expect(view.at("counts")).to_have_text("1 in 5 shown, 80 omitted")
    live.put(*live.market.messages(BEGIN + 50, 20, 1))
    await expect(view.at("counts")).to_have_text("80 omitted")
    live.put(Begun(BEGIN + 2), *live.market.messages(BEGIN + 1, 10, 1), LeftOut(BEGIN + 2, "c1", 10, 30))
    await expect(view.at("counts")).to_have_text("1 in 4 shown, 30 omitted")
    await view.visit()
    await expect(view.at("counts")).to_have_text("1 in 4 shown, 30 omitted")


async def test_a_paused_recording_continues_with_one_key(view, live):
    live.feed.pause()
    await view.visit()
    await expect(view.at("play")).to_have_text("Play")
    await view.at("stage").focus()
    await view.press(" ")
    await until(lambda: not live.feed.is_paused)
