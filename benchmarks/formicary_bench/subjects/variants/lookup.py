"""A look-up server: services by name and type, each for a limited time that cannot be renewed.

This is the design of AgentScape's look-up service, for comparison: nothing is kept on disk, nobody is
notified, and entries expire whatever their agents do.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from formicary.directory.central import draft as plans
from formicary.directory.central.agent import DirectoryAgent
from formicary.directory.central.client import AGENT, CentralDirectory
from formicary.directory.central.store import Registration
from formicary.directory.language import Deregister, Host, Modify, Register, Renew, Subscribe
from formicary.errors import DirectoryRequestError

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary import Message
    from formicary.directory.central.draft import Draft
    from formicary.directory.language import Request, Search
    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.registrations import Registrations, Successor

EXPIRY = 300.0
"""Seconds until an entry expires, by default."""

_UNSUPPORTED = "unsupported-function"


class LookupAgent(DirectoryAgent):
    """An agent that answers searches for services by name or type, and forgets services when they expire.

    Its requests are those of `DirectoryAgent`. The lease of an entry is `expiry` at most; modifying an entry
    does not prolong it. There are no subscriptions, and no other directories are searched.

    Args:
        name: its own name, unique in its container.
        expiry: the seconds for which an entry stays.

    Raises:
        InvalidNameError: the name is not valid.
    """

    def __init__(self, name: str = AGENT, *, expiry: float = EXPIRY) -> None:
        super().__init__(name)
        self.expiry = expiry

    def container_joined(self, domain: str, incarnation: int) -> None:
        """Do nothing: entries expire on their own."""

    def container_lost(self, domain: str) -> None:
        """Do nothing: entries expire on their own."""

    def search(self, request: Search, message: Message) -> None:
        """Answer a search for a name or a type."""
        if request.query.type is None and request.query.name is None:
            raise DirectoryRequestError(
                "this directory only finds services by name or type; search for one of these", _UNSUPPORTED
            )
        super().search(request, message)

    def change(self, request: Request, message: Message) -> None:
        """Register or modify services, or remove them."""
        if isinstance(request, Subscribe):
            raise DirectoryRequestError("this directory has no subscriptions; search again", _UNSUPPORTED)
        if isinstance(request, Host):
            raise DirectoryRequestError("this directory keeps services where their agents live", _UNSUPPORTED)
        if isinstance(request, Renew):
            raise DirectoryRequestError(
                "this directory has no renewals; register again when the time is over", _UNSUPPORTED
            )
        super().change(request, message)

    def cancel(self, message: Message) -> None:
        """Refuse: there are no subscriptions."""
        del message
        raise DirectoryRequestError("this directory has no subscriptions to cancel", _UNSUPPORTED)

    def lives_in(self, agent: str, domain: str) -> bool:
        """Return whether a container may write for an agent; where agents live is not known here."""
        del domain
        return self.is_of_platform(agent.partition("/")[0].partition("@")[2])

    def plan(self, request: Register | Modify | Renew) -> tuple[str, Callable[[Draft], None]]:
        """Return the name of a request's action, and its plan."""
        if isinstance(request, Register):
            lease = min(request.lease or self.expiry, self.expiry)
            return "register", partial(plans.register, request=Register(request.services, lease))
        return "modify", partial(self._modify, request=request)

    def _modify(self, draft: Draft, request: Modify | Renew) -> None:
        keys = [plans.service_key(service) for service in request.services]
        plans.check_registered(draft, keys)
        leases = self.ledger.leases
        assert leases is not None  # every registered service has one
        for key, service in zip(keys, request.services, strict=True):
            draft.put(Registration(service, leases.left(key)))


class LookupDirectory(CentralDirectory):
    """A container's client of a look-up server: it passes on its agents' requests, and nothing else."""

    def make_agent(self) -> DirectoryAgent:
        """Return the look-up server for the platform's container."""
        return LookupAgent()

    async def put(self, agent: str, service: ServiceDescription, *, is_new: bool) -> None:
        """Register or replace a service."""
        del agent
        await self.ask(Register((service,)) if is_new else Modify((service,)))

    async def remove(self, agent: str, name: str | None) -> None:
        """Remove a service, or all of an agent's."""
        await self.ask(Deregister(agent, () if name is None else (name,)))

    def agent_gone(self, agent: str) -> None:
        """Do nothing: entries expire on their own."""

    def on_listed(self) -> None:
        """Do nothing: entries are not registered again."""

    def hand_over(self, agent: str) -> Registrations | None:
        """Return nothing: entries stay as they are."""

    def take_over(self, agent: str, registrations: Registrations) -> None:
        """Do nothing: entries stay as they are."""

    def release(self, agent: str, successor: Successor | None) -> None:
        """Do nothing: entries stay as they are."""
