"""Where hosts come from, and how host agents start there.

- `launcher`: a *provider* lists hosts; its *launcher* starts a host agent on each
- `ssh`: by SSH; `commands`: by a command, on a job's nodes or an inventory's hosts, or on this machine
"""
