"""Hostile texts: with terminal controls, line breaks, and invisible characters."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

HOSTILE = (
    "\n", "\r", "\nERROR formicary: forged", "\n  ", "\n  \nERROR formicary: forged", "\t", "\x00", "\x07",
    "\x08", "\x0b", "\x1b[31m", "\x1b]0;title\x07", "\x1c", "\x7f", "\x85", "\x9b", "\u2028", "\u2029",
    "\u200b", "\u200e", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u3164", "\ufe0f", "\ue000", "\ud800",
    "[red]", "[/]", "[bold", "%s", "{0}", "\\", "'", '"', "<b>", "&", "=1+1", "@", "+", "-",
)  # fmt: skip
hostile_texts = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=5), max_size=6).map("".join)
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def unseen(text, *, allowed=""):
    """Return a text's characters that control a terminal or are invisible."""
    return {letter for letter in text if unicodedata.category(letter) in UNSEEN} - set(allowed)
