"""The public class of a container's gateway."""

from __future__ import annotations

import ipaddress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

from formicary.errors import UsageError
from formicary.extending import check_duration, check_platform, get_logger
from formicary.gateway.peers import Peers
from formicary.gateway.translation import Translator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formicary import Container
    from formicary.gateway.inbound import Inbound
    from formicary.gateway.outbound import Outbound

logger = get_logger("formicary.gateway")

PORT = 7778
"""The default port, the same as JADE's."""

LIMIT = 1 << 20
"""The default size limit of a message in bytes."""

_HIGHEST = 65_535


class Gateway:
    """Connects a container's agents with those of other FIPA platforms, such as JADE.

    Use it as an async context manager while the container is open. An agent `seller@jade-platform` is
    `seller%jade-platform` to the agents of this container, and `seller%jade-platform@c1` to those of others;
    ours have their full names there. `peers` contains platforms' addresses; others are learned from their
    messages.

    Args:
        container: the container; the platform's other containers are reached through it.
        host: the IP address of this host to listen at, such as `"192.168.1.7"` for other hosts.
        port: the port to listen at; 0 for any free one.
        peers: where other platforms accept messages, by name, such as
            `{"jade-platform": "http://127.0.0.1:7779/acc"}`.
        strangers: whether to accept messages from platforms that are not peers, and to answer at the address
            that they give, if it is public. None: only when listening on loopback.
        address: the address for others, if not the one it listens on.
        limit: the largest message, in bytes, both ways.
        timeout: seconds for another platform to accept a message.
        connections: how many connections others may open; at most an eighth of the limit on open files.

    Attributes:
        address: the address it announces to other platforms.

    Raises:
        UsageError: an argument is invalid, or aiohttp is not installed.
        InvalidNameError: a platform's name is invalid.
    """

    def __init__(
        self,
        container: Container,
        *,
        host: str = "127.0.0.1",
        port: int = PORT,
        peers: Mapping[str, str | Sequence[str]] | None = None,
        strangers: bool | None = None,
        address: str | None = None,
        limit: int = LIMIT,
        timeout: float = 30.0,
        connections: int = 100,
    ) -> None:
        require_extra()
        ip = _check_host(host)
        if not 0 <= port <= _HIGHEST:
            raise UsageError(f"a port must be a number from 0 to {_HIGHEST}, not {port}")
        check_duration(timeout, "timeout=")
        if min(limit, connections) <= 0:
            raise UsageError("limit= and connections= of a gateway must be more than 0")
        if ip.is_unspecified and address is None:
            raise UsageError(
                f"{host} is not an address that others can reach: set one, as in "
                f"address='http://192.168.1.7:{port}/acc'"
            )
        check_platform(container.platform)
        self._container = container
        self._host, self._port = host, port
        self._limit, self._timeout, self._connections = limit, timeout, connections
        self.is_public = not ip.is_loopback
        self._peers = Peers(takes_strangers=ip.is_loopback if strangers is None else strangers)
        for name, given in (peers or {}).items():
            self.know(name, given)
        self.address = address or ""
        self._inbound: Inbound
        self._outbound: Outbound

    def know(self, platform: str, addresses: str | Sequence[str]) -> None:
        """Set where another platform accepts messages, overriding its own messages.

        Args:
            platform: its name, which JADE prints when it starts: the part of agents' names after the `@`.
            addresses: one, such as `"http://127.0.0.1:7779/acc"`, or several, best first.

        Raises:
            UsageError: an address is invalid.
        """
        self._peers.name(platform, [addresses] if isinstance(addresses, str) else addresses)

    def name_of(self, agent: str) -> str:
        """Return the full name here of another platform's agent, for `to` of a message.

        Args:
            agent: its FIPA name, such as `"seller@jade-platform"`.

        Raises:
            InvalidNameError: the name cannot be part of an address.
        """
        from formicary.gateway.foreign_names import to_local

        return f"{to_local(agent)}@{self._container.domain}"

    @property
    def received(self) -> int:
        """How many messages from other platforms were accepted."""
        return self._inbound.received

    @property
    def refused(self) -> int:
        """How many requests were refused, each with a reason."""
        return self._inbound.refused

    @property
    def sent(self) -> int:
        """How many messages other platforms have accepted."""
        return self._outbound.sent

    # -- life cycle -----------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        """Open the gateway.

        Raises:
            LinkError: it cannot listen there.
            ContainerClosedError: the container is not open.
            UsageError: the container already has a gateway.
        """
        from formicary.gateway.inbound import PATH, Inbound
        from formicary.gateway.outbound import Outbound

        container = self._container
        if not container.is_open:
            raise container.not_open_error()
        if container.dispatcher.foreign is not None:
            raise UsageError(f"container {container.name} has a gateway already")
        translator = Translator(container.domain, container.platform, self.address, self._peers)
        self._inbound = Inbound(container, translator, self._peers, self._limit, self._connections)
        port = self._inbound.open(self._host, self._port)
        host = f"[{self._host}]" if ":" in self._host else self._host
        self.address = translator.address = self.address or f"http://{host}:{port}{PATH}"
        self._outbound = Outbound(container, translator, self._peers, self._timeout, self._limit)
        container.dispatcher.foreign = self._outbound
        if self.is_public:
            logger.warning(
                "the gateway of container %s listens at %s, also for other hosts, and accepts "
                "messages from %s",
                container.name,
                self.address,
                "anybody" if self._peers.takes_strangers else ", ".join(self._peers.named) or "nobody",
            )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop accepting messages, deliver waiting ones for some seconds, and close."""
        try:
            await self._inbound.close()
        finally:
            try:
                await self._outbound.close()
            finally:
                self._container.dispatcher.foreign = None


def require_extra() -> None:
    """Check that the gateway's dependencies are installed.

    Raises:
        UsageError: they are not.
    """
    if find_spec("aiohttp") is None:
        raise UsageError("a gateway needs an extra; install it with: pip install 'formicary[gateway]'")


def _check_host(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        raise UsageError(
            f"a gateway must listen at an IP address of this host, such as '127.0.0.1', not {host!r}"
        ) from None
