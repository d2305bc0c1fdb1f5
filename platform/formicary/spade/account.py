"""SPADE agents with an account on the private server where the containers meet."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary import XmppAgent
from formicary.server import AccountAddress, ServerAccounts, read_accounts
from formicary.spade.body import Body
from formicary.spade.jid import name_of
from formicary.spade.presence import PresenceInfo, PresenceShow, PresenceType

if TYPE_CHECKING:
    from pathlib import Path

    from formicary.spade.agent import Agent
    from formicary.xmpp import Contact, PresenceState


OFFLINE = PresenceInfo(PresenceType.UNAVAILABLE, PresenceShow.NONE, None)


class Accounts:
    """The accounts of a private server at the time of the first lookup."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reading: asyncio.Task[ServerAccounts] | None = None

    async def body(self, agent: Agent) -> Body:
        """Return an agent's body, which logs in if the agent has an account.

        Raises:
            ServerError: the server cannot be queried.
            UsageError: the agent has an account, but the dependencies for accounts are not installed.
        """
        if self._reading is None:
            self._reading = asyncio.create_task(asyncio.to_thread(read_accounts, self._folder))
        accounts = await asyncio.shield(self._reading)
        name, jid = name_of(agent.jid), agent.jid.bare
        if jid not in accounts.jids:
            reason = (
                f"the server has no account {jid}; create it before starting the program: formicary "
                f"server account add {jid}{accounts.option}"
            )
        elif not agent.password:
            reason = f"{jid} is an account, and the program passes no password for it"
        else:
            return AccountBody(name, agent, accounts.address(jid, agent.password))
        return Body(name, agent, f"the presence of {jid} (agent.presence) is not visible: {reason}")


class AccountBody(Body, XmppAgent):
    """A body that logs in before the program's `setup`, and out at its end.

    Args:
        name: its name in the container.
        owner: the SPADE agent.
        account: its account.
    """

    __slots__ = ()

    def __init__(self, name: str, owner: Agent, account: AccountAddress) -> None:
        XmppAgent.__init__(self, account, name)
        self.owner = owner

    def bring_presence(self) -> None:
        """Connect the agent's presence to its account."""
        manager = self.owner.presence
        manager.account = presence = self.presence

        def seen(address: str, state: PresenceState) -> None:
            kind = "available" if state.is_available else "unavailable"
            parts = {"show": state.show, "status": state.status, "priority": state.priority}
            manager.handle_presence({"from": address, "type": kind} | parts)

        def listed(contact: Contact) -> None:
            ask = "subscribe" if contact.is_asked else "none"
            name = contact.name or contact.address
            manager.handle_contact(contact.address, name, contact.subscription, ask, list(contact.groups))

        def said(kind: str, address: str) -> None:
            if kind == "subscribe":  # approve and subscribe back, as slixmpp does for SPADE
                presence.approve(address)
                presence.subscribe(address)
            manager.handle_subscription({"from": address, "type": kind})

        presence.on_presence, presence.on_contact = seen, listed
        presence.on_subscribe = lambda address: said("subscribe", address)
        presence.on_subscribed = lambda address: said("subscribed", address)
        presence.on_unsubscribe = lambda address: said("unsubscribe", address)
        presence.on_unsubscribed = lambda address: said("unsubscribed", address)
        for contact in presence.contacts.values():
            listed(contact)

    async def log_out(self) -> None:
        """Log out, and wait until the server confirms."""
        if self._client is not None:
            await self._client.close()
        if self.owner.presence.current_presence is not None:
            self.owner.presence.current_presence = OFFLINE
