"""Queries that are watched within a process: who is to be told of which change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.directory.language import Gone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.directory.description import ServiceDescription
    from formicary.directory.interface import Notice
    from formicary.directory.query import Query


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
    """Who watches what. A change is held only against the queries that ask for its type, or for none."""

    def __init__(self) -> None:
        self._by_type: dict[str | None, dict[QueryWatch, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_type)

    def add(self, query: Query, notice: Notice) -> QueryWatch:
        """Call `notice` with each change to what matches a query, from now on."""
        watch = QueryWatch(self, query, notice)
        self._by_type.setdefault(query.type, {})[watch] = None
        return watch

    def discard(self, watch: QueryWatch) -> None:
        """Forget a watch, if it is there."""
        same_type = self._by_type.get(watch.query.type, {})
        same_type.pop(watch, None)
        if not same_type:
            self._by_type.pop(watch.query.type, None)

    def changed(self, former: ServiceDescription | None, service: ServiceDescription | None) -> None:
        """Tell those who watch that a service has come, has changed, or has gone."""
        for watch in tuple(self._concerned(former, service)):
            if service is not None and watch.query.matches(service):
                watch.notice((service,), ())
            elif former is not None and watch.query.matches(former):
                watch.notice((), (Gone(former.agent, former.name),))

    def _concerned(
        self, former: ServiceDescription | None, service: ServiceDescription | None
    ) -> Iterator[QueryWatch]:
        types = {each.type for each in (former, service) if each is not None}
        for type_ in (None, *types):
            yield from self._by_type.get(type_, ())
