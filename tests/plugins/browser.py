"""A real browser without a window: Debian's Chromium, which Playwright drives.

A test that asks for `page` is an `async def`: it runs in the loop that the browser lives in.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.plugins.missing import leave_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import Browser, ConsoleMessage, Page

CHROMIUM = Path("/usr/bin/chromium")
PATIENCE = 40_000.0  # ms for one answer: the gate's machine is slow, and does other things, too
_FLAGS = (
    "--no-sandbox",  # root has none; the pages are our own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"


@pytest.fixture(scope="session")
def browser_loop() -> Iterator[asyncio.Runner]:
    """Give the loop that the browser lives in: it stands still between tests."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="session")
def browser(browser_loop: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Give a browser to all tests; each has a context of its own there, as if it were the only one."""
    if not CHROMIUM.exists():
        leave_out("Chromium is missing: apt-get install chromium")
    from playwright.async_api import async_playwright

    home = str(tmp_path_factory.mktemp("chromium"))
    playwright = browser_loop.run(async_playwright().start())
    browser = browser_loop.run(
        playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=_FLAGS, env={**os.environ, "HOME": home}
        )
    )
    yield browser
    browser_loop.run(browser.close())
    browser_loop.run(playwright.stop())


@pytest.fixture
def problems() -> list[str]:
    """Give what has gone wrong on the page; a test that wants it so takes it out of here."""
    return []


@pytest.fixture
def page(browser: Browser, browser_loop: asyncio.Runner, problems: list[str]) -> Iterator[Page]:
    """Give an empty page; an error, a warning or any other word on its console fails the test."""

    def note(said: ConsoleMessage) -> None:
        if "net::ERR_NETWORK_CHANGED" in said.text:
            return  # of the machine, where other tests make networks: a page has to cope with it
        problems.append(f"{said.type}: {said.text} ({said.location['url']})")

    async def open_it() -> Page:
        context = await browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        page = await context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: problems.append(str(error)))
        return page

    async def close(page: Page) -> None:
        await page.evaluate(_DRAWN)
        await page.context.close()

    page = browser_loop.run(open_it())
    yield page
    browser_loop.run(close(page))
    assert problems == []
