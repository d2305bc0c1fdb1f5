"""Many hosts: who they are, how they are reached, what runs there for a measurement.

Where things are: `inventory` (the file hosts.toml), `connection` and `keys` (SSH), `session` (all hosts of a
run), `protocol` and `framing` (what the controller and the deputy on each host say to each other), `link`,
`program` and `greeting` (the controller's side of that), `remote` (workers there, as the engine sees them),
`deputy` (the program on a host) with `crew` (its workers), `answers`, `counters` and `scratch`, and
`check`, `prepare` and `clean` (the commands `formicary hosts ...`), `lab` (hosts on one machine).

For these commands nothing has to be installed on a host: `helper` sends it the programs of `there`. What
`prepare` sends are wheels: `needs` says of what, `wheels` and `own_wheel` make them from what is installed
here, `downloads` fetches them for other Pythons, and `stock` keeps them.
"""

CPU_GROUP = "runtime"
