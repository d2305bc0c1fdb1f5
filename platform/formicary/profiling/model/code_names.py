"""How a code object's name carries the agent that it runs for, and how it is read again."""

from __future__ import annotations

_MARK = "agent "  # no name of Python's has a space, so none is mistaken for it
_BORDER = "\N{BROKEN BAR}"


def mark(agent: str, function: str) -> str:
    """Return a name for a function that runs for an agent.

    Args:
        agent: `name/Behaviour`, or the name of a micro-agent.
        function: the function's own name.
    """
    return f"{_MARK}{agent}{_BORDER}{function}"


def unmark(name: str) -> tuple[str, str]:
    """Return the agent, empty if the name has none, and the function's own name."""
    if not name.startswith(_MARK):
        return "", name
    agent, _, function = name.removeprefix(_MARK).rpartition(_BORDER)
    return agent, function
