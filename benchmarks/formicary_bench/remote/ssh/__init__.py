"""SSH to the hosts of a run.

- `connection`: connections, verified always; `keys`: by which both ends are known.
"""
