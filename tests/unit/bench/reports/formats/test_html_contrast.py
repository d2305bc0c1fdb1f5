"""The colours of a report can be told apart: the contrasts that WCAG 2.2 asks for at level AA."""

import re
from pathlib import Path

import pytest

from formicary_bench.reports.formats import html

CSS = (Path(html.__file__).parent / "template" / "report.css").read_text()
TEXT, SHAPE = 4.5, 3.0
PAIRS = [
    ("ink", "paper"), ("ink", "card"), ("muted", "paper"), ("muted", "card"), ("link", "paper"),
    ("link", "card"), ("good", "good-paper"), ("warn", "warn-paper"), ("warn", "card"), ("warn", "paper"),
    ("ink", "track"), ("paper", "ink"),
]  # fmt: skip


def palettes():
    light, dark, printed = (
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6});", part))
        for part in re.split(r"@media", CSS.partition("* {")[0])
    )
    return {"light": light, "dark": {**light, **dark}, "print": {**light, **printed}}


PALETTES = palettes()


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", PALETTES)
@pytest.mark.parametrize(("text", "paper"), PAIRS)
def test_text_can_be_read(scheme, text, paper):
    colours = PALETTES[scheme]
    assert contrast(colours[text], colours[paper]) >= TEXT


@pytest.mark.parametrize("scheme", PALETTES)
def test_lines_and_bars_can_be_seen(scheme):
    colours = PALETTES[scheme]
    series = {name: contrast(value, colours["card"]) for name, value in colours.items() if len(name) == 1}
    assert len(series) >= 17
    assert {name: ratio for name, ratio in series.items() if ratio < SHAPE} == {}
    assert contrast(colours["link"], colours["paper"]) >= SHAPE  # the ring around what has the focus
    assert contrast(colours["c"], colours["paper"]) >= SHAPE  # the computer's name, in large letters
