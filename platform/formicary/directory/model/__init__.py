"""What all designs of the directory share.

- `description`: an entry, what an agent offers
- `query`: what is searched for
- `index`: entries in memory, found by query
- `interests`: who is to be told of a change, found by the queries that may match it
- `entries`: the store of all designs: an index with those who watch it
"""
