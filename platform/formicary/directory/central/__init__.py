"""The directory as an agent (FIPA00023's DF), and each container's client of it.

- `store`: its file, written without blocking the event loop
- `leases`: when entries expire
- `draft`: what requests would change
- `ledger`: the agent's records, changed by one draft after the other
- `outgoing`: sends messages from synchronous code, which cannot wait for room
- `subscriptions`: notifies subscribers of changes, and `federation` asks other directories
- `agent`: reads requests, applies them to the ledger, and answers
- `client`: a container's client, with `claims`, what its agents have registered, and `remote_watch`
"""
