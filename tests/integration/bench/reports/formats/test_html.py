"""The HTML report in a real browser: no error, nothing too wide, all that it does by mouse and keyboard."""

import base64

import pytest
from tests.plugins.browser import Page
from tests.unit.bench.synthetic import create_plan, directory_plan, make_run, plan, scale_plan

from formicary_bench.reports.formats.html import write_html

SIZES = plan("messaging/size", pairs=(10,), payloads=(1, 100, 10_000))

# What reaches beyond the window, or a drawing; what scrolls by itself may be wide inside.
TOO_WIDE = """
[...document.querySelectorAll('body *')].filter((one) => {
  if (one.closest('.scroll') || one.closest('caption') || one.closest('.skip')) return false;
  const box = one.getBoundingClientRect();
  return box.width && (box.right > innerWidth + 1 || box.left < -1);
}).map((one) => one.outerHTML.slice(0, 200))
"""
OUTSIDE = """
[...document.querySelectorAll('.drawing svg text')].filter((one) => {
  const box = one.getBoundingClientRect(), drawing = one.closest('svg').getBoundingClientRect();
  return box.width && (box.right > drawing.right + 2 || box.left < drawing.left - 2);
}).map((one) => one.textContent)
"""
SHOWN = "[...document.querySelectorAll('.drawing')].filter((one) => one.getClientRects().length).length"
TIP = "document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent"
FIRST_WORDS = """
(() => {
  let words = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (parent.closest('svg, script, style, .skip, caption')) continue;
    if (!parent.checkVisibility({contentVisibilityAuto: true})) continue;
    if (parent.getBoundingClientRect().top >= innerHeight) continue;
    words += walker.currentNode.textContent.split(/\\s+/).filter(Boolean).length;
  }
  return words;
})()
"""
TIMES = "[...document.querySelectorAll('.figures svg[role]')].find((one) => one.getClientRects().length)"
CHART = "[...document.querySelectorAll('.drawing svg')].find((one) => one.getClientRects().length)"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    configurations = [
        *plan(pairs=(1, 10, 100)), *create_plan(), *SIZES, *directory_plan(), *scale_plan(hosts=(1, 2, 3))
    ]  # fmt: skip
    return write_html(make_run(tmp_path_factory.mktemp("runs") / "run", configurations)).resolve().as_uri()


@pytest.fixture(scope="module")
def page(browser, address):
    """The report once loaded, so that the browser has all of its processes before a test is looked at."""
    page = Page(browser)
    page.visit(address)
    return page


@pytest.fixture
def visit(page, address):
    def visit(width=1400, scheme="light"):
        page.visit(address, width, scheme)
        return page

    yield visit
    assert problems(page) == []


def problems(page):
    entries = [
        one["entry"] for one in page.events("Log.entryAdded") if one["entry"]["level"] in {"error", "warning"}
    ]
    return entries + page.events("Runtime.exceptionThrown", "Runtime.consoleAPICalled")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_is_too_wide(visit, width, scheme):
    page = visit(width, scheme)
    assert page.run("innerWidth") == width
    for change in (
        "0",
        "document.querySelectorAll('details').forEach((one) => { one.open = true; })",
        "document.querySelectorAll('.switch').forEach((one) => one.click())",
    ):
        page.run(change)
        assert page.run("document.documentElement.scrollWidth") <= width
        assert page.run(TOO_WIDE) == []
        assert page.run(OUTSIDE) == []
    assert page.run("getComputedStyle(document.body).backgroundColor") == (
        "rgb(250, 249, 245)" if scheme == "light" else "rgb(19, 22, 25)"
    )


def test_a_page_asks_for_nothing_but_itself(visit, address):
    page = visit()
    asked = [one["request"]["url"] for one in page.events("Network.requestWillBeSent")]
    assert {url for url in asked if not url.startswith("data:")} == {address}


@pytest.mark.parametrize("width", [400, 1400])
def test_each_figure_shows_one_drawing_and_can_change_its_axis(visit, width):
    page = visit(width)
    figures = page.run("document.querySelectorAll('figure').length")
    assert page.run(SHOWN) == figures == 14
    before = page.run(f"{CHART}.getAttribute('aria-labelledby')")
    page.run("document.querySelector('.switch').click()")
    assert page.run(SHOWN) == figures
    assert page.run(f"{CHART}.getAttribute('aria-labelledby')") == before.replace("1-", "1-linear")
    assert page.run("document.querySelector('.switch').getAttribute('aria-pressed')") == "true"
    page.run("document.querySelector('.switch').click()")
    assert page.run(f"{CHART}.getAttribute('aria-labelledby')") == before


LEGEND = "document.querySelector('.figures figure [data-toggle]')"
LINES = "[...document.querySelector('.figures figure').querySelectorAll('.wide:not(.linear) .series')]"


def test_a_click_isolates_a_series_and_another_one_shows_all_again(visit):
    page = visit()
    shown = f"{LINES}.filter((one) => !one.classList.contains('off')).length"
    assert page.run(shown) == 6
    page.run(f"{LEGEND}.click()")
    assert page.run(shown) == 1
    assert page.run(f"{LEGEND}.getAttribute('aria-pressed')") == "true"
    page.run(f"{LEGEND}.click()")
    assert page.run(shown) == 6
    assert page.run(f"{LEGEND}.getAttribute('aria-pressed')") == "false"
    page.run(f"{LINES}[2].dispatchEvent(new MouseEvent('click'))")
    assert page.run(shown) == 1


