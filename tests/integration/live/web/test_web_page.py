"""The live view's page in a real browser: what it shows, by mouse and by keyboard, at all sizes."""

import re
from itertools import product

from tests.integration.live.web.conftest import wait
from tests.unit.live.synthetic import BEGIN

from formicary.observe.events import AgentSeen, DeadLetter, MessageSeen

WIDTHS = (400, 800, 1600)
TABS = ("messages", "nest", "directory", "dead", "links")
TOO_WIDE = """
[...document.querySelectorAll('body *')].filter((one) => {
  if (one.closest('.scroll, nav, .stage, .unseen, .skip')) return false;
  const box = one.getBoundingClientRect();
  return box.width && (box.right > innerWidth + 1 || box.left < -1);
}).map((one) => one.outerHTML.slice(0, 200))
"""
COUNTS = "document.getElementById('counts').textContent"
HOSTILE = "<img src=x onerror=alert(1)>\u202egpj.exe\x1b[31m\x07"
SEEN = "<img src=x onerror=alert(1)>\\u202egpj.exe\\x1b[31m\\x07"


def message(number, **fields):
    given = {"performative": "inform", "container": "c1", "body": f"body {number}", "waited": 0.012, **fields}
    return MessageSeen(
        BEGIN + number / 100,
        number,
        given.pop("sender", "ann@c1.x"),
        given.pop("receiver", "bob@c2.x"),
        **given,
    )


def test_nothing_is_too_wide_in_any_size_and_scheme(view, live):
    live.trade(60)
    view.until("document.getElementById('linked').textContent === '6'")
    view.run("document.getElementById('stage').focus()")
    view.press("ArrowUp")
    view.run("document.getElementById('filtering').open = true")
    for width, tab in product(WIDTHS, TABS):
        view.resize(width)
        view.show(tab)
        assert view.run("innerWidth") == width
        assert view.run("document.documentElement.scrollWidth") <= width
        assert view.run(TOO_WIDE) == []
        assert view.run("!document.getElementById('details').hidden")
    for scheme, colour in (("dark", "rgb(19, 22, 25)"), ("light", "rgb(250, 249, 245)")):
        view.page.call(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )
        assert view.run("getComputedStyle(document.body).backgroundColor") == colour
        card = "rgb(26, 30, 34)" if scheme == "dark" else "rgb(255, 255, 255)"
        view.until(f"import('./colours.js').then(({{colours}}) => colours.card === '{card}')")


def test_the_page_asks_for_nothing_but_its_own_files(view, live):
    base = live.address.partition("/?")[0]
    asked = [one["request"]["url"] for one in view.page.events("Network.requestWillBeSent")]
    assert asked
    assert [url for url in asked if not url.startswith((base, "data:"))] == []
    assert view.run("location.href") == f"{base}/"  # the token is gone from the address
    assert view.run("document.cookie") == ""
    view.visit(address=f"{base}/")  # by the cookie
    assert view.text("title") == "shop"


def test_a_message_is_chosen_by_mouse_and_shows_all_its_fields(view, live):
    fields = {
        "protocol": "fipa-request", "conversation": "talk-1", "reply_with": "r1", "in_reply_to": "r0",
        "language": "fipa-sl", "ontology": "books", "size": 9000,
    }  # fmt: skip
    live.put(message(1, **fields))
    view.until("document.getElementById('counts').textContent === 'all shown'")
    view.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    box = view.run("JSON.stringify(document.getElementById('sequence').getBoundingClientRect())")
    top = view.run("document.getElementById('sequence').getBoundingClientRect().top")
    assert box
    for kind in ("mousePressed", "mouseReleased"):
        view.page.call("Input.dispatchMouseEvent", type=kind, x=500, y=top + 60, button="left", clickCount=1)
    view.until("!document.getElementById('details').hidden")
    shown = view.text("details")
    for part in ("ann", "bob", "under 0.1 s", "c1", *map(str, fields.values())):
        assert part.replace("9000", "9000 characters") in shown
    assert view.text("pause") == "Go on"  # it stays where it is


