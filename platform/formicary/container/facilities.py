"""Everything in a container beside its agents, opened, and imported, when first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.delivery.protocols import Connectable

if TYPE_CHECKING:
    from formicary.compute.pool import Means, Pool
    from formicary.container.container import Container
    from formicary.container.options import ConnectionOptions
    from formicary.delivery.protocols import Transport
    from formicary.management.guest import GuestServices
    from formicary.management.services import PlatformServices
    from formicary.protocols.service import ConversationService
    from formicary.server.account import AccountAddress
    from formicary.server.address import ServerAddress
    from formicary.transport.addresses import JoinAddress


class Facilities:
    """The transport, the services, the conversations and the workers of a container.

    Args:
        container: the container.
        meeting: where it meets others: a server, or the container that it joins; None where there is none.
        connection: how it wants to reach others, and to be reached.
        compute_in: what runs what is computed.

    Attributes:
        services: those of the platform, once somebody has asked for one.
        conversations: what they go through, once somebody has asked or taken part.
        serves_agents: from when it is open until its agents have stopped.
    """

    def __init__(
        self,
        container: Container,
        meeting: ServerAddress | AccountAddress | JoinAddress | Connectable | None,
        connection: ConnectionOptions,
        compute_in: Means,
    ) -> None:
        self._container = container
        self._meeting = meeting
        self.connection = connection
        self._compute_in = compute_in
        self.services: PlatformServices | GuestServices | None = None
        self.conversations: ConversationService | None = None
        self._pool: Pool | None = None
        self.serves_agents = False

    async def open(self) -> None:
        """Open what cannot wait: where there are others to reach, or agents that sleep."""
        transport, options = self._make_transport(), self._container.service_options
        if transport is not None or options.directory != "replica" or options.sleepers is not None:
            await self._open_with_services(transport)
        self.serves_agents = True

    async def _open_with_services(self, transport: Transport | None) -> None:
        services = self.open_services(transport)
        await services.open()
        if transport is None:
            return
        try:
            await transport.open(self._container)
        except BaseException:
            await services.close()
            raise
        self._container.dispatcher.transport = transport
        try:
            await services.start()
        except BaseException:  # it is cancelled, and others may have sent agents by now
            await self._container.lifecycle.stop_all()
            await self.close_services()
            raise

    def _make_transport(self) -> Transport | None:
        meeting = self._meeting
        if meeting is None and self.connection.listen is None:
            return None
        if isinstance(meeting, Connectable):
            return meeting.transport(self.connection)
        from formicary.transport import connect

        return connect(meeting, self.connection)

    def open_services(self, transport: Transport | None = None) -> PlatformServices | GuestServices:
        """Make the services of the platform."""
        if self._container.is_guest:
            from formicary.management.guest import GuestServices

            self.services = GuestServices(self._container)
        else:
            from formicary.management.services import PlatformServices

            self.services = PlatformServices(self._container, transport)
        self._container.lifecycle.on_gone = self.services.agent_gone
        return self.services

    def open_conversations(self) -> ConversationService:
        """Make what the agents' conversations go through."""
        from formicary.protocols.service import ConversationService

        self.conversations = self._container.dispatcher.conversations = ConversationService(self._container)
        return self.conversations

    def pool(self) -> Pool:
        """Return the container's workers.

        Raises:
            ContainerClosedError: its agents have stopped, or it was never opened.
        """
        if not self.serves_agents:
            raise self._container.not_open_error()
        if self._pool is None:
            from formicary.compute.pool import Pool

            self._pool = Pool(self._container.name, self._compute_in)
        return self._pool

    async def close_work(self) -> None:
        """Close what agents have begun here; to be called when they have stopped."""
        try:
            if self.conversations is not None:
                await self.conversations.close()
        finally:
            self.serves_agents = False
            if self._pool is not None:
                await self._pool.close()

    async def close_services(self) -> None:
        """Close the services, and then the transport, when nothing is under way any more."""
        try:
            if self.services is not None:
                await self.services.close()
        finally:
            if (transport := self._container.dispatcher.transport) is not None:
                await transport.close()