def test_what_the_mouse_is_on_stands_out(visit):
    page = visit()
    page.run(f"{LINES}[2].dispatchEvent(new PointerEvent('pointerenter'))")
    assert page.run(f"{LINES}.map((one) => getComputedStyle(one).opacity === '1')").count(True) == 1
    page.run(f"{LINES}[2].dispatchEvent(new PointerEvent('pointerleave'))")
    assert page.run(f"{LINES}.every((one) => getComputedStyle(one).opacity === '1')")


@pytest.mark.parametrize("width", [400, 800, 1400])
def test_the_first_screen_is_the_badge_and_a_picture_in_few_words(visit, width):
    page = visit(width)
    words = page.run(FIRST_WORDS)
    assert 10 < words <= 60
    assert page.run("document.querySelector('.badge').getBoundingClientRect().bottom < innerHeight")
    assert page.run(f"{CHART}.getBoundingClientRect().top < innerHeight / 2")
    assert page.run(f"{CHART}.getAttribute('aria-labelledby').startsWith('first-')")


def test_the_mouse_finds_values(visit):
    page = visit()
    page.run(f"{TIMES}.scrollIntoView({{block: 'center'}})")
    hit = "[data-series='TCP sockets'] .hit"
    box = page.run(f'(({TIMES}).querySelector("{hit}").getBoundingClientRect()).toJSON()')
    page.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.run(TIP).startswith("TCP sockets: 1 pair at once: 3")
    page.move(1, 1)
    assert page.run(TIP) == ""


def test_the_keyboard_finds_values(visit):
    page = visit(400)
    page.run(f"{TIMES}.focus()")
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        page.press(key)
        seen.append(page.run(TIP))
    assert seen[0].startswith("Agents: 1 pair at once")
    assert seen[1].startswith("Agents: 10 pairs at once")
    assert seen[2] == seen[0]
    assert seen[3].startswith("TCP sockets: 100 pairs at once")
    left, right = page.run(
        "(({left, right}) => [left, right])(document.getElementById('tip').getBoundingClientRect())"
    )
    assert 0 <= left <= right <= 400
    page.press("Escape")
    assert page.run(TIP) == ""


BEHIND = "document.getElementById('behind').open ? document.getElementById('behind').innerText : ''"
CLOSE = "document.getElementById('behind').close()"
FIGURES = {
    "tile": ".tiles .value",
    "tile's factor": ".tiles .beside .of",
    "sentence": ".lead .of",
    "table": "section .figures tbody .of",
    "table of verdicts": "section details.all tbody .of",
}


@pytest.mark.parametrize("place", FIGURES)
def test_a_figure_shows_its_repetitions_by_mouse_and_by_keyboard(visit, place):
    page = visit()
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    figure = f"document.querySelector('{FIGURES[place]}')"
    assert page.run(BEHIND) == ""
    page.run(f"{figure}.click()")
    said = page.run(BEHIND)
    assert "Repetitions, in their order" in page.run("document.getElementById('behind').textContent")
    assert "To measure just this again:" in said
    assert "formicary bench run" in said
    page.run(CLOSE)
    page.run(f"{figure}.focus()")
    page.enter()
    assert page.run(BEHIND) == said
    assert page.run("document.documentElement.scrollWidth") <= 1400


def test_any_cell_of_a_line_shows_what_is_behind_it(visit):
    page = visit()
    page.run("document.querySelector('section .figures tbody tr[data-of] td:last-child').click()")
    assert "formicary bench run" in page.run(BEHIND)


def test_a_factor_shows_both_of_its_sides(visit):
    page = visit()
    page.run("document.querySelector('.lead .of[data-of*=\" \"]').click()")
    assert page.run(BEHIND).count("To measure just this again:") == 2


def test_all_that_can_be_used_has_a_name_and_every_chart_a_table(visit):
    page = visit()
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    named = {"button", "link", "image", "table", "DisclosureTriangle", "region"}
    of = [node for node in nodes if not node["ignored"] and node["role"]["value"] in named]
    assert {"button", "link", "image", "DisclosureTriangle"} <= {node["role"]["value"] for node in of}
    assert [node for node in of if not node.get("name", {}).get("value")] == []
    assert page.run(
        "[...document.querySelectorAll('figure')].every("
        '(one) => one.querySelector(\'details table, p a[href^="#figure-"], p a[href^="#all-"]\'))'
    )


def test_it_can_be_printed(visit):
    page = visit()
    pdf = base64.b64decode(page.call("Page.printToPDF", printBackground=True)["data"])
    assert pdf.startswith(b"%PDF")
    page.call("Emulation.setEmulatedMedia", media="print")
    assert page.run(
        "[...document.querySelectorAll('nav, .switch')].every((one) => !one.getClientRects().length)"
    )
    assert page.run(SHOWN) == page.run("document.querySelectorAll('figure').length")
