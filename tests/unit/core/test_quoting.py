"""How what others have written is quoted."""

from __future__ import annotations

import pytest

from formicary.core.quoting import cell_text, character, find_unseen, paragraph, printable, sentence, shorten


@pytest.mark.parametrize(
    ("letter", "named"),
    [
        ("a", "'a'"),
        (" ", "' '"),
        ("\n", "U+000A (a control character)"),
        ("\u202e", "U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        ("\u3164", "U+3164 (HANGUL FILLER)"),
        ("\udfff", "U+DFFF (half of a surrogate pair)"),
        ("\U0010ffff", "U+10FFFF (a number without a character)"),
    ],
)
def test_a_character_is_named(letter, named):
    assert character(letter) == named
    assert named.isprintable()


@pytest.mark.parametrize(
    ("text", "unseen"),
    [
        ("", ""),
        ("an ant", ""),
        ("蟻 über", ""),
        ("a\tb\n", "\t"),
        ("é\xa0", "\xa0"),
        ("é\ufe0f", "\ufe0f"),
    ],
)
def test_the_first_character_that_cannot_be_seen_is_found(text, unseen):
    assert find_unseen(text) == unseen


def test_texts_are_cut_off_and_on_one_line():
    assert printable("a\n\x1b\u202e[b]") == r"a\n\x1b\u202e[b]"
    assert printable(printable("\\\n")) == printable("\\\n")
    assert shorten("x" * 100) == f"'{'x' * 59}..."
    assert sentence("x\n" * 1000).endswith("...")
    assert sentence("it failed") == "it failed"


def test_indented_lines_of_a_paragraph_stay():
    assert paragraph("two mistakes:\n  line 1\n  line\x1b 2") == "two mistakes:\n  line 1\n  line\\x1b 2"
    assert paragraph("it failed\nERROR formicary: forged") == r"it failed\nERROR formicary: forged"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("", ""),
        ("five nails", "five nails"),
        ("a=1", "a=1"),
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\uff1d1", "'\uff1d1"),
        ("\t=1", r"\t=1"),
        ("\x1b[2J\r\n=1", r"\x1b[2J\r\n=1"),
    ],
)
def test_a_cell_is_no_formula_and_on_one_line(text, cell):
    assert cell_text(text) == cell
