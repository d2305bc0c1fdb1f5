"""How host agents are started, and where hosts come from: each way is a module and a line of `catalogue`.

- `launcher`: the two interfaces. A *provider* says which hosts there are; its *launcher* starts a host agent
  on each.
- `ssh`: hosts of an inventory, by SSH. `local`: this machine, as several hosts. `slurm`: the nodes of a job.
- `joining`: hosts that come by themselves, as started by `srun formicary hosts join`.
- `streams`: a host agent that is spoken with over a pair of asyncio's streams.
"""
