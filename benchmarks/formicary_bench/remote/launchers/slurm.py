"""The nodes of a Slurm job: the platform's launcher has `srun` start a host agent on each."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from formicary.local.launchers import SlurmLauncher as Nodes
from formicary_bench.remote.inventory import Host, Inventory
from formicary_bench.remote.launchers.launcher import Provider
from formicary_bench.remote.launchers.local import LocalLauncher

if TYPE_CHECKING:
    from formicary_bench.remote.host_agent.program import HostProgram

_ADVICE = f"all nodes are to have the formicary of this one in {sys.prefix}: is that folder shared?"


def slurm_provider(interface: str) -> Provider:
    """Return the nodes of the job that this process runs in.

    Args:
        interface: the network interface by which they are to talk; empty for the only one, or that of the
            node's name.

    Raises:
        UsageError: there is no job, or Slurm's commands are missing.
    """
    nodes = Nodes(interface)
    hosts = (Host(name=_host_name(node), address=node, interface=interface) for node in nodes.nodes)
    inventory = Inventory(f"job {os.environ['SLURM_JOB_ID']}", tuple(hosts))
    options = "--launcher slurm" + (f" --interface {interface}" if interface else "")
    return Provider(inventory, options, lambda: SlurmLauncher(nodes))


class SlurmLauncher(LocalLauncher):
    """Has `srun` start a host agent on each node; see `Launcher`.

    Args:
        nodes: says how.
    """

    def __init__(self, nodes: Nodes) -> None:
        super().__init__()
        self._nodes = nodes
        self._addresses: dict[str, str] = {}

    async def launch(self, host: Host) -> HostProgram:
        """Start a host agent, and hear where it is reached."""
        rank = self._nodes.nodes.index(host.address)
        program = await self.start(host, ["--node"], _ADVICE, self._nodes.place(rank).command)
        said = await program.greet()
        self._addresses[host.name] = said.address
        self.notes.append(f"host {host.name} is rank {rank}, by {said.interface} at {said.address}")
        return program

    def address(self, host: Host) -> str:
        """Return what the host agent has said."""
        return self._addresses[host.name]


def _host_name(node: str) -> str:
    """Return a node's name as one of ours: a-z, 0-9 and inner hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", node.lower()).strip("-")[:63]
