"""What an agent with an XMPP account of its own is made of.

- `agent`: the agent that users subclass
- `client`: its connection, and the messages that go over it
- `session`: what an XMPP library does for that: stanzas both ways, confirmations, connecting again;
  `by_aioxmpp` and `by_slixmpp`, with its `slixmpp_stream`, are those of two libraries
- `stanzas`: what is said to the account's server
- `presence`: who is online, and who may see whether the agent is
- `discovery`: who can do what
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
