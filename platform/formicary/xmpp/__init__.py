"""Agents with their own XMPP accounts.

- `agent`: the agent class that users subclass
- `client`: its connection and messages
- `session`: an XMPP library's part: stanzas, confirmations, reconnecting; implemented by `by_aioxmpp`
  and `by_slixmpp`
- `stanzas`: stanzas for the account's server
- `presence`: presence and contacts
- `discovery`: service discovery
"""

from typing import TYPE_CHECKING

from formicary.extending import exporter

if TYPE_CHECKING:
    from formicary.xmpp.discovery import Discovery, Information
    from formicary.xmpp.presence import Contact, Presence, PresenceState

CPU_GROUP = "communication"

__all__ = ["Contact", "Discovery", "Information", "Presence", "PresenceState"]

__getattr__ = exporter(
    __name__,
    {
        "xmpp.discovery": ("Discovery", "Information"),
        "xmpp.presence": ("Contact", "Presence", "PresenceState"),
    },
)
