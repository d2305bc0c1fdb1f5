"""The model shared by all designs of the directory.

- `description`: an entry, which describes a service of an agent
- `query`: a search for services
- `index`: entries in memory, found by query
- `entries`: the store of all designs, an index whose watchers are found by their queries
"""
