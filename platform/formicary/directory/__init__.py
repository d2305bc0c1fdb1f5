"""Who offers what: descriptions of services, and how agents find them (FIPA00023's directory facilitator).

`description` (what an entry is), `query` (what is asked) and `index` (entries in memory, found by query) are
what every design of the directory shares. `store` keeps them in a file, by way of a `journal` that does not
stop the loop, `leases` ends them in time, and `language` is how all of it is written in messages.
"""
