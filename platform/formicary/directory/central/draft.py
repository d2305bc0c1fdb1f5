"""Plans the changes of requests on a draft, where later requests see those of earlier ones.

A plan checks everything before it changes anything: one that raises has changed nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.core.errors import AlreadyRegisteredError, DirectoryError, NotRegisteredError
from formicary.directory.central.store import Key, Member, Registration, Subscription, Visitor
from formicary.directory.model.description import MOST_SERVICES, too_many

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from formicary.directory.central.ledger import Ledger
    from formicary.directory.central.store import Record
    from formicary.directory.language import Deregister, Modify, Register
    from formicary.directory.model.description import ServiceDescription

MOST_SUBSCRIPTIONS: Final = 20_000
"""The most subscriptions to one directory."""


class Draft:
    """Pending changes to a directory's records."""

    __slots__ = ("_records", "changes")

    def __init__(self, records: Ledger) -> None:
        self._records = records
        self.changes: dict[Key, Record | None] = {}
        """Records to put under their keys, in this order; None to remove one."""

    def has(self, key: Key) -> bool:
        """Return whether there would be a record under a key."""
        if self.changes and key in self.changes:
            return self.changes[key] is not None
        return key in self._records

    def get_other(self, key: Key) -> Record | None:
        """Return the record that would be under a key, other than a service's."""
        return self.changes[key] if key in self.changes else self._records.others.get(key)

    def put(self, record: Record) -> None:
        """Add or replace a record."""
        key = record.key
        if self.changes:
            self.changes.pop(key, None)  # in the order of the last changes
        self.changes[key] = record

    def remove(self, keys: Iterable[Key]) -> None:
        """Remove records, if they exist."""
        for key in keys:
            if self.has(key):
                self.changes[key] = None

    def keys_of(self, agent: str) -> list[Key]:
        """Return the keys that an agent's services would have."""
        keys = dict.fromkeys(self._records.index.keys_of(agent))
        keys.update((key, None) for key in self.changes if key.agent == agent and key.kind == "service")
        return [key for key in keys if self.has(key)]

    def check_room(self, services: Sequence[ServiceDescription]) -> None:
        """Check that agents may have these services in addition to those that they would have.

        Raises:
            TooManyServicesError: one of them would have too many.
        """
        for agent in dict.fromkeys(service.agent for service in services):
            # An exact count is slow, and needed only if it may be too many.
            if self._records.index.count_of(agent) + len(self.changes) + len(services) > MOST_SERVICES:
                keys = {service_key(service) for service in services if service.agent == agent}
                new = [key for key in keys if not self.has(key)]
                if new and len(new) + len(self.keys_of(agent)) > MOST_SERVICES:
                    raise too_many(agent)

    def count_others(self) -> int:
        """Return the number of subscriptions and containers."""
        return len(self._records.others) - len(self._records.visitors)

    def keys_in(self, domain: str) -> list[Key]:
        """Return the keys of all records that a container's agents would have."""
        keys = dict.fromkeys(self._records.keys_in(domain))
        visitors = self._visitors()
        if visitors is not self._records.visitors:
            keys.update((key, None) for key in (*self._records.index, *self._records.others))
        keys.update((key, None) for key in self.changes)
        return [key for key in keys if is_in(key.agent, domain, visitors) and self.has(key)]

    def _visitors(self) -> Mapping[str, str]:
        """Return where agents that have moved would live."""
        visitors = self._records.visitors
        for key, record in self.changes.items():
            if key.kind == "visitor":
                if visitors is self._records.visitors:
                    visitors = dict(visitors)
                if isinstance(record, Visitor):
                    visitors[key.agent] = record.domain
                else:
                    visitors.pop(key.agent, None)
        return visitors

    def keys_of_all(self, agents: Collection[str]) -> list[Key]:
        """Return the keys of all records that agents would have; scans all records but services."""
        if not agents:
            return []
        keys = [key for agent in agents for key in self.keys_of(agent)]
        keys += [key for key in (*self._records.others, *self.changes) if key.agent in agents]
        return [key for key in dict.fromkeys(keys) if self.has(key)]


