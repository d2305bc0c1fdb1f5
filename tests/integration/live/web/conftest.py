"""The live view's page in a real browser, which is served from a thread of its own."""

from __future__ import annotations

import asyncio
import re
import threading

import pytest
from playwright.async_api import Error, expect
from tests.unit.live.synthetic import BEGIN, Market, StandIn

from formicary.live.web.serving import serving

PATIENCE = 40.0  # s: the gate's machine is slow, and does other things, too
expect.set_options(timeout=PATIENCE * 1000)


async def until(is_so):
    """Wait until something is so that nobody tells."""
    async with asyncio.timeout(PATIENCE):
        while not is_so():  # noqa: ASYNC110 -- nobody tells it
            await asyncio.sleep(0.01)


class Live:
    """A server with a stand-in's feed, in a thread.

    Args:
        port: where it listens; 0 lets the system choose.
        options: as of `StandIn`.
    """

    def __init__(self, port=0, **options):
        self.market = Market()
        self._port = port
        self._options = options
        self._ready = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._serve(),))
        self._thread.start()
        assert self._ready.wait(60)

    async def _serve(self):
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        self.feed = StandIn(**self._options)
        async with serving(self.feed, title="shop", port=self._port) as (self.address, _):
            self.base = self.address.partition("/#")[0]
            self.port = int(self.base.rpartition(":")[2])
            self._ready.set()
            await self._over.wait()

    def put(self, *events):
        """Have the feed give a batch."""
        self._loop.call_soon_threadsafe(self.feed.batches.put_nowait, list(events))

    def trade(self, count, at=BEGIN):
        """Have the feed give figures and messages of the market."""
        self.put(self.market.figures(at), *self.market.messages(at, count, count / 20))

    def cut(self):
        """Break all connections."""

        def reset():
            for transport in list(self._loop._transports.values()):
                if transport.get_extra_info("peername"):
                    transport.abort()

        self._loop.call_soon_threadsafe(reset)

    def stand_still(self, until):
        """Do nothing until something is set."""
        self._loop.call_soon_threadsafe(self._loop.call_soon, until.wait)

    def close(self):
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join()


class View:
    """The page, as somebody uses it who looks at an address."""

    def __init__(self, page, address):
        self.page = page
        self.address = address

    async def visit(self, address=None):
        """Load the page anew."""
        try:
            await self._go(address)
        except (
            Error
        ) as error:  # another test has made a network meanwhile: there is no page that could mend it
            if "ERR_NETWORK_CHANGED" not in str(error):
                raise
            await self._go(address)
        await expect(self.at("title")).not_to_have_text("…")
        await expect(self.page.locator("body")).to_have_css("display", "flex")  # its style is there, too

    async def _go(self, address):
        await self.page.goto(address or self.address, wait_until="commit")

    def at(self, name):
        """Give the element with this name."""
        return self.page.locator(f"#{name}")

    async def text(self, name):
        return await self.at(name).text_content()

    async def run(self, expression):
        return await self.page.evaluate(expression)

    async def until(self, expression):
        """Wait until something holds on the page, whose policy does not let Playwright wait there."""
        async with asyncio.timeout(PATIENCE):
            while not await self.run(expression):  # noqa: ASYNC110 -- nobody tells it
                await asyncio.sleep(0.01)

    async def show(self, tab):
        await self.at(f"tab-{tab}").click()

    async def press(self, *keys):
        """Press keys, as somebody does who has no mouse."""
        for key in keys:
            await self.page.keyboard.press(key)

    async def search(self, text):
        """Write into the search of the nest."""
        await self.at("search").fill(text)

    async def choose(self, agent):
        """Look at an agent of the nest."""
        await self.search(agent)
        await expect(self.at("found")).to_have_text(re.compile("^[1-9][0-9]* of"))
        await self.at("search").press("Enter")

    async def confirm(self):
        """Do what the dialog asks for once more."""
        await self.page.locator("#dialog [type=submit]").click()


@pytest.fixture
def live():
    started = Live(may_act=True)
    yield started
    started.close()


@pytest.fixture
def view(live, page, browser_loop):
    """The page of `live`; left before its server ends, which it would look for."""
    view = View(page, live.address)
    browser_loop.run(view.visit())
    yield view
    browser_loop.run(page.goto("about:blank"))
