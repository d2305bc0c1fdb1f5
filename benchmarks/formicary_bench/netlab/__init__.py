"""Hosts on one machine: network namespaces that a bridge joins, with an SSH server in each."""

CPU_GROUP = "runtime"
