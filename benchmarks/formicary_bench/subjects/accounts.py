"""The XMPP accounts of agents that need one each."""

from __future__ import annotations

DOMAIN = "localhost"
"""Where the accounts are: SPADE connects to the host that an agent's address names."""

HOLDERS = ("asker", "echo")
"""Whose they are: the first parts of their names."""


def account(holder: str, number: int) -> str:
    """Return the name of an agent's account, the part before the `@`."""
    return f"{holder}-{number}"