def test_all_of_the_diagram_is_reached_by_keyboard(view, live):
    talks = ("one", "two", "one", "two")
    live.put(*(message(number, conversation=talk) for number, talk in enumerate(talks, 1)))
    view.until("document.getElementById('counts').textContent === 'all shown'")
    for _ in range(40):
        if view.run("document.activeElement.id") == "stage":
            break
        for kind in ("keyDown", "keyUp"):
            about = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
            view.page.call("Input.dispatchKeyEvent", type=kind, **about)
    assert view.run("document.activeElement.id") == "stage"
    assert view.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    view.press("ArrowUp", "ArrowLeft")
    assert "body 2" in view.text("details")
    view.until(
        "document.getElementById('announced').textContent.startsWith('inform from ann to bob, under 0.1 s')"
    )
    view.press("ArrowDown")
    assert "body 3" in view.text("details")
    view.press("f")
    assert view.text("following").startswith("Following the conversation one")
    view.press("Home", "ArrowDown")
    assert "body 3" in view.text("details")  # the other conversation is not there
    view.press("Enter")
    assert view.run("document.activeElement.id") == "details"
    view.run("document.getElementById('stage').focus()")
    view.press("Escape")
    assert view.run("document.getElementById('details').hidden")


def test_paused_it_counts_what_comes_and_says_so_where_it_goes_on(view, live):
    live.put(message(1))
    view.until("document.getElementById('counts').textContent === 'all shown'")
    view.run("document.getElementById('stage').focus()")
    view.press(" ")
    live.put(*map(message, range(2, 9)))
    view.until("document.getElementById('counts').textContent.startsWith('Paused; 7 more since')")
    view.press(" ")
    view.until("document.getElementById('counts').textContent === 'all shown'")


def test_a_filter_holds_for_what_was_there_and_what_comes(view, live):
    live.put(*(message(number, performative="cfp" if number % 2 else "inform") for number in range(1, 7)))
    view.until("document.getElementById('counts').textContent === 'all shown'")
    view.run("""
    document.getElementById('filtering').open = true;
    const field = document.getElementById('filters').elements.performative;
    field.value = 'refuse'; field.dispatchEvent(new Event('input', {bubbles: true})); 0""")
    view.until("document.getElementById('counts').textContent === 'No message matches so far'")
    wait(lambda: live.feed.filters.performative == "refuse")
    assert view.run("[...document.getElementById('performatives').options].map((one) => one.value)") == [
        "cfp",
        "inform",
    ]
    live.put(message(8), message(9, performative="refuse"))
    view.until("document.getElementById('counts').textContent === 'all shown'")
    view.run("document.querySelector('#filters [type=reset]').click()")
    view.until("!document.getElementById('filtering').classList.contains('on')")


def test_where_more_comes_than_can_be_read_it_says_how_much_is_left_out(view, live):
    live.put(*(message(number, conversation=f"t{number // 10}") for number in range(500)))
    view.until(f"/^1 of .* left out$/.test({COUNTS})")
    ratio, left = map(int, re.fullmatch(r"1 of (\d+) shown, (\d+) left out", view.text("counts")).groups())
    assert 2 < ratio < 20
    assert 300 < left < 500


def test_what_others_have_written_is_text(view, live):
    name = f"{HOSTILE}@c1.x"
    live.put(
        AgentSeen(BEGIN, name, "c1", HOSTILE, "active"),
        message(1, sender=name, performative=HOSTILE, protocol=HOSTILE, conversation=HOSTILE, body=HOSTILE),
        DeadLetter(BEGIN, 1, name, name, HOSTILE, HOSTILE, "c1"),
        live.market.figures(BEGIN),
    )
    view.until("document.getElementById('counts').textContent === 'all shown'")
    view.run("document.getElementById('stage').focus()")
    view.press("ArrowUp")
    assert SEEN in view.text("details")
    view.press("f")
    assert SEEN in view.text("following")
    view.run("document.querySelector('#details .as-link').click()")
    for tab in TABS:
        view.show(tab)
    assert SEEN in view.text("dead")
    view.show("nest")
    view.run("document.getElementById('listed').click()")
    view.until("document.getElementById('agents-table').textContent.includes('onerror')")
    assert view.run("document.querySelectorAll('img').length") == 0
    assert view.run("/[\\u202e\\x1b\\x07]/.test(document.body.textContent)") is False
    view.run("document.getElementById('listed').click()")


