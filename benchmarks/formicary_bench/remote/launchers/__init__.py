"""How host agents are started, and where hosts come from: `catalogue` knows each way by its name.

- `launcher`: A *provider* says which hosts there are; its *launcher* starts a host agent on each.
- `ssh`: by SSH. `commands`: by a command, on a job's nodes or an inventory's hosts, or on this machine alone.
"""
