"""The page under load: 10 000 agents and 100 000 messages a second that are offered, in a real browser.

In the second tier for a minute, and as fast as they would come.
"""

import asyncio
import time

import psutil
import pytest
from hypothesis import settings
from playwright.async_api import expect
from tests.unit.live.synthetic import BEGIN, Market

from formicary.observe.events import LeftOut

SECONDS = 60.0 if settings.get_current_profile_name() == "full" else 0.0
BATCHES = int(SECONDS * 10) or 15
MOST_MEMORY = 300e6  # bytes of the page's process

COUNT = """{
    window.frames_ = 0;
    const count = () => { window.frames_ += 1; requestAnimationFrame(count); };
    requestAnimationFrame(count);
}"""


async def memory_of(browser):
    """Give the bytes of the largest process that draws pages."""
    protocol = await browser.new_browser_cdp_session()
    found = (await protocol.send("SystemInfo.getProcessInfo"))["processInfo"]
    await protocol.detach()
    pages = [one for one in found if one["type"] == "renderer"]
    return max(psutil.Process(one["id"]).memory_full_info().uss for one in pages)


@pytest.mark.timeout(int(SECONDS) * 3 + 120)
@pytest.mark.parametrize("tab", ["messages", "nest"])
async def test_the_page_stays_small_and_draws_each_batch(view, browser, live, tab):
    market = Market(buyers=9000, sellers=997, containers=8)
    await view.show(tab)
    live.put(market.figures(BEGIN))
    await expect(view.at("tiles")).to_contain_text("10\u202f000")
    memory = await memory_of(browser)
    began = time.monotonic()
    await view.run(COUNT)
    for number in range(1, BATCHES + 1):
        at = BEGIN + number / 10
        live.put(*market.messages(at, 1500), LeftOut(at, "c1", 1500, 8500))
        if number % 10 == 0:
            live.put(market.figures(at))
        # A busy machine may take a second for a frame: there is one for each batch at least.
        await view.until(f"import('./main.js').then((main) => main.taken() > {at} && frames_ >= {number})")
        memory = max(memory, await memory_of(browser))
        if SECONDS:
            await asyncio.sleep(max(0, began + number / 10 - time.monotonic()))
    assert memory < MOST_MEMORY
    if tab == "messages":
        await expect(view.at("counts")).to_contain_text("omitted")
    else:
        assert await view.text("found") == "10\u202f000 agents"
