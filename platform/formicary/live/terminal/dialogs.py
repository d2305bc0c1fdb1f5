"""Dialogs over the tables: a line to type, and details."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from formicary.core.quoting import paragraph, printable
from formicary.live.terminal.tables import behaviours, time_of, waited

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from formicary.observe.events import AgentFigures, DeadLetter, MessageSeen


class Asked(ModalScreen[str | None]):
    """Asks for a line; returns None if the user cancels.

    Args:
        question: the question.
        typed: the initial text.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Back")]

    def __init__(self, question: str, typed: str = "") -> None:
        super().__init__()
        self._question = question
        self._typed = typed

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        yield Label(Text(self._question))
        yield Input(self._typed)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Close the dialog with what was typed."""
        self.dismiss(event.value.strip())


class Details(ModalScreen[None]):
    """Shows details as names and values."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,enter,q", "dismiss(None)", "Back")]

    def __init__(self, lines: list[tuple[str, str]]) -> None:
        super().__init__()
        self._lines = lines

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        text = Text()
        for name, value in self._lines:
            text.append(f"{name:>14}  ", style="bold")
            text.append(f"{paragraph(value)}\n")
        with VerticalScroll():
            yield Static(text)


def details_of(thing: MessageSeen | AgentFigures | DeadLetter) -> list[tuple[str, str]]:
    """Return all fields of a thing as names and values."""
    lines = []
    for name in thing.__struct_fields__:
        value = getattr(thing, name)
        if name == "at":
            lines.append(("time (UTC)", time_of(value)))
        elif name == "waited":
            lines.append(("waited", waited(thing)))  # type: ignore[arg-type]  # only messages have it
        elif name == "behaviours":
            lines.append(("behaviours", behaviours(thing)))  # type: ignore[arg-type]  # only agents have them
        elif value not in ("", None):
            lines.append((name.replace("_", " "), printable(str(value))))
    return lines
