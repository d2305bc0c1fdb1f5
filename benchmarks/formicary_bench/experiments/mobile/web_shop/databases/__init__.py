"""The databases that a shop can have: `database` is what they have in common.

- `sqlite`: a file, in the shop's own process
- `postgresql`: a server, which `postgresql_server` starts where none is given
"""
