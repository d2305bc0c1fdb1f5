"""The page under load: 10 000 agents and 100 000 messages a second that are offered, in a real browser.

With `FORMICARY_LOAD=60` for a minute, and by the clock: for a machine that does nothing else.
"""

import os
import time

import psutil
import pytest
from tests.integration.live.web.conftest import View
from tests.unit.live.synthetic import BEGIN, Market

from formicary.observe.events import LeftOut

SECONDS = float(os.environ.get("FORMICARY_LOAD", "0"))
BATCHES = int(SECONDS * 10) or 15
MOST_MEMORY = 300e6  # bytes of the page's process
MOST_CPU = 0.05  # s of the page's process for each frame: more would make fewer than twenty in a second

COUNT = """{
    window.frames_ = 0;
    const count = () => { window.frames_ += 1; requestAnimationFrame(count); };
    requestAnimationFrame(count);
}"""


def spent(browser):
    """Give the seconds of CPU of all processes that draw pages, and the bytes of the largest of them."""
    children = psutil.Process(browser._process.pid).children(recursive=True)
    found = [one for one in children if "--type=renderer" in one.cmdline()]
    cpu = sum(sum(one.cpu_times()[:2]) for one in found)
    return cpu, max(one.memory_full_info().uss for one in found)


@pytest.mark.timeout(int(SECONDS) * 3 + 120)
@pytest.mark.parametrize("tab", ["messages", "nest"])
def test_the_page_stays_small_and_quick(page, browser, live, tab):
    market = Market(buyers=9000, sellers=997, containers=8)
    view = View(page, live)
    view.visit()
    view.show(tab)
    live.put(market.figures(BEGIN))
    view.until("document.getElementById('tiles').textContent.includes('10\\u202f000')")
    before, memory = spent(browser)
    began = time.monotonic()
    view.run(COUNT)
    for number in range(1, BATCHES + 1):
        at = BEGIN + number / 10
        live.put(*market.messages(at, 1500), LeftOut(at, "c1", 1500, 8500))
        if number % 10 == 0:
            live.put(market.figures(at))
        view.until(f"import('./main.js').then((main) => main.taken() > {at})")
        memory = max(memory, spent(browser)[1])
        if SECONDS:
            time.sleep(max(0, began + number / 10 - time.monotonic()))
    frames = view.run("window.frames_")
    cpu = (spent(browser)[0] - before) / frames
    assert memory < MOST_MEMORY
    assert cpu < MOST_CPU
    if SECONDS:
        assert frames / (time.monotonic() - began) >= 20, (
            f"{memory / 1e6:.0f} MB, {cpu * 1000:.1f} ms a frame"
        )
    if tab == "messages":
        view.until("document.getElementById('counts').textContent.includes('left out')")
    else:
        assert view.text("found") == "10\u202f000 agents"
    assert view.problems() == []
