"""The live view in a terminal: tables that follow a feed, and keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.app import App
from textual.widgets import DataTable, Footer, Static, TabbedContent, TabPane

from formicary.core.errors import FormicaryError
from formicary.core.quoting import counted, printable
from formicary.live.terminal.dialogs import (
    ACTS,
    Asked,
    Details,
    details_of,
    read_act,
    read_filters,
    write_filters,
)
from formicary.live.terminal.tables import COLUMNS, rows, time_of
from formicary.live.view import View
from formicary.observe.events import Filters

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from formicary.live.feed import Feed

_EVERY = 0.25  # s between two refreshes
_SEEK = 5.0  # s of a recording per key press
_TITLES = {"dead": "Dead letters"}


class LiveApp(App[str]):
    """Shows an open feed.

    Args:
        feed: the feed.
        title: the name of the platform, or of the recording's file.
    """

    CSS = """
    #status { height: 1; background: $panel; }
    Asked, Details { align: center middle; }
    Asked > *, Details > * { width: 90%; max-height: 80%; background: $surface; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("space", "pause", "Pause"),
        ("slash", "filter", "Filter"),
        ("f", "follow", "Follow conversation"),
        ("escape", "unfilter", "Show all"),
        ("x", "act", "Act"),
        ("comma", "seek(-1)", "Back 5 s"),
        ("full_stop", "seek(1)", "Forward 5 s"),
        ("minus", "speed(0.5)", "Slower"),
        ("plus", "speed(2)", "Faster"),
        ("b", "speed(-1)", "Reverse"),
        *((str(number), f"show('{name}')", "") for number, name in enumerate(COLUMNS, 1)),
        ("q", "quit", "End"),
        ("ctrl+c", "interrupt", ""),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, feed: Feed, title: str) -> None:
        super().__init__()
        self._feed = feed
        self._of = printable(title)
        self._view = View()
        self._error: FormicaryError | None = None
        self._is_drawn = False
        self._is_interrupted = False
        self._line = Static(id="status")

    async def show(self) -> None:
        """Run until the user quits.

        Raises:
            FormicaryError: the feed cannot continue.
            asyncio.CancelledError: the user has pressed Ctrl-C.
        """
        await self.run_async()
        if self._error is not None:
            raise self._error
        if self._is_interrupted:
            raise asyncio.CancelledError

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        with TabbedContent():
            for number, table in enumerate(COLUMNS, 1):
                with TabPane(f"{number} {_TITLES.get(table, table.capitalize())}", id=f"pane-{table}"):
                    yield DataTable(id=table, cursor_type="row", zebra_stripes=True)
        yield self._line
        yield Footer()

    def on_mount(self) -> None:
        """Start following the feed."""
        for name, columns in COLUMNS.items():
            self._table(name).add_columns(*columns)
        self._table("messages").focus()
        self.run_worker(self._follow(), exit_on_error=True)
        self.set_interval(_EVERY, self._draw)

    async def _follow(self) -> None:
        try:
            async for batch in self._feed:
                if batch:
                    self._view.take(batch)
                    self._is_drawn = False
        except FormicaryError as error:
            self._error = error
            self.exit()

    # -- drawing --------------------------------------------------------------------------------------------

    def _table(self, name: str) -> DataTable[Text]:
        return self.query_one(f"#{name}", DataTable)

    @property
    def _shown(self) -> str:
        """The name of the visible table."""
        return self.query_one(TabbedContent).active.removeprefix("pane-")

    def on_tabbed_content_tab_activated(self) -> None:
        """Draw the table that is now visible."""
        self._is_drawn = False
        self._draw()

    def _draw(self) -> None:
        if len(self.screen_stack) > 1 or not self._line.is_attached:
            return  # a dialog covers it, or it is closing
        self._line.update(self._status())
        if self._is_drawn:
            return
        self._is_drawn = True
        name = self._shown
        table = self._table(name)
        at_end = name in {"messages", "dead"} and table.cursor_row >= table.row_count - 1
        key = self._selected(table)
        table.clear()
        row = 0
        shown = rows(name, self._view, self._feed.filters, all_messages=self._feed.is_paused)
        for number, (row_key, cells) in enumerate(shown):
            table.add_row(*cells, key=row_key)
            if row_key == key:
                row = number
        table.move_cursor(row=table.row_count - 1 if at_end else row, animate=False)

    def _selected(self, table: DataTable[Text]) -> str | None:
        if not table.row_count:
            return None
        return table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value

    def _status(self) -> Text:
        view, feed = self._view, self._feed
        parts = [
            self._of,
            f"{counted(len(view.agents), 'agent')} in {counted(len(view.containers), 'container')}",
        ]
        parts.append(f"{counted(view.shown, 'message')} shown, {view.left_out} omitted")
        if not feed.is_live:
            parts.append(f"{time_of(feed.position)} UTC at {feed.speed:g}x")
        if feed.is_paused:
            parts.append("paused")
        if filters := write_filters(feed.filters):
            parts.append(f"only {filters}")
        parts += [f"{name}: {reason}" for name, reason in view.missing.items()]
        return Text(printable("  |  ".join(parts)), no_wrap=True)

    # -- keys -----------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key is active: some require a recording, others permission to act."""
        del parameters
        if action in {"seek", "speed"}:
            return not self._feed.is_live
        return self._feed.may_act if action == "act" else True

    def action_show(self, name: str) -> None:
        """Show a table."""
        self.query_one(TabbedContent).active = f"pane-{name}"
        self._table(name).focus()

    def action_pause(self) -> None:
        """Pause or resume."""
        if self._feed.is_paused:
            self._feed.resume()
        else:
            self._feed.pause()
        self._is_drawn = False

    def action_filter(self) -> None:
        """Ask for filters."""
        typed = write_filters(self._feed.filters)
        question = "Filter messages by agent=, act=, protocol=, conversation= or words in the body"
        self.push_screen(Asked(question, typed), self._filter)

    def _filter(self, typed: str | None) -> None:
        if typed is None:
            return
        try:
            self._feed.filters = read_filters(typed)
        except FormicaryError as error:
            self._say(error)
            return
        self._is_drawn = False

    def action_unfilter(self) -> None:
        """Show all messages."""
        if self._feed.filters != Filters():
            self._filter("")

    def action_follow(self) -> None:
        """Show only messages of the selected message's conversation."""
        container, _, number = (self._selected(self._table("messages")) or "").rpartition("/")
        message = self._view.messages.get((container, int(number))) if number else None
        if message is None or not message.conversation:
            self.notify("This message belongs to no conversation.", severity="warning", markup=False)
        else:
            self._feed.filters = Filters(conversation=message.conversation)
            self._is_drawn = False

    def action_seek(self, steps: int) -> None:
        """Move to another time of a recording."""
        self._feed.seek(self._feed.position + steps * _SEEK)

    def action_speed(self, factor: float) -> None:
        """Play a recording at another speed."""
        self._feed.speed = max(-64.0, min(64.0, self._feed.speed * factor))

    def action_act(self) -> None:
        """Ask for an action."""
        name = self._selected(self._table("agents")) if self._shown == "agents" else None
        self.push_screen(Asked(ACTS, f"suspend {name}" if name else ""), self._act)

    def _act(self, typed: str | None) -> None:
        if typed:
            self.run_worker(self._do(typed), exit_on_error=True)

    async def _do(self, typed: str) -> None:
        try:
            act, arguments = read_act(typed)
            await self._feed.act(act, **arguments)  # type: ignore[arg-type]  # what it does not know it refuses
        except FormicaryError as error:
            self._say(error)
        else:
            self.notify(printable(f"Done: {typed}"), markup=False)

    def _say(self, error: FormicaryError) -> None:
        self.notify(printable(str(error)), severity="error", markup=False)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Show the details of a message, an agent or a dead letter."""
        key, thing = event.row_key.value or "", None
        if event.data_table.id == "agents":
            thing = self._view.agents.get(key)
        elif event.data_table.id in {"messages", "dead"}:
            container, _, number = key.rpartition("/")
            known: Any = self._view.messages
            if event.data_table.id == "dead":
                known = {(each.container, each.number): each for each in self._view.dead}
            thing = known.get((container, int(number)))
        if thing is not None:
            self.push_screen(Details(details_of(thing)))

    def action_interrupt(self) -> None:
        """End as by Ctrl-C."""
        self._is_interrupted = True
        self.exit()
