"""The live view's page in a real browser: what it shows, by mouse and by keyboard, at all sizes."""

import re
from itertools import product

from playwright.async_api import expect
from tests.integration.live.web.conftest import until
from tests.unit.live.synthetic import BEGIN, Market

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


async def drawn_texts(view, canvas):
    """Have what is written on a canvas from now on be noted; give the name of the set."""
    await view.run(f"""{{
        window.drawn = new Set();
        const context = document.getElementById('{canvas}').getContext('2d');
        const write = context.fillText;
        context.fillText = (text, ...place) => {{ drawn.add(text); write.call(context, text, ...place); }};
        0; // a function would be called
    }}""")
    return "drawn"


async def expect_lanes(view, names):
    """Wait until these agents have a lane, and nobody else."""
    drawn = await drawn_texts(view, "sequence")
    # A frame from before the change may still come: each look is at what a frame of its own has drawn.
    await view.until(f"""new Promise((done) => {{
        {drawn}.clear();
        document.getElementById('stage').dispatchEvent(new Event('scroll'));
        requestAnimationFrame(() => requestAnimationFrame(() => {{
            const names = ['ann', 'bob', 'eve'].filter((name) => {drawn}.has(name)).join();
            done({drawn}.size > 0 && names === '{",".join(names)}');
        }}));
    }})""")


async def test_nothing_is_too_wide_in_any_size_and_scheme(view, live):
    live.trade(60)
    await expect(view.at("linked")).to_have_text("6")
    await view.at("stage").focus()
    await view.press("ArrowUp")
    await view.run("document.getElementById('filtering').open = true")
    for width, tab in product(WIDTHS, TABS):
        await view.page.set_viewport_size({"width": width, "height": 900})
        await view.show(tab)
        assert await view.run("innerWidth") == width
        assert await view.run("document.documentElement.scrollWidth") <= width
        assert await view.run(TOO_WIDE) == []
        assert await view.run("!document.getElementById('details').hidden")
    for scheme, colour in (("dark", "rgb(19, 22, 25)"), ("light", "rgb(250, 249, 245)")):
        await view.page.emulate_media(color_scheme=scheme)
        assert await view.run("getComputedStyle(document.body).backgroundColor") == colour
        card = "rgb(26, 30, 34)" if scheme == "dark" else "rgb(255, 255, 255)"
        await view.until(f"import('./colours.js').then(({{colours}}) => colours.card === '{card}')")


async def test_the_page_asks_for_nothing_but_its_own_files(view, live):
    asked = []
    view.page.on("request", lambda request: asked.append(request.url))
    await view.visit()
    assert asked
    assert [url for url in asked if not url.startswith((live.base, "data:"))] == []
    await expect(view.page).to_have_url(f"{live.base}/")  # the token is gone from the address
    assert await view.run("document.cookie") == ""
    await view.visit(f"{live.base}/")  # the tab has it
    assert await view.text("title") == "shop"


async def test_without_the_token_the_page_says_what_to_open_and_takes_it_there(view, live):
    await view.run("sessionStorage.clear()")
    await view.page.goto(f"{live.base}/")
    await expect(view.at("state")).to_have_text(
        "Invalid token: open the address that `formicary watch` printed."
    )
    await view.visit()  # only what is behind the # is another one
    await expect(view.at("state")).to_have_text("live")
    await expect(view.page).to_have_url(f"{live.base}/")


async def test_a_message_is_chosen_by_mouse_and_shows_all_its_fields(view, live):
    fields = {
        "protocol": "fipa-request", "conversation": "talk-1", "reply_with": "r1", "in_reply_to": "r0",
        "language": "fipa-sl", "ontology": "books", "size": 9000,
    }  # fmt: skip
    live.put(message(1, **fields))
    await expect(view.at("counts")).to_have_text("all shown")
    await view.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    top = await view.run("document.getElementById('sequence').getBoundingClientRect().top")
    await view.page.mouse.click(500, top + 60)
    await expect(view.at("details")).to_be_visible()
    shown = await view.text("details")
    for part in ("ann", "bob", "under 0.1 s", "c1", *map(str, fields.values())):
        assert part.replace("9000", "9000 characters") in shown
    assert await view.text("pause") == "Resume"  # it stays where it is


async def test_all_of_the_diagram_is_reached_by_keyboard(view, live):
    talks = ("one", "two", "one", "two")
    live.put(*(message(number, conversation=talk) for number, talk in enumerate(talks, 1)))
    await expect(view.at("counts")).to_have_text("all shown")
    for _ in range(40):
        if await view.run("document.activeElement.id") == "stage":
            break
        await view.press("Tab")
    assert await view.run("document.activeElement.id") == "stage"
    assert await view.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    await view.press("ArrowUp", "ArrowLeft")
    assert "body 2" in await view.text("details")
    await expect(view.at("announced")).to_have_text(re.compile("^inform from ann to bob, under 0.1 s"))
    await view.press("ArrowDown")
    assert "body 3" in await view.text("details")
    await view.press("f")
    assert (await view.text("following")).startswith("Following the conversation one")
    await view.press("Home", "ArrowDown")
    assert "body 3" in await view.text("details")  # the other conversation is not there
    await view.press("Enter")
    assert await view.run("document.activeElement.id") == "details"
    await view.at("stage").focus()
    await view.press("Escape")
    assert await view.run("document.getElementById('details').hidden")


