"""What is done to a platform in the page: each act is asked for once more, and a refusal is shown."""

import re

import pytest
from playwright.async_api import expect
from tests.integration.cli.platforms import Lab
from tests.integration.live.web.conftest import Live, View
from tests.unit.live.synthetic import BEGIN

from formicary.observe.events import AgentSeen

pytestmark = pytest.mark.timeout(180)  # some start platforms, one after the other
COURIER = "courier-1@c2.formicary.localhost"


@pytest.fixture
def nest(view, live, browser_loop):
    """The page where the nest is seen."""

    async def show():
        live.put(live.market.figures(BEGIN), AgentSeen(BEGIN, "ams@c1.x", "c1", "Ams", "active"))
        await view.show("nest")
        await expect(view.at("found")).to_have_text("15 agents")

    browser_loop.run(show())
    return view


def act(view, name):
    """Give the button of an act, of the agent that is chosen."""
    return view.page.locator(f"#details [data-key={name}]")


def dialog(view):
    return view.page.get_by_role("dialog")


async def test_it_may_act_and_an_agent_is_killed_after_it_was_asked_for_once_more(nest, live):
    await expect(nest.at("rights")).to_have_text("Control enabled")
    await expect(nest.at("rights")).to_have_attribute("title", "")
    await nest.choose("courier-1")
    await act(nest, "kill").click()
    await expect(dialog(nest)).to_contain_text("the messages in its mailbox become dead letters")
    assert live.feed.acts == []
    await nest.confirm()
    await expect(dialog(nest)).to_be_hidden()
    assert live.feed.acts == [("kill", {"agent": COURIER})]


async def test_what_is_left_is_not_done(nest, live):
    await nest.choose("courier-1")
    await act(nest, "kill").click()
    await dialog(nest).get_by_role("button", name="Cancel").click()
    await expect(dialog(nest)).to_be_hidden()
    await act(nest, "kill").click()
    await nest.press("Escape")
    await expect(dialog(nest)).to_be_hidden()
    assert live.feed.acts == []


async def test_a_refusal_is_shown_in_the_dialog_which_stays(nest, live):
    await nest.choose("ams")
    await act(nest, "kill").click()
    await nest.confirm()
    refusal = dialog(nest).get_by_role("alert")
    await expect(refusal).to_have_text("ams cannot be killed: it is a part of its container")
    assert live.feed.acts == []


async def test_an_agent_is_suspended_and_resumed_by_keyboard(nest, live):
    await nest.choose("courier-1")
    await act(nest, "suspend").press("Enter")
    await expect(dialog(nest)).to_contain_text("It pauses until it is resumed")
    await dialog(nest).get_by_role("button", name="Suspend").press("Enter")
    await expect(dialog(nest)).to_be_hidden()
    live.put(AgentSeen(BEGIN + 1, COURIER, "c2", "Courier", "suspended"))
    await expect(act(nest, "suspend")).to_have_count(0)
    await act(nest, "resume").press("Enter")
    await dialog(nest).get_by_role("button", name="Resume").press("Enter")
    await expect(dialog(nest)).to_be_hidden()
    live.put(AgentSeen(BEGIN + 2, COURIER, "c2", "Courier", "active"))
    await expect(act(nest, "suspend")).to_be_visible()
    assert live.feed.acts == [("suspend", {"agent": COURIER}), ("resume", {"agent": COURIER})]


async def test_an_agent_is_created_with_arguments_that_have_to_be_json(nest, live):
    await nest.at("create").click()
    form = dialog(nest)
    await nest.confirm()
    assert live.feed.acts == []  # the browser asks for a class and a name
    await form.get_by_label("Class (module:Class)").fill("shop:Printer")
    await form.get_by_label("Name").fill("laser")
    await form.get_by_label("Container").select_option("c2")
    await form.get_by_label("Arguments").fill("dpi=300")
    await nest.confirm()
    await expect(form.get_by_role("alert")).to_have_text(
        'The arguments must be a JSON object, such as {"price": 10}.'
    )
    assert live.feed.acts == []
    await form.get_by_label("Arguments").fill('{"dpi": 300}')
    await nest.confirm()
    await expect(form).to_be_hidden()
    expected = {"class_name": "shop:Printer", "name": "laser", "container": "c2", "arguments": {"dpi": 300}}
    assert live.feed.acts == [("create", expected)]


async def test_a_message_is_sent_to_an_agent(nest, live):
    await nest.choose("courier-1")
    await act(nest, "send").click()
    form = dialog(nest)
    await form.get_by_label("Performative").select_option("request")
    await form.get_by_label("Body").fill("bring Dune\nto buyer-1")
    await form.get_by_label("Conversation").fill("way-7")
    await nest.confirm()
    await expect(form).to_be_hidden()
    said = {"performative": "request", "body": "bring Dune\nto buyer-1", "conversation_id": "way-7"}
    assert live.feed.acts == [("send", {"to": COURIER, **said})]


