"""Export of recorded conversations as Mermaid, SVG or CSV."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Final

from formicary.core.errors import UsageError
from formicary.core.quoting import cell_text, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.observe.events import MessageSeen

MOST: Final = 1000
"""The largest number of messages in a picture."""

_LONGEST: Final = 40  # characters of a label at an arrow, or above a lane
_LANE, _ROW, _TOP, _MARGIN = 170, 34, 56, 90  # of the drawing, in pixels
_HEAD: Final = (
    "<style>text{font:12px sans-serif}</style>"
    '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
    '<path d="M0 0 8 4 0 8z" fill="context-stroke"/></marker></defs>'
)
_SEVEN: Final = ("#0b62a4", "#b34700", "#2f7d32", "#7b3fa0", "#a8323e", "#00707a", "#6b5b00")


def export(messages: Sequence[MessageSeen], name: str) -> str:
    """Return messages as the content of a file in the format of its suffix.

    Args:
        messages: in order of time.
        name: the file name, with the suffix `.mmd`, `.svg` or `.csv`.

    Raises:
        UsageError: the suffix is unknown, or there are too many messages for a picture.
    """
    ending = name.rpartition(".")[2].lower()
    write = FORMATS.get(ending)
    if write is None:
        raise UsageError(f"{name} cannot be written: its name must end in .mmd, .svg or .csv")
    if ending != "csv" and len(messages) > MOST:
        raise UsageError(
            f"a picture can show at most {MOST} messages, and there are {len(messages)}: choose a "
            "conversation with --conversation, or write a table to a .csv file"
        )
    return write(messages)


def mermaid(messages: Sequence[MessageSeen]) -> str:
    """Return a Mermaid sequence diagram of messages."""
    lanes = _lanes(messages)
    lines = ["sequenceDiagram"]
    lines += [f"    participant a{number} as {_bare(name)}" for number, name in enumerate(lanes.values())]
    numbers = {name: number for number, name in enumerate(lanes)}
    for message in messages:
        arrow = "-x" if message.outcome == "dead" else "->>"
        label = _bare(_label(message))
        lines.append(f"    a{numbers[message.sender]}{arrow}a{numbers[message.receiver]}: {label}")
    return "\n".join(lines) + "\n"


def svg(messages: Sequence[MessageSeen]) -> str:
    """Return a drawing of messages, one below the other, coloured by conversation."""
    lanes = _lanes(messages)
    x = {name: _MARGIN + _LANE * number for number, name in enumerate(lanes)}
    width = 2 * _MARGIN + _LANE * max(0, len(lanes) - 1)
    height = _TOP + _ROW * (len(messages) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        _HEAD,
    ]
    for name, shown in lanes.items():
        parts.append(_text(x[name], 20, shown, "#111", ' font-weight="bold"'))
        parts.append(f'<path d="M{x[name]} 30V{height}" stroke="#999" stroke-dasharray="3 3"/>')
    colours: dict[str, str] = {}
    for row, message in enumerate(messages):
        colour = colours.setdefault(message.conversation, _SEVEN[len(colours) % len(_SEVEN)])
        parts += _arrow(message, x, _TOP + _ROW * row, colour)
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _arrow(message: MessageSeen, x: dict[str, int], y: int, colour: str) -> list[str]:
    start, end = x[message.sender], x[message.receiver]
    dead = ' stroke-dasharray="5 3"' if message.outcome == "dead" else ""
    if start == end:
        path, middle = f"M{start} {y}h30v10h-28", start + 15
    else:
        path, middle = f"M{start} {y}H{end}", (start + end) // 2
    line = (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5" marker-end="url(#head)"{dead}/>'
    )
    full = f"{message.performative} {message.sender} to {message.receiver}: {message.body}"
    return [f"<g><title>{_safe(full)}</title>", line, _text(middle, y - 5, _label(message), colour), "</g>"]


def _text(x: int, y: int, words: str, colour: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="middle" fill="{colour}"{more}>{_safe(words)}</text>'


def table(messages: Sequence[MessageSeen]) -> str:
    """Return messages as CSV, with a header line and ISO 8601 times.

    Bodies are on one line, and no cell is a formula to a spreadsheet.
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    fields = type(messages[0]).__struct_fields__ if messages else ("at",)
    writer.writerow(fields)
    for message in messages:
        at = datetime.fromtimestamp(message.at, UTC).isoformat(timespec="microseconds")
        writer.writerow([at, *(_cell(getattr(message, field)) for field in fields[1:])])
    return written.getvalue()


def _cell(value: str | float | None) -> str | float | None:
    return cell_text(value) if isinstance(value, str) else value


def _lanes(messages: Sequence[MessageSeen]) -> dict[str, str]:
    """Return agents' labels above their lanes, in order of appearance."""
    names = dict.fromkeys(name for message in messages for name in (message.sender, message.receiver))
    own: dict[str, int] = {}
    for name in names:
        local = name.partition("@")[0]
        own[local] = own.get(local, 0) + 1
    return {name: _briefly(name, is_clear=own[name.partition("@")[0]] == 1) for name in names}


def _briefly(name: str, *, is_clear: bool) -> str:
    local, _, domain = name.partition("@")
    shown = local if is_clear else f"{local}@{domain.partition('.')[0]}"
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def _label(message: MessageSeen) -> str:
    words = f"{message.performative} {message.body}".strip() or "(empty)"
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _safe(words: str) -> str:
    return escape(printable(words))


def _bare(words: str) -> str:
    """Return a text without characters special to Mermaid or HTML."""
    return "".join(
        letter if letter.isalnum() or letter in " .,_@/()-…" else f"#{ord(letter)};" for letter in words
    )


FORMATS: Final[dict[str, Callable[[Sequence[MessageSeen]], str]]] = {"mmd": mermaid, "svg": svg, "csv": table}
"""Writers by file suffix."""