async def test_while_paused_new_messages_are_counted_and_reported_on_resuming(view, live):
    live.put(message(1))
    await expect(view.at("counts")).to_have_text("all shown")
    await view.at("stage").focus()
    await view.press(" ")
    live.put(*map(message, range(2, 9)))
    await expect(view.at("counts")).to_have_text(re.compile("^Paused; 7 more since"))
    await view.press(" ")
    await expect(view.at("counts")).to_have_text("all shown")


async def test_a_filter_holds_for_what_was_there_and_what_comes(view, live):
    live.put(*(message(number, performative="cfp" if number % 2 else "inform") for number in range(1, 7)))
    await expect(view.at("counts")).to_have_text("all shown")
    await view.page.get_by_text("Filter", exact=True).click()
    await view.page.get_by_label("Performative").fill("refuse")
    await expect(view.at("counts")).to_have_text("No matching messages yet")
    await expect_lanes(view, [])
    await until(lambda: live.feed.filters.performative == "refuse")
    assert await view.run(
        "[...document.getElementById('performatives').options].map((one) => one.value)"
    ) == [
        "cfp",
        "inform",
    ]
    live.put(message(8), message(9, performative="refuse", receiver="eve@c2.x"))
    await expect(view.at("counts")).to_have_text("all shown")
    await expect_lanes(view, ["ann", "eve"])
    await view.page.get_by_role("button", name="Clear").click()
    await expect(view.at("filtering")).not_to_have_class(re.compile(r"\bon\b"))


async def test_where_more_comes_than_can_be_read_it_says_how_much_is_left_out(view, live):
    live.put(*(message(number, conversation=f"t{number // 10}") for number in range(500)))
    await expect(view.at("counts")).to_have_text(re.compile("^1 in .* omitted$"))
    ratio, left = map(
        int, re.fullmatch(r"1 in (\d+) shown, (\d+) omitted", await view.text("counts")).groups()
    )
    assert 2 < ratio < 20
    assert 300 < left < 500


async def test_what_others_have_written_is_text(view, live):
    name = f"{HOSTILE}@c1.x"
    live.put(
        AgentSeen(BEGIN, name, "c1", HOSTILE, "active"),
        message(1, sender=name, performative=HOSTILE, protocol=HOSTILE, conversation=HOSTILE, body=HOSTILE),
        DeadLetter(BEGIN, 1, name, name, HOSTILE, HOSTILE, "c1"),
        live.market.figures(BEGIN),
    )
    await expect(view.at("counts")).to_have_text("all shown")
    await view.at("stage").focus()
    await view.press("ArrowUp")
    assert SEEN in await view.text("details")
    await view.press("f")
    assert SEEN in await view.text("following")
    await view.page.locator("#details .as-link").first.click()
    for tab in TABS:
        await view.show(tab)
    assert SEEN in await view.text("dead")
    await view.show("nest")
    await view.at("listed").click()
    await expect(view.at("agents-table")).to_contain_text("onerror")
    assert await view.run("document.querySelectorAll('img').length") == 0
    assert await view.run("/[\\u202e\\x1b\\x07]/.test(document.body.textContent)") is False
    await view.at("listed").click()


async def test_the_nest_says_names_and_classes_of_hundreds_of_agents(view, live):
    live.market = Market(buyers=200, sellers=97, containers=3)
    drawn = await drawn_texts(view, "chambers")
    live.put(live.market.figures(BEGIN))
    await view.show("nest")
    await expect(view.at("states")).to_contain_text(re.compile("Buyer200Courier3Seller97"))
    assert await view.run("document.querySelectorAll('#states canvas').length") == 6
    names = f"[...{drawn}].filter((text) => /^(buyer|seller|courier)-/.test(text))"
    await view.until(f"document.getElementById('ground').scrollBy(0, 50), {names}.length === 300")
    assert await view.run(f"{drawn}.has('Seller')")


