"""How host agents are started, and where hosts come from: each way is a module and a line of `catalogue`.

- `launcher`: A *provider* says which hosts there are; its *launcher* starts a host agent on each.
- `ssh`: hosts of an inventory, by SSH. `local`: this machine, as several hosts. `slurm`: the nodes of a job.
"""
