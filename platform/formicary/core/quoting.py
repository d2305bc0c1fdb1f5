"""Quotes foreign text in sentences: briefly, on one line, and with nothing hidden in it.

Foreign text (names, messages, errors of peers and servers) may contain characters that begin a line, move a
terminal's cursor or change the direction of writing. So everything that is printed passes `printable` or
`paragraph`: in commands by `formicary.cli.output.say`, in logs by `formicary.core.logs`, errors by `str()`.
"""

from __future__ import annotations

_LONGEST_SENTENCE = 1000  # characters

INVISIBLE = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0))
).union(map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0)))
"""Fillers and variation selectors: letters and marks by their category, of which nothing is shown (Unicode's
`Default_Ignorable_Code_Point`, which RFC 8264 keeps out of identifiers)."""

_FORMULA = tuple("=+-@＝＋－＠")  # noqa: RUF001 -- the beginning of a formula to spreadsheets

_KINDS = {
    "Cc": "a control character",
    "Cs": "half of a surrogate pair",
    "Co": "a character of private use",
    "Cn": "a number without a character",
}


def shorten(value: object, longest: int = 60) -> str:
    """Return the repr of a value for a sentence, cut off if it is long."""
    text = repr(value)
    return text if len(text) <= longest else text[:longest] + "..."


def counted(number: int, word: str) -> str:
    """Return a number and its noun, such as `1 pair` or `10 pairs`."""
    return f"{number} {word}{'s' * (number != 1)}"


def printable(text: str) -> str:
    """Return a text on one line, without anything that affects a terminal."""
    return text if text.isprintable() else repr(text)[1:-1]


def cell_text(text: str) -> str:
    """Return a text for a cell of a table, safe for terminals and spreadsheets."""
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def paragraph(text: str) -> str:
    """Return a text as `printable` does, but keep further lines that begin with two spaces.

    So foreign text cannot begin a line, other than an indented one.
    """
    return text if text.isprintable() else "\n  ".join(map(printable, text.split("\n  ")))


def character(letter: str) -> str:
    """Return how to name a character in a sentence: quoted, or by number and name if it is invisible.

    The name is Unicode's, or the kind of character if it has none.
    """
    if letter.isprintable() and letter not in INVISIBLE:
        return repr(letter)
    return numbered(letter)


def numbered(letter: str) -> str:
    """Return the number and name of a character; see `character`."""
    import unicodedata

    kind = _KINDS.get(unicodedata.category(letter), "not a character")
    return f"U+{ord(letter):04X} ({unicodedata.name(letter, kind)})"


def find_unseen(text: str) -> str:
    """Return the first invisible or invalid character of a text; empty if there is none.

    These are control and format characters, all separators and spaces but the usual one, fillers, halves of
    surrogate pairs, and characters of private use or not assigned by Unicode.
    """
    if text.isprintable() and (text.isascii() or INVISIBLE.isdisjoint(text)):
        return ""
    return next(letter for letter in text if not letter.isprintable() or letter in INVISIBLE)


def printable_json(text: str) -> str:
    """Return equivalent JSON, with escapes for characters that affect a terminal."""
    if text.isprintable():
        return text
    import json

    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text)


def sentence(text: str) -> str:
    """Return a sentence that can be sent: on one line, and cut off if it is long."""
    line = printable(text)
    return line if len(line) <= _LONGEST_SENTENCE else line[:_LONGEST_SENTENCE] + "..."
