"""What can be asked of a container beside its agents: whether it is open, and what it has of the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.conversing import Conversing
from formicary.core.errors import ContainerClosedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary.container.dispatcher import Dispatcher
    from formicary.container.facilities import Facilities
    from formicary.container.link_status import LinkStatus
    from formicary.core.scheduler import Scheduler
    from formicary.directory.interface import Directory
    from formicary.management.guest import GuestServices
    from formicary.management.management import Management
    from formicary.management.services import PlatformServices
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.service import ConversationService


class BaseContainer(Conversing):
    """What a container has beside its agents, and how it is run; users have `Container`, the one subclass."""

    name: str
    dispatcher: Dispatcher
    _facilities: Facilities

    @property
    def is_open(self) -> bool:
        """Whether agents can be started here."""
        return self.dispatcher.scheduler is not None and not self.dispatcher.is_closing

    def not_open_error(self) -> ContainerClosedError:
        """Return the error of what needs an open container."""
        return ContainerClosedError(f"container {self.name} is not open; use `async with container`")

    def other_loop_error(self) -> ContainerClosedError:
        """Return the error of what is done in another event loop than the container's."""
        return ContainerClosedError(
            f"container {self.name} was opened in another event loop; open, use and close it within "
            "one asyncio.run(), or in the cells of a notebook"
        )

    @property
    def scheduler(self) -> Scheduler:
        """Who runs the agents, and who can be asked to call back; for transports and services.

        Raises:
            ContainerClosedError: the container was never opened.
        """
        if self.dispatcher.scheduler is None:
            raise self.not_open_error()
        return self.dispatcher.scheduler

    # -- conversations --------------------------------------------------------------------------------------

    @property
    def conversation_service(self) -> ConversationService:
        """What the agents' conversations go through; for agents and what is below.

        Raises:
            ContainerClosedError: the container was never opened.
        """
        return self._facilities.conversations or self._facilities.open_conversations()

    @property
    def conversations(self) -> Conversations:
        """The conversations of what is no agent, such as a script or a notebook.

        Raises:
            ContainerClosedError: the container is not open.
        """
        if not self.is_open:
            raise self.not_open_error()
        return self.conversation_service.outside()

    def container_lost(self, domain: str) -> None:
        """Called when the link to another container has ended; its agents will answer nothing any more."""
        if self._facilities.conversations is not None:
            self._facilities.conversations.container_lost(domain)

    # -- the platform ---------------------------------------------------------------------------------------

    @property
    def platform_services(self) -> PlatformServices | GuestServices:
        """The services of the platform, for agents and for what is below.

        Raises:
            ContainerClosedError: the container is not open.
        """
        if not (self.is_open or self._facilities.serves_agents):
            raise self.not_open_error()
        return self._facilities.services or self._facilities.open_services()

    @property
    def management(self) -> Management:
        """The white pages of the platform, and what can be done with agents of any of its containers.

        Raises:
            ContainerClosedError: the container is not open.
        """
        return self.platform_services.management

    @property
    def directory(self) -> Directory:
        """The platform's directory of services, to search and to watch; agents register by their own.

        Raises:
            ContainerClosedError: the container is not open.
        """
        return self.platform_services.directory

    @property
    def members(self) -> Mapping[str, int]:
        """The platform's containers by domain, as far as they are known here, this one included.

        The value is a container's incarnation: about when it was started, in microseconds since 1970. A guest
        knows the platform's container only, as long as that is there.
        """
        return self.platform_services.members

    @property
    def links(self) -> tuple[LinkStatus, ...]:
        """What is known now about the links to other containers."""
        return () if self.dispatcher.transport is None else self.dispatcher.transport.status()

    @property
    def join_address(self) -> str:
        """What other containers need to `join` this one: text with a secret in it.

        Raises:
            ContainerClosedError: the container is not open, or does not `listen`.
        """
        address = getattr(self.dispatcher.transport, "join_address", None)
        if address is None:
            raise ContainerClosedError(
                f"container {self.name} cannot be joined; open it with listen='127.0.0.1' and no server"
            )
        return str(address)
