"""Agents with their own XMPP accounts."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from formicary import Agent, AgentState
from formicary.errors import AgentStateError, UsageError
from formicary.extending import get_logger
from formicary.server import AccountAddress, require_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.errors import LinkError
    from formicary.xmpp.client import AccountClient
    from formicary.xmpp.discovery import Discovery
    from formicary.xmpp.presence import Presence

    Setup = Callable[[Any], Coroutine[Any, Any, None]]

logger = get_logger("formicary")


class XmppAgent(Agent):
    """An agent that is also an ordinary XMPP user, with presence, contacts and service discovery.

    Other XMPP users see its account: its behaviours receive messages sent there, and their messages to
    addresses outside the platform come from the account. Agents of the platform know it by its name, and
    messages among them stay on the platform. It requires `formicary[accounts]`.

    It logs in when its container starts it, before its `setup`. If the connection is lost later, it
    reconnects by itself; messages to the outside wait until then.

    Args:
        account: the account, which only one agent can use: the server delivers messages to one session.
        name: the agent's name in its container; the account's if None.

    Raises:
        InvalidNameError: the name cannot be an agent's.
        UsageError: the account is invalid, or the dependencies of accounts are not installed.
    """

    def __init__(self, account: AccountAddress, name: str | None = None) -> None:
        given: object = account
        if not isinstance(given, AccountAddress):  # not quoted, as it may be the password
            raise UsageError(
                "an XmppAgent takes its account as "
                "formicary.server.AccountAddress('lab@example.org', password), not "
                f"{type(given).__name__}"
            )
        require_extra()
        super().__init__(account.jid.partition("@")[0] if name is None else name)
        self.account = account
        self._client: AccountClient | None = None
        self._presence: Presence | None = None
        self._discovery: Discovery | None = None

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Wrap a subclass's `setup` so that it logs in first."""
        super().__init_subclass__(**arguments)
        own = cls.__dict__.get("setup")
        if own is not None:
            cls.setup = _logged_in_first(own)  # type: ignore[assignment]  # the same, wrapped

    async def setup(self) -> None:
        """Prepare the agent once it has logged in; for subclasses."""
        await self._log_in()

    @property
    def presence(self) -> Presence:
        """The agent's presence and contacts.

        Raises:
            AgentStateError: the agent has not logged in yet.
        """
        if self._presence is None:
            raise self._too_early()
        return self._presence

    @property
    def discovery(self) -> Discovery:
        """Discovery of services (XEP-0030), of this agent and of others.

        Raises:
            AgentStateError: the agent has not logged in yet.
        """
        if self._discovery is None:
            raise self._too_early()
        return self._discovery

    def _too_early(self) -> AgentStateError:
        return AgentStateError(f"agent {self.name} logs in when its container starts it; use this in setup()")

    async def stop(self) -> None:
        """Stop the agent and log out."""
        await super().stop()
        if self.state is AgentState.GONE and self._client is not None:
            await self._client.close()

    async def _log_in(self) -> None:
        if self._client is not None:
            return
        from formicary.xmpp.client import AccountClient
        from formicary.xmpp.discovery import Discovery
        from formicary.xmpp.presence import Presence

        client = AccountClient(self, self.account, self._disconnected)
        self._presence = Presence(client, self.name, self.container.program_exit.request)
        self._discovery = Discovery(client, self.name)
        self._client = client
        await client.open()
        self.container.dispatcher.outlets[self.address] = client

    def _disconnected(self, error: LinkError) -> None:
        """Handle the final loss of the account's connection."""
        if self.state not in {AgentState.INITIATED, AgentState.GONE}:
            logger.error("agent %s has lost its account: %s", self.name, error)
            self.record_failure("account", error)

    def become_active(self, scheduler: Any, limit: int) -> None:
        """Start, and accept messages to the account."""
        super().become_active(scheduler, limit)
        assert self._client is not None
        self._client.begin_delivery()

    def become_gone(self) -> None:
        """Log out as the agent ends."""
        super().become_gone()
        if self._client is not None:
            self._client.begin_close()
            self.container.dispatcher.outlets.pop(self.address, None)


def _logged_in_first(setup: Setup) -> Setup:
    @functools.wraps(setup)
    async def logged_in(agent: XmppAgent) -> None:
        await XmppAgent.setup(agent)
        await setup(agent)

    return logged_in
