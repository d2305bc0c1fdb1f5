"""How sentences quote what somebody else has written: briefly, and on one line."""

from __future__ import annotations

_LONGEST_SENTENCE = 1000  # characters


def shorten(value: object, longest: int = 60) -> str:
    """Return how a value is written, cut off if it is long: for a sentence about it."""
    text = repr(value)
    return text if len(text) <= longest else text[:longest] + "..."


def printable(text: str) -> str:
    """Return a text on one line, without anything that would do something to a terminal."""
    return text if text.isprintable() else repr(text)[1:-1]


def sentence(text: str) -> str:
    """Return a sentence as it can be sent: one line, cut off where it quotes something long."""
    line = printable(text)
    return line if len(line) <= _LONGEST_SENTENCE else line[:_LONGEST_SENTENCE] + "..."
