"""The live view when something breaks: its connection, its viewer, or the platform that it shows."""

import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.async_api import expect
from tests.integration.cli.platforms import ASK, Lab
from tests.integration.live.web.conftest import View, until
from tests.unit.live.synthetic import BEGIN

pytestmark = pytest.mark.timeout(180)  # some start platforms, one after the other
LOST = "connection lost: reconnecting"
NOBODY = "no connection: is the viewer still running? reconnecting"
SILENT = "no data: the viewer is not responding"
AGAIN = "part of the page failed to load: reloading"
INCOMPLETE = "part of the page failed to load: reload it"


@pytest.fixture
def quiet(page, problems):
    """What the browser says on its console about a connection or a file that fails is no problem here."""
    yield
    problems.clear()


async def stop_the_clock(view):
    """Have no timer of the page go off by itself."""
    await view.page.clock.install()
    await view.page.clock.pause_at(await view.run("Date.now() + 1000"))


class TestPart:
    """A file of the page that does not come."""

    @pytest.fixture
    def view(self, live, page, quiet, browser_loop):
        """A page that has not been loaded."""
        yield View(page, live.address)
        browser_loop.run(page.goto("about:blank"))

    @pytest.mark.parametrize(
        "part",
        ["main.js", pytest.param("nest.js", marks=pytest.mark.full("as with main.js")), "live.css"],
    )
    async def test_it_is_asked_for_again(self, view, part):
        asked = []

        async def refuse_once(route):
            asked.append(route)
            await (route.abort("connectionreset") if len(asked) == 1 else route.continue_())

        await view.page.route(f"**/{part}", refuse_once)
        await view.page.goto(view.address, wait_until="commit")
        await until(lambda: len(asked) == 2)
        await expect(view.at("state")).to_have_text("live")
        await expect(view.page.locator("body")).to_have_css("display", "flex")
        assert await view.run("sessionStorage.getItem('formicary-tries')") is None

    async def test_where_it_never_comes_that_is_said_in_the_end(self, view):
        asked = []

        async def refuse(route):
            asked.append(route)
            await route.abort("connectionreset")

        await view.page.clock.install()
        await view.page.route("**/text.js", refuse)
        await view.page.goto(view.address, wait_until="commit")
        for _ in range(5):
            await expect(view.at("state")).to_have_text(AGAIN)
            await view.page.clock.fast_forward(4000)
        await expect(view.at("state")).to_have_text(INCOMPLETE)
        assert len(asked) == 6


async def test_a_connection_that_is_cut_is_opened_again_and_tells_all_anew(quiet, view, live):
    live.put(live.market.figures(BEGIN))
    await expect(view.at("linked")).to_have_text("6")
    await stop_the_clock(view)
    live.cut()
    await expect(view.at("state")).to_have_text(LOST)
    await expect(view.at("state")).to_have_class("state lost")
    await view.page.clock.resume()
    await expect(view.at("state")).to_have_text("live")
    await expect(view.at("state")).to_have_class("state")
    live.put(live.market.figures(BEGIN + 1), *live.market.messages(BEGIN + 1, 3))
    await expect(view.at("counts")).to_have_text("all shown")
    assert live.feed.opened == 2  # meanwhile nobody has looked


async def test_a_server_that_does_not_answer_is_not_waited_for(quiet, view, live):
    sockets = []
    view.page.on("websocket", lambda socket: sockets.append(socket))  # noqa: PLW0108 -- no built-in method
    await stop_the_clock(view)
    standing = threading.Event()
    live.cut()
    live.stand_still(standing)
    try:
        await expect(view.at("state")).to_have_text(LOST)
        await view.page.clock.run_for(500)
        await until(lambda: len(sockets) == 1)  # it is opened, and nobody answers
        await view.page.clock.run_for(9900)
        assert len(sockets) == 1
        await view.page.clock.run_for(100)
        await until(sockets[0].is_closed)
        await view.page.clock.run_for(1000)
        await until(lambda: len(sockets) == 2)
    finally:
        standing.set()
    await expect(view.at("state")).to_have_text("live")
    await view.page.clock.resume()


async def test_a_server_that_says_nothing_any_more_is_not_called_live(quiet, view, live):
    await stop_the_clock(view)
    standing = threading.Event()
    live.stand_still(standing)
    try:
        await view.page.clock.run_for(16_000)  # something may have been on its way
        await expect(view.at("state")).to_have_text(SILENT)
        await expect(view.at("state")).to_have_class("state lost")
    finally:
        standing.set()
    await expect(view.at("state")).to_have_text("live")
    await view.page.clock.resume()


@pytest.fixture
def lab(tmp_path):
    return Lab(tmp_path)


@pytest.fixture
def watch(lab, page, quiet, browser_loop):
    """Start `formicary watch --web`, behind another command; give it with its page."""
    started = []

    def start(command):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started.append(subprocess.Popen(command, **pipes, **lab.options))
        return started[-1]

    async def watch(*arguments, behind=()):
        viewer = start([*behind, *ASK, "watch", "--web", *arguments])
        view = View(page, viewer.stdout.readline().split()[0])
        await view.visit()
        await expect(view.at("tiles")).to_contain_text("1container")
        return viewer, view

    yield watch
    browser_loop.run(page.goto("about:blank"))
    for viewer in started:
        viewer.kill()
        viewer.communicate()


async def test_if_the_viewer_is_killed_the_page_says_so_and_the_platform_continues(lab, watch):
    with lab.run("--listen") as container:
        viewer, view = await watch()
        viewer.kill()
        await expect(view.at("state")).to_have_text(NOBODY)
        assert "c1 " in lab.said("ps")
        assert container.poll() is None


async def test_where_the_platform_is_killed_viewer_and_page_say_so(lab, watch):
    with lab.run("--listen") as container:
        viewer, view = await watch()
        container.kill()
        container.wait()
        await expect(view.at("state")).to_have_text("the platform's container c1 is gone")
        _, said = viewer.communicate()
        assert (viewer.returncode, said) == (
            3,
            "formicary: the platform's container c1 is gone\n",
        )


def fill(path):
    """Leave no room on the disk of a file."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


async def test_where_the_disk_of_a_recording_is_full_viewer_and_page_say_so(as_root, lab, watch, tmp_path):
    (disk := tmp_path / "disk").mkdir()
    mount = 'mount -t tmpfs -o size=512k none "$0" && exec "$@"'
    with lab.run("--listen"):
        small = ("unshare", "--mount", "sh", "-c", mount, str(disk))
        viewer, view = await watch("--record", str(disk / "shop.formicary"), behind=small)
        fill(Path(f"/proc/{viewer.pid}/root{disk}/others"))
        sentence = (
            f"{disk}/shop.formicary cannot grow because the disk is full; free some space and try again"
        )
        await expect(view.at("state")).to_have_text(sentence)
        _, said = viewer.communicate()
        assert (viewer.returncode, said) == (3, f"formicary: {sentence}\n")
