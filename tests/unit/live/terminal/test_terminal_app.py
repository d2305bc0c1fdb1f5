"""The terminal view, driven by keys, on a feed of the test's own."""

import asyncio

import pytest
from textual.widgets import DataTable, Static, TabbedContent

from formicary.core.errors import LinkError, UsageError
from formicary.live.feed import Feed
from formicary.live.terminal.app import LiveApp
from formicary.live.terminal.dialogs import Details
from formicary.live.terminal.tables import COLUMNS
from formicary.observe.events import (
    AgentFigures,
    BehaviourFigures,
    ContainerFigures,
    DeadLetter,
    Entry,
    Figures,
    Filters,
    LeftOut,
    LinkFigures,
    MessageSeen,
)

NASTY = "[red]x[/red]\x1b[31m\x07"


class Told(Feed):
    """Yields what the test puts into it."""

    def __init__(self, *batches, may_act=False, is_live=True):
        super().__init__()
        self.batches = asyncio.Queue()
        for batch in batches:
            self.batches.put_nowait(batch)
        self.may_act, self.is_live = may_act, is_live
        self.acts = []
        self.sought = []
        self.position = 1000.0

    async def __anext__(self):
        batch = await self.batches.get()
        if isinstance(batch, Exception):
            raise batch
        return batch

    async def _open(self):
        pass

    async def _close(self):
        pass

    def seek(self, at):
        self.sought.append(at)

    async def act(self, act, **arguments):
        if arguments.get("agent") == "nobody":
            raise UsageError("there is no agent nobody")
        self.acts.append((act, arguments))


def message(number, **changes):
    fields = {"performative": "request", "conversation": f"talk-{number % 2}", "body": f"body {number}"}
    return MessageSeen(
        1000.0 + number, number, "ann@c1.lab", "bob@c2.lab", container="c2", **{**fields, **changes}
    )


FIGURES = Figures(
    1000.0,
    containers=(ContainerFigures("c1", "lab-7", 7, 0.5, 61_000_000, 1, 3, 12.0, 0, 0),),
    agents=(
        AgentFigures(
            "ann@c1.lab", "c1", "Seller", "active", 3, 12.0, behaviours=(BehaviourFigures("Sell", 3, "asks"),)
        ),
    ),
    links=(LinkFigures("c1", "c2", "direct", True, 5.0, 6.0, 1, 0, 0.00025),),
    directory=(Entry("ann@c1.lab", "shop", "nails", {"open": "yes"}),),
)


def texts(app, table):
    """Return the rows of a table as plain texts."""
    found = app.query_one(f"#{table}", DataTable)
    return [[cell.plain for cell in found.get_row_at(row)] for row in range(found.row_count)]


def status(app):
    return app.query_one("#status", Static).content.plain


def shown(test, *batches, **options):
    async def main():
        feed = Told(*batches, **options)
        app = LiveApp(feed, "lab.localhost")
        async with app.run_test(size=(160, 40)) as pilot:
            await settled(app, pilot)
            await test(app, feed, pilot)

    asyncio.run(main())


async def settled(app, pilot):
    await pilot.pause()
    app._is_drawn = False
    app._draw()
    await pilot.pause()


async def show_tab(app, pilot, name):
    await pilot.press(str([*COLUMNS].index(name) + 1))
    assert app.query_one(TabbedContent).active == f"pane-{name}"
    await settled(app, pilot)


def test_each_table_says_what_is_known():
    letter = DeadLetter(1000.0, 1, "ann@c1.lab", "nobody@c1.lab", "inform", "no such agent", "c1")

    async def test(app, feed, pilot):
        assert texts(app, "messages") == [
            ["00:16:41.000", "ann@c1", "bob@c2", "request", "talk-1", "0", "body 1"]
        ]
        assert "1 agent in 1 container" in status(app)
        assert "1 message shown, 39 omitted" in status(app)
        for name, row in {
            "agents": ["ann@c1", "active", "Seller", "3", "12.0", "-", "Sell [asks]"],
            "dead": ["00:16:40.000", "ann@c1", "nobody@c1", "inform", "no such agent"],
            "links": ["c1 - c2", "direct", "5.0", "6.0", "1", "0", "0.25 ms"],
            "directory": ["ann@c1", "shop", "nails", "open=yes"],
            "containers": ["c1", "lab-7", "50.0", "61 MB", "1", "3", "12.0", ""],
        }.items():
            await show_tab(app, pilot, name)
            assert texts(app, name) == [row]

    shown(test, [FIGURES, message(1, waited=0.0), LeftOut(1001.0, "c2", 1, 39), letter])


