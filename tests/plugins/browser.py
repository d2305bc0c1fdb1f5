"""A real browser without a window: Chromium, driven over two pipes by its DevTools protocol."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from tests.plugins.missing import leave_out

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SECONDS = 40.0  # for one answer: the gate's machine is slow, and does other things, too
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",  # root has none; the pages are our own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--disable-background-networking",
    "--disable-features=SpareRendererForSitePerProcess,PaintHolding",  # no processes to come
    "--no-first-run",
    "--force-prefers-reduced-motion",
    "--hide-scrollbars",
)
# Chromium reads from file 3 and writes to file 4: numbers that only a process of its own can be sure of.
_LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
for end, number in zip(ends, (3, 4)):
    os.dup2(end, number)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """A running Chromium.

    Args:
        profile: An empty folder for what it keeps.
    """

    def __init__(self, profile: Path) -> None:
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        command = ["chromium", *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, str(theirs_in), str(theirs_out), *command],
            pass_fds=(theirs_in, theirs_out),
            env={**os.environ, "HOME": str(profile)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._number = 0
        self._read = b""
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        """Call a method of the protocol and give its result; what happens meanwhile is in `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        text = json.dumps({**message, "sessionId": session} if session else message)
        os.write(self._to, text.encode() + b"\0")
        until = time.monotonic() + _SECONDS
        while (answer := self._receive(until, method)).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def wait_for(self, session: str, method: str) -> None:
        """Wait for an event."""
        until = time.monotonic() + _SECONDS
        while not any(one.get("sessionId") == session and one["method"] == method for one in self.events):
            self.events.append(self._receive(until, method))

    def close(self) -> None:
        """End it, and all of its processes."""
        with suppress(OSError, AssertionError):
            self.call("Browser.close")
        try:
            self._process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def _receive(self, until: float, awaited: str) -> dict[str, Any]:
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._from], [], [], max(until - time.monotonic(), 0))
            assert ready, f"Chromium does not answer: {awaited}"
            part = os.read(self._from, 1 << 16)
            assert part, f"Chromium has ended: {awaited}"
            self._read += part
        message, _, self._read = self._read.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found


class Page:
    """A browser's only page."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        targets = browser.call("Target.getTargets")["targetInfos"]
        (target,) = (one["targetId"] for one in targets if one["type"] == "page")
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def visit(self, url: str, width: int = 1400, scheme: str = "light") -> None:
        """Load a page anew: `width` pixels wide, as somebody with this colour scheme sees it."""
        self._browser.events.clear()
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media="", features=features)
        self.call("Page.navigate", url=url)
        self._browser.wait_for(self._session, "Page.loadEventFired")

    def call(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol for this page."""
        return self._browser.call(method, self._session, **parameters)

    def run(self, expression: str) -> Any:
        """Give the value of an expression."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key, and let it go."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def enter(self) -> None:
        """Press Enter, as somebody does who uses a button by keyboard."""
        about = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, **about)

    def move(self, x: float, y: float) -> None:
        """Move the mouse."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def events(self, *methods: str) -> list[dict[str, Any]]:
        """Give what has happened on this page until now, of some kinds."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        ours = (one for one in self._browser.events if one.get("sessionId") == self._session)
        return [one["params"] for one in ours if one["method"] in methods]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Give a browser to the tests of a file."""
    if not shutil.which("chromium"):
        leave_out("Chromium is missing: apt-get install chromium")
    started = Browser(tmp_path_factory.mktemp("chromium"))
    yield started
    started.close()