async def test_what_changes_while_a_button_is_pressed_does_not_keep_it_from_being_clicked(nest, live):
    await nest.choose("courier-1")
    await act(nest, "move").hover()
    await nest.page.mouse.down()
    live.put(
        AgentSeen(BEGIN + 1, COURIER, "c2", "Courier", "suspended"),
        AgentSeen(BEGIN + 1, "late@c1.x", "c1", "Late", "active"),
    )
    await expect(nest.at("found")).to_have_text("1 of 16 agents")
    await nest.page.mouse.up()
    await expect(dialog(nest)).to_be_visible()
    live.put(AgentSeen(BEGIN + 2, "later@c1.x", "c1", "Later", "active"))
    await expect(nest.at("details")).to_contain_text("suspended")


async def test_an_agent_is_moved_to_another_container_than_its_own(nest, live):
    await nest.choose("courier-1")
    await act(nest, "move").click()
    places = dialog(nest).get_by_label("Destination")
    assert await places.locator("option").all_text_contents() == ["c1", "c3"]
    await places.select_option("c3")
    await nest.confirm()
    await expect(dialog(nest)).to_be_hidden()
    assert live.feed.acts == [("move", {"agent": COURIER, "container": "c3"})]


class TestOnlyLooking:
    @pytest.fixture
    def live(self):
        started = Live(may_act=False)
        yield started
        started.close()

    async def test_it_says_how_to_act_and_offers_nothing(self, nest):
        await expect(nest.at("rights")).to_have_text("Read-only")
        how = "Start the view with --allow act to control agents from here"
        await expect(nest.at("rights")).to_have_attribute("title", how)
        await expect(nest.at("create")).to_be_hidden()
        await nest.choose("courier-1")
        await expect(act(nest, "its")).to_be_visible()
        for name in ("suspend", "resume", "send", "move", "kill"):
            await expect(act(nest, name)).to_have_count(0)


@pytest.fixture(scope="module")
def platform(tmp_path_factory):
    """A platform of two containers, each a process."""
    lab = Lab(tmp_path_factory.mktemp("platform"))
    with lab.run("--listen"), lab.run("--name", "c2", "--join", "c1"):
        lab.until(lambda: "c2 " in lab.said("ps"))
        yield lab


@pytest.fixture
def look(platform, page, browser_loop):
    """Start `formicary watch --web`, and give its page with the nest."""
    started = []

    async def look(*arguments):
        started.append(platform.start("watch", "--web", *arguments))
        view = View(page, started[0].stdout.readline().split()[0])
        await view.visit()
        await view.show("nest")
        await expect(view.at("tiles")).to_contain_text("2containers")
        return view

    yield look
    browser_loop.run(page.goto("about:blank"))
    for viewer in started:
        viewer.kill()
        viewer.communicate()


async def do(view, name):
    """Do something to the agent that is chosen."""
    await act(view, name).click()
    await view.confirm()
    await expect(dialog(view)).to_be_hidden()


async def test_agents_of_a_platform_are_created_moved_suspended_and_killed(look):
    view = await look("--allow", "act")
    await view.at("create").click()
    await dialog(view).get_by_label("Class (module:Class)").fill("shop:Tourist")
    await dialog(view).get_by_label("Name").fill("guest")
    await dialog(view).get_by_label("Container").select_option("c1")
    await view.confirm()
    await expect(dialog(view)).to_be_hidden()
    await view.search("guest")
    await expect(view.at("found")).to_have_text(re.compile("^1 of"))
    await view.choose("guest")
    details = view.at("details")
    await expect(details).to_contain_text("containerc1")
    await do(view, "move")
    await expect(details).to_contain_text("containerc2")
    await do(view, "suspend")
    await expect(details).to_contain_text("suspended")
    await do(view, "resume")
    await expect(details).to_contain_text("active")
    await do(view, "kill")
    await expect(details).to_contain_text("(gone)")


@pytest.mark.full("another refusal is shown above")
async def test_why_an_agent_cannot_move_is_said(look):
    view = await look("--allow", "act")
    await view.choose("laser")
    await act(view, "move").click()
    await view.confirm()
    await expect(dialog(view).get_by_role("alert")).to_contain_text("`properties` is not carried")
    await expect(view.at("details")).to_contain_text("active")


FORGED = """new Promise((done) => {
  const token = sessionStorage.getItem('formicary-token');
  const socket = new WebSocket(`ws://${location.host}/live`, ['formicary', token]);
  const act = {kind: 'act', id: 7, act: 'move', arguments: {agent: 'cell@c1', container: 'c2'}};
  socket.onopen = () => socket.send(JSON.stringify(act));
  socket.onmessage = (event) => {
    const said = JSON.parse(event.data);
    if (said.kind === 'done') { socket.close(); done(said.error); }
  };
})"""


async def test_a_viewer_that_may_only_look_refuses_who_acts_all_the_same(look):
    view = await look()
    await expect(view.at("rights")).to_have_text("Read-only")
    assert await view.run(FORGED) == "this view is read-only: start it with --allow act to move from here"
    await view.choose("cell")
    await expect(view.at("details")).to_contain_text("containerc1")
