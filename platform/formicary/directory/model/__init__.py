"""The model shared by all designs of the directory.

- `description`: an entry, which describes a service of an agent
- `query`: a search for services
- `index`: entries in memory, found by query
- `interests`: finds the watchers whose queries may match a changed entry
- `entries`: the store of all designs, an index with watchers
"""
