"""The live view's page in a real browser, which is served from a thread of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress

import pytest
from tests.plugins.browser import Page
from tests.unit.live.synthetic import BEGIN, Market, StandIn

from formicary.live.web.serving import serving


def wait(is_so, what="", seconds=20):
    """Wait until something is so, and give it."""
    end = time.monotonic() + seconds
    while not (found := is_so()):
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.01)
    return found


class Live:
    """A server with a stand-in's feed, in a thread.

    Args:
        port: where it listens.
        options: as of `StandIn`.
    """

    def __init__(self, port=0, **options):
        self.market = Market()
        self.port = port
        self._options = options
        self._ready = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._serve(),))
        self._thread.start()
        assert self._ready.wait(10)

    async def _serve(self):
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        self.feed = StandIn(**self._options)
        async with serving(self.feed, title="shop", port=self.port) as (self.address, _):
            self.port = int(self.address.partition("/?")[0].rpartition(":")[2])
            self._ready.set()
            await self._over.wait()

    def put(self, *events):
        """Have the feed give a batch."""
        self._loop.call_soon_threadsafe(self.feed.batches.put_nowait, list(events))

    def trade(self, count, at=BEGIN):
        """Have the feed give figures and messages of the market."""
        self.put(self.market.figures(at), *self.market.messages(at, count, count / 20))

    def close(self):
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()


class View:
    """A page that looks at a server."""

    def __init__(self, page, live):
        self.page = page
        self.live = live

    def visit(self, width=1400, scheme="light", address=None):
        """Load the page, as somebody does who loads it again where nothing comes: the browser may be late."""
        for patience in (10, 10, 20):
            self.page.visit(address or self.live.address, width, scheme)
            with suppress(TimeoutError):
                wait(self.is_connected, "the page is connected", patience)
                return
        raise AssertionError(f"the page does not connect: {self.problems()}")

    def is_connected(self):
        return self.page.run("document.getElementById('state').textContent !== 'connecting'")

    def run(self, expression):
        return self.page.run(expression)

    def until(self, expression):
        """Wait until something holds on the page."""
        return wait(lambda: self.page.run(expression), expression)

    def resize(self, width):
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.page.call("Emulation.setDeviceMetricsOverride", **metrics)

    def search(self, text):
        """Write into the search of the nest."""
        self.run(f"""{{
            const search = document.getElementById('search');
            search.value = '{text}';
            search.dispatchEvent(new Event('input'));
            search.focus();
        }}""")

    def text(self, name):
        return self.page.run(f"document.getElementById('{name}').textContent")

    def press(self, *keys):
        """Press keys, as somebody does who has no mouse."""
        for key in keys:
            self.page.enter() if key == "Enter" else self.page.press(key)

    def show(self, tab):
        self.page.run(f"document.getElementById('tab-{tab}').click()")

    def problems(self):
        entries = [one["entry"] for one in self.page.events("Log.entryAdded")]
        worse = [
            one
            for one in entries
            if one["level"] in {"error", "warning"}
            and "favicon.ico" not in one.get("url", "")  # for the file that `leave` has opened
        ]
        return worse + self.page.events("Runtime.exceptionThrown", "Runtime.consoleAPICalled")


def leave(page, live):
    """Close the page before its server, which it would look for."""
    base = live.address.partition("/?")[0]
    page.visit(f"{base}/live.css")  # of the same origin: the browser needs no other process
    live.close()


@pytest.fixture(scope="module")
def page(browser):
    """A page that has been loaded once: the browser has all of its processes before a test is looked at."""
    page = Page(browser)
    first = Live()
    page.visit(first.address)
    leave(page, first)
    page.port = first.port
    return page


@pytest.fixture
def live(page):
    """A server; all have one port: they are one origin to the browser, which needs one process for it."""
    started = Live(page.port, may_act=True)
    yield started
    leave(page, started)


@pytest.fixture
def view(page, live):
    """The page, loaded anew; it must have had no problem in the end."""
    view = View(page, live)
    view.visit()
    yield view
    assert view.problems() == []
