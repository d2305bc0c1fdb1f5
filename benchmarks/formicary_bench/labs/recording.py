"""The messages of a scenario, and their picture: a lane for each agent, an arrow for each message."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from formicary.core.files import replacing
from formicary.core.quoting import printable
from formicary.testing.virtual_clock import STARTS_AT
from formicary_bench.files.refusals import writing
from formicary_bench.reports.formatting import slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from formicary import Message
    from formicary.observe.events import MessageSeen


_BODY = 10_000  # characters
_KEPT = 10_000  # arrows: a program in an endless conversation must not fill the memory


class Arrow(msgspec.Struct):
    """A message to one receiver, as an arrow of a sequence picture.

    Attributes:
        sent: when it was sent, in seconds of virtual time.
        sender: the sender's short name, with the container where names would be equal.
        receiver: the receiver's, likewise.
        performative: its performative; empty if it has none.
        body: its body.
        conversation: its conversation; empty if it has none.
        arrived: when it was delivered; None if it has not arrived.
        lost: why it could not be delivered; empty unless it was lost.
    """

    sent: float
    sender: str
    receiver: str
    performative: str
    body: str
    conversation: str
    arrived: float | None = None
    lost: str = ""

    @property
    def label(self) -> str:
        """The text at the arrow."""
        return f"{self.performative} {self.body}".strip() or "(empty)"


class Recorder:
    """Records the messages between containers in a scenario, in the order in which they were sent."""

    def __init__(self) -> None:
        self.arrows: list[Arrow] = []

    def sent(self, message: Message, receiver: str) -> Arrow:
        """Record a sent message, and return its arrow, whose fate is noted there later."""
        arrow = Arrow(
            _now(),
            _short(message.sender),
            _short(receiver),
            message.performative or "",
            str(message.body)[:_BODY],
            message.conversation_id or "",
        )
        if len(self.arrows) < _KEPT:
            self.arrows.append(arrow)
        return arrow


def about(arrows: Iterable[Arrow], names: Iterable[str], conversation: str = "") -> list[Arrow]:
    """Return the messages from or to agents with these names, and of this conversation if given."""
    wanted = set(names)
    return [
        arrow
        for arrow in arrows
        if (not wanted or arrow.sender in wanted or arrow.receiver in wanted)
        and (not conversation or arrow.conversation == conversation)
    ]


def _now() -> float:
    return asyncio.get_running_loop().time()


def _short(name: str | None) -> str:
    return (name or "?").partition("@")[0]


_MOST = 24  # arrows in one picture: the last ones say what went wrong
_LANES = 6  # agents side by side; of more there are lines in place of lanes
_WIDTH = 100
_TIME = 9
_LABEL = 24


def sequence_text(arrows: Sequence[Arrow]) -> list[str]:
    """Draw messages, the earliest at the top; of many, the last ones.

    Returns:
        Lines that fit 100 columns, with escape sequences made harmless.
    """
    shown = arrows[-_MOST:]
    names = list(dict.fromkeys(name for arrow in shown for name in (arrow.sender, arrow.receiver)))
    drawn = _lanes(shown, names) if 1 < len(names) <= _LANES else [_line(arrow) for arrow in shown]
    left_out = len(arrows) - len(shown)
    return [f"({left_out} earlier messages omitted)"] * bool(left_out) + drawn


def _lanes(arrows: Sequence[Arrow], names: Sequence[str]) -> list[str]:
    longest = max(len(_words(arrow)) for arrow in arrows)
    gap = min(max(longest + 6, *(len(name) + 2 for name in names), 12), (_WIDTH - _TIME) // len(names))
    places = {name: _TIME + gap // 2 + number * gap for number, name in enumerate(names)}
    head = " " * _TIME + "".join(printable(name)[: gap - 1].center(gap) for name in names)
    return [head.rstrip(), *(_row(arrow, places, gap * len(names)) for arrow in arrows)]


def _row(arrow: Arrow, places: dict[str, int], width: int) -> str:
    cells = list(f"{arrow.sent:8.3f}".ljust(_TIME + width))
    for place in places.values():
        cells[place] = "|"
    start, end = places[arrow.sender], places[arrow.receiver]
    left, right = min(start, end), max(start, end)
    if left == right:
        note = f"|-> itself: {_words(arrow)}"
        cells[left : left + len(note)] = note
    else:
        room = right - left - 3  # between the two ends of the arrow
        words = f" {_words(arrow)[: max(room - 2, 1)]} ".center(room, "-")[:room]
        head = "X" if arrow.lost else ">" if end > start else "<"
        cells[left + 1 : right] = f"-{words}{head}" if end > start else f"{head}{words}-"
    return f"{''.join(cells).rstrip()}{_fate(arrow)}"


def _line(arrow: Arrow) -> str:
    names = f"{printable(arrow.sender)} -> {printable(arrow.receiver)}"
    return f"{arrow.sent:8.3f} {names}: {_words(arrow)}{_fate(arrow)}"


def _fate(arrow: Arrow) -> str:
    if arrow.lost:
        return f"  lost: {printable(arrow.lost)}"
    if arrow.arrived is None:
        return "  still on its way at the end"
    return f"  arrives at {arrow.arrived:.3f}" if arrow.arrived > arrow.sent else ""


def _words(arrow: Arrow) -> str:
    words = printable(arrow.label)
    return words if len(words) <= _LABEL else words[: _LABEL - 1] + "…"


def write_pictures(name: str, arrows: Sequence[Arrow], folder: Path) -> list[Path]:
    """Write messages as a drawing and as Mermaid, replacing older files; without messages, remove these.

    Args:
        name: the name of the files, such as that of a scenario.
        arrows: the messages.
        folder: the folder, created if missing.

    Raises:
        FormicaryError: they cannot be written.
    """
    from formicary.observe.exporting import export

    stem = slug(name)
    paths = [folder / f"{stem}.{ending}" for ending in ("svg", "mmd")]
    with writing(folder, "copy the folder"):
        if not arrows:
            for path in paths:
                path.unlink(missing_ok=True)
            return []
        folder.mkdir(exist_ok=True)
        seen = [_seen(number, arrow) for number, arrow in enumerate(arrows, 1)]
        for path in paths:
            with replacing(path) as temporary:
                temporary.write_text(export(seen, path.name), encoding="utf-8", newline="\n")
    return paths


def _seen(number: int, arrow: Arrow) -> MessageSeen:
    from formicary.observe.events import MessageSeen

    return MessageSeen(
        at=STARTS_AT.timestamp() + arrow.sent,
        number=number,
        sender=arrow.sender,
        receiver=arrow.receiver,
        performative=arrow.performative,
        conversation=arrow.conversation,
        body=arrow.body,
        size=len(arrow.body),
        outcome="dead" if arrow.lost else "delivered" if arrow.arrived is not None else "sent",
    )
