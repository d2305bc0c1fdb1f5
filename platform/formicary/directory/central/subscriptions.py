"""The subscriptions to a directory: one notification for all changes in one turn of the loop."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from formicary.core.message import Message
from formicary.directory.language import SUBSCRIBE, encode_changes
from formicary.directory.model.description import Gone
from formicary.fipa.language import LANGUAGE, ONTOLOGY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from formicary.directory.central.store import Key, Subscription
    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.entries import Entries, QueryWatch

    Change = tuple[ServiceDescription | None, ServiceDescription | None]


class Subscriptions:
    """The subscriptions to a directory.

    Args:
        entries: the directory's entries.
        post: sends a message.
        later: calls a function at the end of the turn of the loop.
    """

    def __init__(
        self,
        entries: Entries[Key],
        post: Callable[[Message], None],
        later: Callable[[Callable[[], None]], None],
    ) -> None:
        self._entries = entries
        self._post = post
        self._later = later
        self._watches: dict[Key, QueryWatch] = {}
        # Services before this turn and now, by subscriber, agent and name.
        self._changes: dict[Key, tuple[Subscription, dict[tuple[str, str], Change]]] = {}

    def __len__(self) -> int:
        return len(self._watches)

    def begin(self, subscription: Subscription) -> None:
        """Notify a subscriber of all matches, then of changes; also to start over."""
        self.resume(subscription)
        self._inform(
            subscription, encode_changes(tuple(self._entries.matches(subscription.query)), (), anew=True)
        )

    def resume(self, subscription: Subscription) -> None:
        """Notify a subscriber of changes from now on."""
        self.flush()
        self.end(subscription)
        watch = self._entries.watch(subscription.query, partial(self._changed, subscription))
        self._watches[subscription.key] = watch

    def end(self, subscription: Subscription) -> None:
        """Stop notifying a subscriber, even of changes in this turn."""
        if (watch := self._watches.pop(subscription.key, None)) is not None:
            watch.end()
        self._changes.pop(subscription.key, None)

    def _changed(
        self, subscription: Subscription, before: ServiceDescription | None, after: ServiceDescription | None
    ) -> None:
        """Record that a service has been added, changed or removed."""
        if not self._changes:
            self._later(self.flush)
        _, changes = self._changes.setdefault(subscription.key, (subscription, {}))
        service = after or before
        assert service is not None
        noted = changes.setdefault((service.agent, service.name), (before, None))
        changes[service.agent, service.name] = noted[0], after

    def flush(self) -> None:
        """Notify subscribers of all changes so far."""
        told, self._changes = self._changes, {}
        bodies: dict[tuple[object, ...], list[str]] = {}  # many subscribers get the same
        for subscription, changes in told.values():
            services = [after for before, after in changes.values() if after is not None and after != before]
            gone = [key for key, (before, after) in changes.items() if after is None and before is not None]
            if services or gone:
                same = (*map(id, services), 0, *gone)
                if same not in bodies:
                    bodies[same] = [*encode_changes(services, [Gone(*key) for key in gone])]
                self._inform(subscription, bodies[same])

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
