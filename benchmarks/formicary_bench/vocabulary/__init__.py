"""The vocabulary of all parts of the laboratory: placements, routes, roles, traffic."""

CPU_GROUP = "runtime"
