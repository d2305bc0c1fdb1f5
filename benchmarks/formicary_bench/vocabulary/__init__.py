"""The words that all parts of the laboratory share: placements, routes, roles, traffic."""

CPU_GROUP = "runtime"
