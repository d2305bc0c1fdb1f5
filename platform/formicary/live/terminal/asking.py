"""Parsing of what a user types into the terminal view: filters and actions."""

from __future__ import annotations

from typing import Any

from formicary.core.errors import UsageError
from formicary.live.feed import OF_AGENTS
from formicary.observe.events import Filters

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

    Args:
        typed: one of `ACTS`.

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
