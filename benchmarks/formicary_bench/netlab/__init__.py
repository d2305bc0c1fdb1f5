"""Hosts on one machine: network namespaces that a bridge joins, with an SSH server in each.

- `make`, `remove`, `status`: `formicary hosts lab up`, `down` and `status`.
- `lab`: what a lab consists of; `folder`: what is remembered of it; `inventory_file`: its hosts.toml.
- `network`, `ssh`, `processes`: its network, its SSH servers, what runs on its hosts.
- `programs`: the system's programs that it is made with; `errors`: what may go wrong.
"""

CPU_GROUP = "runtime"
