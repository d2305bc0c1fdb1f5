"""How containers reach each other, and any XMPP address.

Where things are: `stream` (one connection to an XMPP server as a component, with nothing on top), `outbox`
(what waits for one other container, and goes as frames), `frames` (batches of
messages as bytes), `stanzas` (messages as plain XMPP), `xmpp` (the transport that a container uses).
"""