def is_in(agent: str, domain: str, visitors: Mapping[str, str]) -> bool:
    """Return whether an agent lives in the container with a domain."""
    if visitors and agent in visitors:
        return visitors[agent] == domain
    return agent.endswith(domain) and agent[: -len(domain)].endswith("@")


def service_key(service: ServiceDescription) -> Key:
    """Return the key of a service."""
    return Key(service.agent, "service", service.name)


def register(draft: Draft, request: Register) -> None:
    """Add services.

    Raises:
        AlreadyRegisteredError: one of them is registered.
        TooManyServicesError: an agent would have too many.
    """
    for service in request.services:
        if draft.has(service_key(service)):
            raise AlreadyRegisteredError(
                f"{service.agent} has a service named {service.name!r} already; modify that one, or "
                "choose another name"
            )
    put(draft, request.services, request.lease)


def modify(draft: Draft, request: Modify) -> None:
    """Replace services of the same names.

    Raises:
        NotRegisteredError: one of them is not registered.
    """
    check_registered(draft, map(service_key, request.services))
    put(draft, request.services, request.lease)


def put(draft: Draft, services: Sequence[ServiceDescription], lease: float | None) -> None:
    """Add or replace services; TooManyServicesError if an agent would have too many."""
    draft.check_room(services)
    for service in services:
        draft.put(Registration(service, lease))


def deregister(draft: Draft, request: Deregister) -> None:
    """Remove services of an agent; NotRegisteredError if one of them is missing, or the agent has none."""
    keys = [Key(request.agent, "service", name) for name in request.names]
    check_registered(draft, keys)
    if not request.names:
        keys = draft.keys_of(request.agent)
    if not keys:
        raise NotRegisteredError(f"{request.agent} has no services; there is nothing to deregister")
    draft.remove(keys)


def check_registered(draft: Draft, keys: Iterable[Key]) -> None:
    """Check that services are registered; NotRegisteredError if one of them is not."""
    for key in keys:
        if not draft.has(key):
            raise NotRegisteredError(f"{key.agent} has no service named {key.name!r}; register it first")


def host(draft: Draft, agents: Mapping[str, int | None], domain: str) -> None:
    """Record that agents live in a container, or have ended there, unless they have moved on since.

    Args:
        draft: the draft to change.
        agents: how often each had moved when it arrived there; None if it has ended.
        domain: the container's.
    """
    ended = set()
    for agent, moves in agents.items():
        known = draft.get_other(Key(agent, "visitor", ""))
        assert known is None or isinstance(known, Visitor)
        if moves is None:
            if known is not None and known.domain == domain:
                ended.add(agent)
        elif known is None or moves > known.moves:
            draft.put(Visitor(agent, domain, moves))
    draft.remove(draft.keys_of_all(ended))


def subscribe(draft: Draft, subscription: Subscription) -> None:
    """Add a subscription.

    Raises:
        AlreadyRegisteredError: the agent has one in this conversation.
        DirectoryError: there are too many subscriptions.
    """
    if draft.has(subscription.key):
        raise AlreadyRegisteredError(
            f"{subscription.agent} has a subscription in the conversation "
            f"{subscription.conversation_id!r} already; cancel that one, or choose another "
            "conversation_id"
        )
    if draft.count_others() >= MOST_SUBSCRIPTIONS:
        raise DirectoryError(
            f"there are already {MOST_SUBSCRIPTIONS} subscriptions; cancel some, or try again later"
        )
    draft.put(subscription)


def cancel(draft: Draft, key: Key) -> None:
    """Remove a subscription; NotRegisteredError if there is none."""
    if not draft.has(key):
        raise NotRegisteredError(f"{key.agent} has no subscription in the conversation {key.name!r}")
    draft.remove([key])


def join(draft: Draft, member: Member) -> None:
    """Record a container, and remove the records of an earlier one of this domain.

    Records from before the container was known are removed, too: they may be an earlier one's, and living
    agents are registered again.
    """
    if draft.get_other(member.key) != member:
        leave(draft, member.domain)
        draft.put(member)


def leave(draft: Draft, domain: str) -> None:
    """Remove a container, with all records of its agents."""
    draft.remove([*draft.keys_in(domain), Key(domain, "member", "")])
