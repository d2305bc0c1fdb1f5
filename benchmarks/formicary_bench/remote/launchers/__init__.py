"""How host agents are started, and where hosts come from.

- `launcher`: A *provider* says which hosts there are; its *launcher* starts a host agent on each. Each way
  has a name.
- `ssh`: by SSH. `commands`: by a command, on a job's nodes or an inventory's hosts, or on this machine alone.
"""
