"""From what a paper shows to our experiments: `alberola`, or `Alberola 2010, Fig. 9`."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary_bench.experiments.experiment import Experiment

_WORDS = {"figure": "fig", "figures": "fig", "figs": "fig", "tables": "table", "sections": "section"}
_RANGE = re.compile(r"(\d+)([a-z]?) to (\d+)([a-z]?)")


def of_source(asked: str) -> list[Experiment]:
    """Return the experiments of what was asked for: `alberola`, `Burbeck 2004` or `Alberola 2010, Fig. 9`."""
    from formicary_bench.experiments.registry import EXPERIMENTS

    wanted = _terms(asked)
    return [
        one
        for one in EXPERIMENTS.values()
        if wanted and one.is_of_paper and any(wanted <= _terms(part) for part in one.source.split("; "))
    ]


def _terms(text: str) -> set[str]:
    """Return what a source has in it, a term each: `alberola`, `2010`, `fig 9`."""
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    spelled = _RANGE.sub(lambda found: ", ".join(_between(*found.groups())), plain)
    found, kind = set(), ""
    for word in re.findall(r"[a-z][a-z-]*[a-z]|\d[\d.]*[a-z]?", spelled):
        word = word.rstrip(".")  # noqa: PLW2901 - the end of a sentence
        name = _WORDS.get(word, word)
        if name in {"fig", "table", "section", "test"}:
            kind = name
        elif word[0].isdigit() and kind:
            found |= {f"{kind} {word}", f"{kind} {word.rstrip('abcd')}"}
        else:
            found.add(word)
    return found - {"and", "to"}


def _between(first: str, letter: str, last: str, final: str) -> list[str]:
    if letter and final:
        return [f"{first}{chr(code)}" for code in range(ord(letter), ord(final) + 1)]
    return [str(number) for number in range(int(first), int(last) + 1)]
