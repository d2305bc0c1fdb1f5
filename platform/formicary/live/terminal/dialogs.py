"""Dialogs over the tables: a line to type, with filters or an action, and details."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from formicary.core.errors import UsageError
from formicary.core.quoting import paragraph, printable
from formicary.live.feed import OF_AGENTS
from formicary.live.terminal.tables import behaviours, time_of, waited
from formicary.observe.events import Filters

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from formicary.observe.events import AgentFigures, DeadLetter, MessageSeen

FIELDS = Filters.__struct_fields__
ACTS = (
    f"{', '.join(OF_AGENTS)} AGENT; move AGENT CONTAINER; create MODULE:CLASS NAME [CONTAINER]; or "
    "send AGENT PERFORMATIVE TEXT"
)


def read_filters(typed: str) -> Filters:
    """Return typed filters: `agent=ann act=request`, and words of the body.

    Raises:
        UsageError: there is no such filter.
    """
    given: dict[str, str] = {}
    words = []
    for word in typed.split():
        name, equals, value = word.partition("=")
        name = {"act": "performative", "from": "agent", "to": "agent"}.get(name, name)
        if equals and name in FIELDS:
            given[name] = value
        else:
            words.append(word)
    text = " ".join([*([given["text"]] if "text" in given else []), *words])
    try:
        return Filters(**{**given, "text": text})
    except ValueError as error:
        raise UsageError(str(error)) from error


def write_filters(filters: Filters) -> str:
    """Return filters as a user would type them."""
    named = [f"{name}={value}" for name in FIELDS if name != "text" and (value := getattr(filters, name))]
    return " ".join([*named, *([filters.text] if filters.text else [])])


def read_act(typed: str) -> tuple[str, dict[str, Any]]:
    """Return a typed action and its arguments, for `Feed.act`.

    Raises:
        UsageError: it is none of these.
    """
    match typed.split(maxsplit=3) if typed.startswith("send") else typed.split():
        case [act, agent] if act in OF_AGENTS:
            return act, {"agent": agent}
        case ["move", agent, container]:
            return "move", {"agent": agent, "container": container}
        case ["create", class_name, name, *rest] if len(rest) <= 1:
            return "create", {"class_name": class_name, "name": name, "container": "".join(rest)}
        case ["send", to, performative, *rest]:
            return "send", {"to": to, "performative": performative, "body": "".join(rest)}
    raise UsageError(f"type {ACTS}")


class Asked(ModalScreen[str | None]):
    """Asks for a line; returns None if the user cancels."""

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
