"""The subscriptions to a directory: subscribers are told at once what changes in one turn of the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.message import Message
from formicary.directory.language import SUBSCRIBE, encode_changes
from formicary.directory.model.description import Gone
from formicary.directory.model.interests import Interests
from formicary.fipa.language import LANGUAGE, ONTOLOGY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formicary.directory.central.store import Key, Subscription
    from formicary.directory.model.description import ServiceDescription

    Change = tuple[ServiceDescription | None, ServiceDescription | None]


class _Notification:
    """What one subscriber is to be told."""

    __slots__ = ("gone", "services", "subscription")

    def __init__(self, subscription: Subscription) -> None:
        self.subscription = subscription
        self.services: list[ServiceDescription] = []
        self.gone: list[Gone] = []


class Subscriptions:
    """The subscriptions to a directory."""

    def __init__(self, post: Callable[[Message], None], later: Callable[[Callable[[], None]], None]) -> None:
        self._post = post
        self._later = later
        self._interests: Interests[Key, Subscription] = Interests()
        self._changes: dict[Key, Change] = {}  # of this turn: what was there before it, and what is there now

    def __len__(self) -> int:
        return len(self._interests)

    def begin(self, subscription: Subscription, services: Sequence[ServiceDescription]) -> None:
        """Tell a subscriber what matches now, and from now on what changes; also to begin anew."""
        self.flush()
        self._add(subscription)
        self._inform(subscription, encode_changes(services, (), anew=True))

    def resume(self, subscription: Subscription) -> None:
        """Tell a subscriber what changes from now on."""
        self.flush()
        self._add(subscription)

    def end(self, subscription: Subscription) -> None:
        """Tell a subscriber nothing more, not even what has changed in this turn."""
        self._interests.discard(subscription.key, subscription.query)

    def changed(self, key: Key, before: ServiceDescription | None, after: ServiceDescription | None) -> None:
        """Note that a service has come, changed or gone."""
        if not self._interests:
            return
        if not self._changes:
            self._later(self.flush)
        noted = self._changes.get(key)
        self._changes[key] = (before if noted is None else noted[0], after)

    def flush(self) -> None:
        """Tell subscribers of all changes up to now."""
        if not self._changes:
            return
        changes, self._changes = self._changes, {}
        notifications: dict[int, _Notification] = {}
        for key, (before, after) in changes.items():
            if before != after:
                self._compare(key, before, after, notifications)
        bodies: dict[tuple[int, ...], list[str]] = {}  # many subscribers are told the same
        for item in notifications.values():
            told = (*map(id, item.services), 0, *map(id, item.gone))
            if told not in bodies:
                bodies[told] = [*encode_changes(item.services, item.gone)]
            self._inform(item.subscription, bodies[told])

    def _add(self, subscription: Subscription) -> None:
        self._interests.put(subscription.key, subscription.query, subscription)

    def _compare(
        self,
        key: Key,
        before: ServiceDescription | None,
        after: ServiceDescription | None,
        notifications: dict[int, _Notification],
    ) -> None:
        gone = Gone(key.agent, key.name)
        for subscription in self._interests.concerned(before, after):
            matches = subscription.query.matches
            comes = after is not None and matches(after)
            if not comes and not (before is not None and matches(before)):
                continue
            item = notifications.get(id(subscription))
            if item is None:
                item = notifications[id(subscription)] = _Notification(subscription)
            if comes and after is not None:
                item.services.append(after)
            else:
                item.gone.append(gone)

    def _inform(self, subscription: Subscription, bodies: Iterable[str]) -> None:
        for body in bodies:
            self._post(
                Message(
                    to=subscription.agent,
                    body=body,
                    performative="inform",
                    language=LANGUAGE,
                    ontology=ONTOLOGY,
                    protocol=SUBSCRIBE,
                    conversation_id=subscription.conversation_id,
                    in_reply_to=subscription.reply_with,
                )
            )
