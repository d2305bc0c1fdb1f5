"""A look-up server: names and types to services, each for a limited time that cannot be renewed.

It is the design of AgentScape's look-up service, to be compared with the others: nothing to keep on a disk,
nobody to tell, and whatever its agents do, an entry ends by itself.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from formicary.core.errors import DirectoryRequestError
from formicary.directory.central import draft as plans
from formicary.directory.central.answering import AnsweringAgent
from formicary.directory.central.store import Registration
from formicary.directory.language import Register, Renew

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.core.message import Message
    from formicary.directory.central.draft import Draft
    from formicary.directory.language import Modify, Search

EXPIRY = 300.0
"""Seconds that an entry stays, where nothing else is said."""


class LookupAgent(AnsweringAgent):
    """An agent that is asked for services by their name or type, and forgets them when their time is over.

    It is asked as a `DirectoryAgent` is. A lease is how long an entry stays, `expiry` at most; to modify an
    entry does not prolong it. There are no subscriptions, and no other directories are asked.

    Args:
        name: its own name, unique in its container.
        expiry: how many seconds an entry stays.
        may_write: as of `AnsweringAgent`.

    Raises:
        InvalidNameError: the name cannot be an agent's.
    """

    def __init__(
        self,
        name: str = "df",
        *,
        expiry: float = EXPIRY,
        may_write: Callable[[str, str], bool] | None = None,
    ) -> None:
        super().__init__(name, None, may_write)
        self.expiry = expiry

    def _search(self, request: Search, message: Message) -> None:
        if request.query.type is None and request.query.name is None:
            raise DirectoryRequestError(
                "this directory only finds services by name or type; search for one of these",
                "unsupported-function",
            )
        super()._search(request, message)

    def _lives_in(self, agent: str, domain: str) -> bool:
        """Tell whether a container may write for an agent: it is not known here where agents live."""
        del domain
        return self._is_of_platform(agent.partition("/")[0].partition("@")[2])

    def _plan(self, request: Register | Modify | Renew) -> tuple[str, Callable[[Draft], None]]:
        if isinstance(request, Register):
            lease = min(request.lease or self.expiry, self.expiry)
            return "register", partial(plans.register, request=Register(request.services, lease))
        if isinstance(request, Renew):
            raise DirectoryRequestError(
                "this directory has no renewals; register again when the time is over", "unsupported-function"
            )
        return "modify", partial(self._modify, request=request)

    def _modify(self, draft: Draft, request: Modify) -> None:
        keys = [plans.service_key(service) for service in request.services]
        plans.check_registered(draft, keys)
        leases = self.ledger.leases
        assert leases is not None  # all that is registered has one
        for key, service in zip(keys, request.services, strict=True):
            draft.put(Registration(service, leases.left(key)))
