"""A look-up server: names and types to services, each for a limited time that cannot be renewed.

It is the design of AgentScape's look-up service, to be compared with the others: nothing to keep on a disk,
nobody to tell, and whatever its agents do, an entry ends by itself.
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
    """An agent that is asked for services by their name or type, and forgets them when their time is over.

    It is asked as a `DirectoryAgent` is. A lease is how long an entry stays, `expiry` at most; to modify an
    entry does not prolong it. There are no subscriptions, and no other directories are asked.

    Args:
        name: its own name, unique in its container.
        expiry: how many seconds an entry stays.

    Raises:
        InvalidNameError: the name cannot be an agent's.
    """

    def __init__(self, name: str = AGENT, *, expiry: float = EXPIRY) -> None:
        super().__init__(name)
        self.expiry = expiry

    def container_joined(self, domain: str, incarnation: int) -> None:
        """Do nothing: entries end by themselves."""

    def container_lost(self, domain: str) -> None:
        """Do nothing: entries end by themselves."""

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
        """Return whether a container may write for an agent: where agents live is not known here."""
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
        assert leases is not None  # all that is registered has one
        for key, service in zip(keys, request.services, strict=True):
            draft.put(Registration(service, leases.left(key)))


class LookupDirectory(CentralDirectory):
    """A container's client of a look-up server: it tells the server what its agents say, and nothing else."""

    def make_agent(self) -> DirectoryAgent:
        """Return the look-up server, for the platform's container."""
        return LookupAgent()

    async def put(self, agent: str, service: ServiceDescription, *, is_new: bool) -> None:
        """Register a service, or put it in its own place."""
        del agent
        await self.ask(Register((service,)) if is_new else Modify((service,)))

    async def remove(self, agent: str, name: str | None) -> None:
        """Remove a service, or all of an agent's."""
        await self.ask(Deregister(agent, () if name is None else (name,)))

    def agent_gone(self, agent: str) -> None:
        """Do nothing: entries end by themselves."""

    def on_listed(self) -> None:
        """Do nothing: entries are not registered again."""

    def hand_over(self, agent: str) -> Registrations | None:
        """Return nothing: entries stay as they are."""

    def take_over(self, agent: str, registrations: Registrations) -> None:
        """Do nothing: entries stay as they are."""

    def release(self, agent: str, successor: Successor | None) -> None:
        """Do nothing: entries stay as they are."""
