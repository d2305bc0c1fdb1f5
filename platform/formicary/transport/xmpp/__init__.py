"""XMPP as a path between containers, and as the way to any other XMPP address."""