def test_text_is_never_markup_nor_steers_the_terminal():
    nasty = message(1, performative=NASTY, conversation=NASTY, body=NASTY)

    async def test(app, feed, pilot):
        (row,) = texts(app, "messages")
        assert row[-1] == "[red]x[/red]\\x1b[31m\\x07"
        assert not any("\x1b" in cell for cell in row)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, Details)
        details = app.screen.query_one(Static).content.plain
        assert "[red]x[/red]\\x1b[31m" in details
        assert "\x1b" not in details

    shown(test, [nasty])


def test_a_conversation_is_followed_and_all_are_shown_again():
    async def test(app, feed, pilot):
        app.query_one("#messages", DataTable).move_cursor(row=0)
        await pilot.press("f")
        assert feed.filters == Filters(conversation="talk-1")
        await settled(app, pilot)
        assert "only conversation=talk-1" in status(app)
        await pilot.press("escape")
        assert feed.filters == Filters()

    shown(test, [message(1), message(2)])


def test_a_filter_is_typed():
    async def test(app, feed, pilot):
        await pilot.press("slash")
        await pilot.press(*"act=inform two words", "enter")
        await pilot.pause()
        assert feed.filters == Filters(performative="inform", text="two words")
        await settled(app, pilot)
        assert not texts(app, "messages")

    shown(test, [message(1)])


def test_paused_all_messages_that_are_known_can_be_scrolled_through():
    async def test(app, feed, pilot):
        assert len(texts(app, "messages")) == 200
        await pilot.press("space")
        await settled(app, pilot)
        assert feed.is_paused
        assert len(texts(app, "messages")) == 400
        assert "paused" in status(app)
        await pilot.press("space")
        assert not feed.is_paused

    shown(test, [message(number) for number in range(400)])


def test_paused_a_filter_holds_for_what_is_known_and_is_taken_back():
    async def test(app, feed, pilot):
        await pilot.press("space")
        await pilot.press("slash", *"conversation=talk-1", "enter")
        await settled(app, pilot)
        assert [row[-1] for row in texts(app, "messages")] == ["body 1", "body 3"]
        await pilot.press("escape")
        await settled(app, pilot)
        assert len(texts(app, "messages")) == 4

    shown(test, [message(number) for number in range(1, 5)])


def test_names_stand_in_the_order_in_which_people_count():
    names = ("client-10", "client-109", "client-2")
    agents = tuple(AgentFigures(f"{name}@c1.lab", "c1", "Client", "active") for name in names)
    containers = tuple(
        ContainerFigures(name, "lab-7", 7, 0.5, 61_000_000, 1, 3, 12.0, 0, 0) for name in ("c10", "c1", "c2")
    )

    async def test(app, feed, pilot):
        await show_tab(app, pilot, "agents")
        assert [row[0] for row in texts(app, "agents")] == ["client-2@c1", "client-10@c1", "client-109@c1"]
        await show_tab(app, pilot, "containers")
        assert [row[0] for row in texts(app, "containers")] == ["c1", "c2", "c10"]

    shown(test, [Figures(1000.0, containers=containers, agents=agents)])


def test_something_is_done_only_where_the_view_may_act():
    async def test(app, feed, pilot):
        await pilot.press("x")
        await pilot.press(*"send bob@c2 inform two words", "enter")
        await pilot.pause()
        assert feed.acts == [("send", {"to": "bob@c2", "performative": "inform", "body": "two words"})]
        await pilot.press("x", *"kill nobody", "enter")
        await pilot.pause()
        assert [str(each.message) for each in app._notifications][-1] == "there is no agent nobody"

    shown(test, [FIGURES], may_act=True)

    async def only_look(app, feed, pilot):
        await pilot.press("x", *"kill ann", "enter")
        assert len(app.screen_stack) == 1
        assert not feed.acts

    shown(only_look, [FIGURES])


def test_keys_of_a_recording_go_to_other_times_and_speeds():
    async def test(app, feed, pilot):
        await pilot.press("comma", "plus", "plus", "b")
        assert feed.sought == [995.0]
        assert feed.speed == -4.0
        await settled(app, pilot)
        assert "00:16:40.000 UTC at -4x" in status(app)

    shown(test, [FIGURES], is_live=False)


@pytest.mark.parametrize("error", [LinkError("the platform's container c1 is gone")])
def test_the_end_of_the_platform_ends_the_view_with_its_sentence(error):
    async def test(app, feed, pilot):
        feed.batches.put_nowait(error)
        await pilot.pause()
        assert app._error is error

    shown(test)
