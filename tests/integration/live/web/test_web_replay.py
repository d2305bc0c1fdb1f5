"""A recording in the page, in a real browser."""

import pytest
from tests.integration.live.web.conftest import Live, View, leave, wait
from tests.unit.live.synthetic import BEGIN

from formicary.observe.events import Begun


@pytest.fixture
def live(page):
    started = Live(page.port, span=(BEGIN, BEGIN + 100))
    yield started
    leave(page, started)


def test_a_recording_is_paused_and_played_elsewhere_backwards_and_faster(page, live):
    view = View(page, live)
    view.visit()
    live.trade(30)
    view.until("!document.getElementById('replay').hidden")
    view.until("document.getElementById('counts').textContent === 'all shown'")
    assert view.text("rights") == "A recording"
    assert view.text("place").endswith("0 µs of 100 s")
    view.run("document.getElementById('play').click()")
    wait(lambda: live.feed.is_paused)
    view.until("document.getElementById('play').textContent === 'Play'")
    assert view.text("pause") == "Go on"
    view.run("document.getElementById('seek').focus()")
    view.run("""{
        const seek = document.getElementById('seek');
        seek.value = 500;
        for (const kind of ['input', 'change']) seek.dispatchEvent(new Event(kind, {bubbles: true}));
    }""")
    wait(lambda: live.feed.sought == [BEGIN + 50])
    live.put(Begun(BEGIN + 50), live.market.figures(BEGIN + 50))
    view.until("document.getElementById('counts').textContent.endsWith('No message so far')")
    view.until("document.getElementById('place').textContent.endsWith('50 s of 100 s')")
    view.run("document.getElementById('backwards').click()")
    wait(lambda: live.feed.speed == -1)
    view.until("document.getElementById('backwards').getAttribute('aria-pressed') === 'true'")
    view.run("""{
        const speed = document.getElementById('speed');
        speed.value = '10';
        speed.dispatchEvent(new Event('change'));
    }""")
    wait(lambda: live.feed.speed == -10)
    view.run("document.getElementById('pause').click()")
    wait(lambda: not live.feed.is_paused)
    assert view.problems() == []
