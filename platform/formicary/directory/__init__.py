"""Who offers what: descriptions of services, and how agents find them (FIPA00023's directory facilitator).

`description` (what an entry is), `query` (what is asked) and `index` (entries in memory, found by query) are
what every design of the directory shares; `language` is how all of it is written in messages.

A directory that is an `agent`, or only a `lookup`, is built on `answering`: it reads requests, plans what
they change on a `draft`, and does that to its `ledger`, which has the index, the `leases`, and the file
(`store`, by way of a `journal` that does not stop the loop). `subscriptions` says who is told, `federation`
asks others, and `outgoing` waits for room with what an agent sends from plain code.
"""

CPU_GROUP = "directory"
