"""The HTML report in a real browser: no error, nothing too wide, all that it does by mouse and keyboard."""

import pytest
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
MEDIUM = pytest.param(800, marks=pytest.mark.full("between the other two"))
TIMES = "[...document.querySelectorAll('.figures svg[role]')].find((one) => one.getClientRects().length)"
CHART = "[...document.querySelectorAll('.drawing svg')].find((one) => one.getClientRects().length)"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    configurations = [
        *plan(pairs=(1, 10, 100)), *create_plan(), *SIZES, *directory_plan(), *scale_plan(hosts=(1, 2, 3))
    ]  # fmt: skip
    run = make_run(tmp_path_factory.mktemp("runs") / "run", configurations, repetitions=5)
    return write_html(run).resolve().as_uri()


@pytest.fixture
def visit(page, address):
    async def visit(width=1400, scheme="light"):
        await page.set_viewport_size({"width": width, "height": 900})
        await page.emulate_media(color_scheme=scheme)
        await page.goto(address)
        return page

    return visit


@pytest.mark.grid
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
async def test_nothing_is_too_wide(visit, width, scheme):
    page = await visit(width, scheme)
    assert await page.evaluate("innerWidth") == width
    for change in (
        "0",
        "document.querySelectorAll('details').forEach((one) => { one.open = true; })",
        "document.querySelectorAll('.switch').forEach((one) => one.click())",
    ):
        await page.evaluate(change)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        assert await page.evaluate(TOO_WIDE) == []
        assert await page.evaluate(OUTSIDE) == []
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(250, 249, 245)" if scheme == "light" else "rgb(19, 22, 25)"
    )


async def test_a_page_asks_for_nothing_but_itself(visit, page, address):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    await visit()
    assert {url for url in asked if not url.startswith("data:")} == {address}


@pytest.mark.parametrize("width", [400, 1400])
async def test_each_figure_shows_one_drawing_and_can_change_its_axis(visit, width):
    page = await visit(width)
    figures = await page.evaluate("document.querySelectorAll('figure').length")
    assert await page.evaluate(SHOWN) == figures == 14
    before = await page.evaluate(f"{CHART}.getAttribute('aria-labelledby')")
    await page.evaluate("document.querySelector('.switch').click()")
    assert await page.evaluate(SHOWN) == figures
    assert await page.evaluate(f"{CHART}.getAttribute('aria-labelledby')") == before.replace("1-", "1-linear")
    assert await page.evaluate("document.querySelector('.switch').getAttribute('aria-pressed')") == "true"
    await page.evaluate("document.querySelector('.switch').click()")
    assert await page.evaluate(f"{CHART}.getAttribute('aria-labelledby')") == before


LEGEND = "document.querySelector('.figures figure [data-toggle]')"
LINES = "[...document.querySelector('.figures figure').querySelectorAll('.wide:not(.linear) .series')]"


async def test_a_click_isolates_a_series_and_another_one_shows_all_again(visit):
    page = await visit()
    shown = f"{LINES}.filter((one) => !one.classList.contains('off')).length"
    assert await page.evaluate(shown) == 6
    await page.evaluate(f"{LEGEND}.click()")
    assert await page.evaluate(shown) == 1
    assert await page.evaluate(f"{LEGEND}.getAttribute('aria-pressed')") == "true"
    await page.evaluate(f"{LEGEND}.click()")
    assert await page.evaluate(shown) == 6
    assert await page.evaluate(f"{LEGEND}.getAttribute('aria-pressed')") == "false"
    await page.evaluate(f"{LINES}[2].dispatchEvent(new MouseEvent('click'))")
    assert await page.evaluate(shown) == 1


async def test_what_the_mouse_is_on_stands_out(visit):
    page = await visit()
    await page.evaluate(f"{LINES}[2].dispatchEvent(new PointerEvent('pointerenter'))")
    assert await page.evaluate(f"{LINES}.filter((one) => getComputedStyle(one).opacity === '1').length") == 1
    await page.evaluate(f"{LINES}[2].dispatchEvent(new PointerEvent('pointerleave'))")
    assert await page.evaluate(f"{LINES}.every((one) => getComputedStyle(one).opacity === '1')")


@pytest.mark.parametrize("width", [400, MEDIUM, 1400])
async def test_the_first_screen_is_the_badge_and_a_picture_in_few_words(visit, width):
    page = await visit(width)
    words = await page.evaluate(FIRST_WORDS)
    assert 10 < words <= 80
    assert await page.evaluate(
        "document.querySelector('.badge').getBoundingClientRect().bottom < innerHeight"
    )
    assert await page.evaluate(f"{CHART}.getBoundingClientRect().top < innerHeight / 2")
    assert await page.evaluate(f"{CHART}.getAttribute('aria-labelledby').startsWith('first-')")


