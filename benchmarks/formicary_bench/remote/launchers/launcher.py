"""What provides hosts, and what starts host agents on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.remote.host_agent.program import HostProgram
    from formicary_bench.remote.inventory import Host, Inventory


class Launcher(Protocol):
    """Starts host agents; used within one event loop.

    Attributes:
        notes: what a user should know of how hosts are reached, in sentences; complete when all have been
            launched.
    """

    notes: list[str]

    async def launch(self, host: Host) -> HostProgram:
        """Start a host agent, and hear that it is there and that its code is ours.

        Raises:
            HostError: it cannot be started; says why, and what to do.
        """

    def address(self, host: Host) -> str:
        """Return the IP address at which other hosts reach one on which a host agent was started.

        Raises:
            HostError: it is not known.
        """

    async def close(self) -> None:
        """Close what it has opened, and end what it has started; nothing on other hosts is waited for."""


class Provider(NamedTuple):
    """Which hosts there are.

    Attributes:
        inventory: the hosts.
        options: what chooses them on the command line: `--hosts hosts.toml`.
        launcher: returns what starts host agents on these hosts; raises a HostError where what does so is not
            installed.
    """

    inventory: Inventory
    options: str
    launcher: Callable[[], Launcher]
