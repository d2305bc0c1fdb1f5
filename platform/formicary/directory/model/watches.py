"""Queries that are watched within a process: who is to be told of which change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.directory.model.description import Gone
from formicary.directory.model.interests import Interests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.query import Query

    Notice = Callable[[Sequence[ServiceDescription], Sequence[Gone]], None]


class QueryWatch:
    """A query that is watched.

    Args:
        watches: where it is.
        query: what is looked for.
        notice: called with each change.
    """

    def __init__(self, watches: Watches, query: Query, notice: Notice) -> None:
        self.query = query
        self.notice = notice
        self._watches = watches

    async def close(self) -> None:
        """Watch no more."""
        self._watches.discard(self)


class Watches:
    """All queries that are watched."""

    def __init__(self) -> None:
        self._interests: Interests[QueryWatch, QueryWatch] = Interests()

    def __bool__(self) -> bool:
        return bool(self._interests)

    def add(self, query: Query, notice: Notice) -> QueryWatch:
        """Call `notice` with each change to what matches a query, from now on."""
        watch = QueryWatch(self, query, notice)
        self._interests.put(watch, query, watch)
        return watch

    def discard(self, watch: QueryWatch) -> None:
        """Forget a watch, if it is there."""
        self._interests.discard(watch, watch.query)

    def changed(self, former: ServiceDescription | None, service: ServiceDescription | None) -> None:
        """Tell those who watch that a service has come, has changed, or has gone."""
        for watch in tuple(self._interests.concerned(former, service)):
            if service is not None and watch.query.matches(service):
                watch.notice((service,), ())
            elif former is not None and watch.query.matches(former):
                watch.notice((), (Gone(former.agent, former.name),))
