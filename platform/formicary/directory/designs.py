"""The designs of a directory."""

REPLICA = "replica"
"""The design in which each container has all entries."""

DIRECTORIES = {REPLICA: "", "central": "formicary.directory.central.client:CentralDirectory"}
"""All designs, with the clients of those in which an agent has the entries. Others may be added."""