async def test_the_mouse_finds_values(visit):
    page = await visit()
    await page.evaluate(f"{TIMES}.scrollIntoView({{block: 'center'}})")
    hit = "[data-series='TCP sockets'] .hit"
    box = await page.evaluate(f'(({TIMES}).querySelector("{hit}").getBoundingClientRect()).toJSON()')
    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert (await page.evaluate(TIP)).startswith("TCP sockets: 1 pair at once: 3")
    await page.mouse.move(1, 1)
    assert await page.evaluate(TIP) == ""


async def test_the_keyboard_finds_values(visit):
    page = await visit(400)
    await page.evaluate(f"{TIMES}.focus()")
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        await page.keyboard.press(key)
        seen.append(await page.evaluate(TIP))
    assert seen[0].startswith("Agents: 1 pair at once")
    assert seen[1].startswith("Agents: 10 pairs at once")
    assert seen[2] == seen[0]
    assert seen[3].startswith("TCP sockets: 100 pairs at once")
    left, right = await page.evaluate(
        "(({left, right}) => [left, right])(document.getElementById('tip').getBoundingClientRect())"
    )
    assert 0 <= left <= right <= 400
    await page.keyboard.press("Escape")
    assert await page.evaluate(TIP) == ""


BEHIND = "document.getElementById('behind').open ? document.getElementById('behind').innerText : ''"
CLOSE = "document.getElementById('behind').close()"
FIGURES = (
    ".tiles .value",
    ".tiles .beside .of",
    ".lead .of",
    "section .figures tbody .of",
    "section details.all tbody .of",
)


async def test_a_figure_shows_its_repetitions_by_mouse_and_by_keyboard(visit):
    page = await visit()
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for selector in FIGURES:
        await show_what_is_behind(page, f"document.querySelector('{selector}')")


async def show_what_is_behind(page, figure):
    assert await page.evaluate(BEHIND) == ""
    await page.evaluate(f"{figure}.click()")
    said = await page.evaluate(BEHIND)
    assert "Repetitions, in their order" in await page.evaluate(
        "document.getElementById('behind').textContent"
    )
    assert "To measure just this again:" in said
    assert "formicary bench run" in said
    await page.evaluate(CLOSE)
    await page.evaluate(f"{figure}.focus()")
    await page.keyboard.press("Enter")
    assert await page.evaluate(BEHIND) == said
    assert await page.evaluate("document.documentElement.scrollWidth") <= 1400
    await page.evaluate(CLOSE)


async def test_any_cell_of_a_line_shows_what_is_behind_it(visit):
    page = await visit()
    await page.evaluate("document.querySelector('section .figures tbody tr[data-of] td:last-child').click()")
    assert "formicary bench run" in await page.evaluate(BEHIND)


async def test_a_factor_shows_both_of_its_sides(visit):
    page = await visit()
    await page.evaluate("document.querySelector('.lead .of[data-of*=\" \"]').click()")
    assert (await page.evaluate(BEHIND)).count("To measure just this again:") == 2


async def test_all_that_can_be_used_has_a_name_and_every_chart_a_table(visit):
    page = await visit()
    protocol = await page.context.new_cdp_session(page)
    nodes = (await protocol.send("Accessibility.getFullAXTree"))["nodes"]
    named = {"button", "link", "image", "table", "DisclosureTriangle", "region"}
    of = [node for node in nodes if not node["ignored"] and node["role"]["value"] in named]
    assert {"button", "link", "image", "DisclosureTriangle"} <= {node["role"]["value"] for node in of}
    assert [node for node in of if not node.get("name", {}).get("value")] == []
    assert await page.evaluate(
        "[...document.querySelectorAll('figure')].every("
        '(one) => one.querySelector(\'details table, p a[href^="#figure-"], p a[href^="#all-"]\'))'
    )


async def test_it_can_be_printed(visit):
    page = await visit()
    assert (await page.pdf(print_background=True)).startswith(b"%PDF")
    await page.emulate_media(media="print")
    assert await page.evaluate(
        "[...document.querySelectorAll('nav, .switch')].every((one) => !one.getClientRects().length)"
    )
    assert await page.evaluate(SHOWN) == await page.evaluate("document.querySelectorAll('figure').length")
