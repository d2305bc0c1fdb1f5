"""How containers reach each other, and any XMPP address.

Where things are: `xmpp` (the transport that a container uses), `stream` (one connection to an XMPP server,
with nothing on top; `component` and `account` for how it opens), `outbox` (what waits for one other
container), `inbox` (what comes in), `held` (what waits for full mailboxes), `sent` (what may come back),
`frames` (batches of messages as bytes) and `stanzas` (messages as plain XMPP).
"""
