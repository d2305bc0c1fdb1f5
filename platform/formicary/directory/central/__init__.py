"""The directory as an agent (FIPA00023's DF), and each container's client of it.

- `store`: its file, written without stopping the event loop
- `leases`: when entries expire
- `draft`: what requests would change
- `ledger`: what the agent keeps, changed by one draft after the other
- `outgoing`: sends messages from plain code, which cannot wait for room
- `subscriptions`: tells subscribers of changes, and `federation` asks other directories
- `agent`: reads requests, has the ledger do them, and answers
- `client`: a container's client, with `claims`, what its agents have there, and `remote_watch`
"""
