"""Many hosts: who they are, how they are reached, what runs there for a measurement.

- `inventory`, `inventory_file`, `inventory_values`: the file hosts.toml.
- `launchers`: how host agents are started, and where hosts come from: SSH, a command, this machine.
- `ssh`: connections, and the keys by which both ends are known.
- `session`: all hosts of a run; `workers`: workers and windows on them, as the runner sees them.
- `host_agent`: the program of a run on each host, and the controller's side of it.
- `bootstrap`: programs for hosts on which nothing is installed yet; the standard library alone.
- `provisioning`: `formicary hosts prepare`: runs those programs, and makes, fetches and keeps archives.
- `checks` and `clean`: `formicary hosts check` and `formicary hosts clean`.
- `clocks`, `errors`, `extra`, `folders`, `steps`: what several of them need.
"""

CPU_GROUP = "runtime"
