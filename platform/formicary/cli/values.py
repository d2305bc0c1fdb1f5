"""Values on the command line: JSON, or else plain text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from formicary.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.directory.model.query import Condition

_CONDITION = re.compile(
    r"(?P<property>[^<>=!^]+?)\s*(?P<operator><=|>=|!=|\^=|<|>|=|\sin\s)\s*(?P<value>.*)", re.DOTALL
)
_STARTS = ("{", "[", '"')


def parse_pairs(option: str, pairs: Sequence[str] | None) -> dict[str, Any]:
    """Parse `key=value` pairs.

    Raises:
        UsageError: one is malformed, or a key is given twice.
    """
    values: dict[str, Any] = {}
    for pair in pairs or ():
        key, sign, text = pair.partition("=")
        if not (key and sign):
            raise UsageError(f"{option} must be KEY=VALUE, not {pair!r}")
        if key in values:
            raise UsageError(f"{option} {key!r} is given twice; remove one of them")
        values[key] = parse(f"{option} {key}", text)
    return values


def parse(what: str, text: str) -> Any:
    """Parse a value: JSON, or else the text itself.

    Raises:
        UsageError: it begins like JSON, but is not valid.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith(_STARTS):
            raise UsageError(f"{what} looks like JSON but is not valid: {error}") from None
        return text


def parse_condition(text: str) -> Condition:
    """Parse a condition such as `dpi>=300`.

    Raises:
        UsageError: the text is not a condition.
        InvalidDescriptionError: no property can meet it.
    """
    from formicary.directory.model.query import Condition

    match = _CONDITION.fullmatch(text)
    if match is None:
        raise UsageError(
            "--where takes a property, an operator (one of = != < <= > >= ^= (begins with) or in) "
            f"and a value, as in 'dpi>=300', not {text!r}"
        )
    operator = match["operator"].strip()
    value = match["value"]
    if operator == "in":
        values = parse("--where", value)
        if not isinstance(values, list):
            values = [parse("--where", each.strip()) for each in value.split(",")]
        return Condition(match["property"], "in", tuple(values))
    known: Any = "prefix" if operator == "^=" else operator
    return Condition(match["property"], known, parse("--where", value))