def test_the_nest_shows_who_lives_where_and_what_they_do(view, live):
    live.trade(5)
    view.show("nest")
    view.until("document.getElementById('found').textContent === '14 agents'")
    view.run("document.getElementById('ground').focus()")
    view.until("document.getElementById('depth').style.height !== ''")
    view.press("ArrowRight", "Enter")
    assert "buyer-3@c1.formicary.localhost" in view.text("details")
    assert "Trade" in view.text("details")
    live.put(AgentSeen(BEGIN + 9, live.market.buyers[2], "c2", "Buyer", "active"))
    view.until("document.getElementById('details').textContent.includes('containerc2')")
    live.put(AgentSeen(BEGIN + 10, live.market.buyers[2], "c2", "Buyer", "ended"))
    view.until("document.getElementById('details').textContent.includes('it is gone')")
    view.search("courier")
    view.until("document.getElementById('found').textContent === '3 of 13 agents'")
    view.run("document.getElementById('listed').click()")
    view.until("document.querySelectorAll('#agents-table tbody tr').length === 3")
    assert view.run("document.querySelector('#agents-table .as-link').textContent") == "courier-2"
    view.run("document.querySelector('#agents-table .as-link').click()")
    assert "It has blocked the loop 3 times" in view.text("details")
    view.run("document.getElementById('listed').click()")


def test_directory_dead_letters_and_links_are_shown(view, live):
    letter = DeadLetter(BEGIN, 1, "ann@c1.x", "eve@c2.x", "cfp", "there is no eve", "c1")
    live.put(live.market.figures(BEGIN), letter)
    view.until("document.getElementById('linked').textContent === '6'")
    view.show("directory")
    assert "bookseller" in view.text("directory")
    assert "buyer" in view.text("directory")
    view.show("dead")
    assert "there is no eve" in view.text("dead")
    view.show("links")
    assert view.run("document.querySelectorAll('#links .card svg polyline').length") == 12
    assert "round trip" in view.text("links")


def test_what_is_done_is_asked_for_once_more_and_a_refusal_is_shown(view, live):
    live.put(live.market.figures(BEGIN), AgentSeen(BEGIN, "ams@c1.x", "c1", "Ams", "active"))
    assert view.text("rights") == "This page may act"
    view.show("nest")
    view.until("document.getElementById('found').textContent === '15 agents'")
    live.feed.acts.clear()
    for name, refusal in (("courier-1", ""), ("ams", "ams cannot be killed: it is a part of its container")):
        view.search(name)
        view.press("Enter")
        view.run("document.querySelector('#details [data-key=kill]').click()")
        assert view.run("document.getElementById('dialog').open")
        view.run("document.querySelector('#dialog [type=submit]').click()")
        if refusal:
            view.until("!document.querySelector('#dialog .remark').hidden")
            assert view.run("document.querySelector('#dialog .remark').textContent") == refusal
        else:
            view.until("!document.getElementById('dialog').open")
    assert live.feed.acts == [("kill", {"agent": "courier-1@c2.formicary.localhost"})]


def test_the_scheme_can_be_chosen(view):
    colours = []
    for _ in range(3):
        view.run("document.getElementById('scheme').click()")
        colours.append((view.text("scheme"), view.run("getComputedStyle(document.body).backgroundColor")))
    light, dark = "rgb(250, 249, 245)", "rgb(19, 22, 25)"
    assert colours == [("Light", light), ("Dark", dark), ("Auto", light)]


def test_a_page_that_is_closed_ends_what_is_collected(view, live):
    assert live.feed.is_open
    view.page.visit(live.address.partition("/?")[0] + "/live.css")
    wait(lambda: not live.feed.is_open)


def test_messages_stand_in_the_order_of_time_whoever_tells_of_them_first(view, live):
    live.put(message(1), message(3), message(4))
    live.put(message(2, container="c2"))
    view.until(f"{COUNTS} === 'all shown'")
    view.run("document.getElementById('stage').focus()")
    view.press("Home")
    bodies = []
    for _ in range(4):
        bodies.append(view.run("document.querySelector('#details pre').textContent"))
        view.press("ArrowDown")
    assert bodies == [f"body {number}" for number in range(1, 5)]
