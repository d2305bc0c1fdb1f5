"""The groups' colours, the same in the terminal, in flame graphs and in reports."""

from __future__ import annotations

from zlib import crc32

from formicary.profiling.model.groups import NATIVE, Group

_OURS: dict[str, str] = {
    Group.RUNTIME: "#8a8f98",
    Group.AGENTS: "#3b8eea",
    Group.COMMUNICATION: "#e8833a",
    Group.DIRECTORY: "#46a758",
    Group.PLATFORM: "#b565d8",
    Group.SERVER: "#d9534f",
    NATIVE: "#5f6b7a",
}
_OTHERS = ("#c9a227", "#2aa198", "#d33682", "#6c71c4", "#859900", "#a0522d")


def colour(group: str) -> str:
    """Return a group's colour as `#rrggbb`; a user's own group has always the same."""
    return _OURS.get(group) or _OTHERS[crc32(group.encode()) % len(_OTHERS)]