async def test_the_nest_shows_who_lives_where_and_what_they_do(view, live):
    live.trade(5)
    await view.show("nest")
    await expect(view.at("found")).to_have_text("14 agents")
    await view.at("ground").focus()
    await view.until("document.getElementById('depth').style.height !== ''")
    await view.press("ArrowRight", "Enter")
    assert "buyer-3@c1.formicary.localhost" in await view.text("details")
    assert "Trade" in await view.text("details")
    live.put(AgentSeen(BEGIN + 9, live.market.buyers[2], "c2", "Buyer", "active"))
    await expect(view.at("details")).to_contain_text("containerc2")
    live.put(AgentSeen(BEGIN + 10, live.market.buyers[2], "c2", "Buyer", "ended"))
    await expect(view.at("details")).to_contain_text("(gone)")
    await view.search("courier")
    await expect(view.at("found")).to_have_text("3 of 13 agents")
    await view.at("listed").click()
    await expect(view.page.locator("#agents-table tbody tr")).to_have_count(3)
    await expect(view.page.locator("#agents-table .as-link").first).to_have_text("courier-2")
    await view.page.locator("#agents-table .as-link").first.click()
    assert "It blocked the loop 3 times" in await view.text("details")
    await view.at("listed").click()


async def test_directory_dead_letters_and_links_are_shown(view, live):
    letter = DeadLetter(BEGIN, 1, "ann@c1.x", "eve@c2.x", "cfp", "there is no eve", "c1")
    live.put(live.market.figures(BEGIN), letter)
    await expect(view.at("linked")).to_have_text("6")
    await view.show("directory")
    assert "bookseller" in await view.text("directory")
    assert "buyer" in await view.text("directory")
    await view.show("dead")
    assert "there is no eve" in await view.text("dead")
    await view.show("links")
    await expect(view.page.locator("#links .card svg polyline")).to_have_count(12)
    assert "round trip" in await view.text("links")


async def test_dead_letters_are_counted_by_reason_and_updated_in_place(view, live):
    def letter(number, reason):
        receiver = f"eve-{number}@c2.x"
        return DeadLetter(
            BEGIN + number, number, "ann@c1.x", receiver, "cfp", reason.format(f"eve-{number}"), "c1"
        )

    nobody, room = "no agent named {!r} lives in container c2", "{} had no room for 3.5 s"
    live.put(letter(1, room), letter(2, nobody), letter(3, nobody))
    await view.until("import('./main.js').then((main) => main.taken() > 0)")
    await view.show("dead")
    rows = view.page.locator("#dead table").first.locator("tbody tr")
    await expect(rows).to_have_text(
        [re.compile("^2.*no agent named '…' lives"), re.compile("^1.*eve-1 had no")]
    )
    assert await view.run("window.kept = document.querySelector('#dead tbody tr'), true")
    live.put(*(letter(number, room) for number in range(4, 504)))
    await expect(rows.nth(1)).to_have_text(re.compile("501.*… had no room for … s$"))
    assert await view.run("kept === document.querySelector('#dead tbody tr')")
    assert await view.run("document.querySelectorAll('#dead *').length") < 1000
    await rows.first.get_by_role("button").click()
    letters = view.page.locator("#dead table").nth(1).locator("tbody tr")
    await expect(letters).to_have_text([re.compile("eve-3"), re.compile("eve-2")])
    await view.page.get_by_role("button", name="Show all reasons").click()
    await expect(letters).to_have_count(30)


async def test_on_a_small_screen_neither_filter_nor_details_push_the_diagram_away(view, live):
    await view.page.set_viewport_size({"width": 400, "height": 800})
    live.trade(60)
    await expect(view.at("linked")).to_have_text("6")
    await view.at("stage").focus()
    await view.press("ArrowUp")
    await view.page.get_by_text("Filter", exact=True).click()
    await expect(view.page.get_by_label("Performative")).to_be_visible()
    box = "document.querySelector('{}').getBoundingClientRect()".format
    assert await view.run(f"{box('#stage')}.height") > 300
    assert await view.run(f"{box('#stage')}.bottom - {box('#filters')}.bottom") > 130


async def test_the_scheme_can_be_chosen(view):
    colours = []
    for _ in range(3):
        await view.at("scheme").click()
        colours.append(
            (await view.text("scheme"), await view.run("getComputedStyle(document.body).backgroundColor"))
        )
    light, dark = "rgb(250, 249, 245)", "rgb(19, 22, 25)"
    assert colours == [("Light", light), ("Dark", dark), ("Auto", light)]


async def test_a_page_that_is_closed_ends_what_is_collected(view, live):
    assert live.feed.is_open
    await view.page.goto("about:blank")
    await until(lambda: not live.feed.is_open)


async def test_messages_stand_in_the_order_of_time_whoever_tells_of_them_first(view, live):
    live.put(message(1), message(3), message(4))
    live.put(message(2, container="c2"))
    await expect(view.at("counts")).to_have_text("all shown")
    await view.at("stage").focus()
    await view.press("Home")
    bodies = []
    for _ in range(4):
        bodies.append(await view.page.locator("#details pre").text_content())
        await view.press("ArrowDown")
    assert bodies == [f"body {number}" for number in range(1, 5)]
