"""Searches that are forwarded to other directories (as in FIPA00023)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from formicary.core import randomness
from formicary.core.clock import now, seconds_until
from formicary.core.errors import DirectoryError, DirectoryRequestError
from formicary.core.message import Message
from formicary.directory.language import Search, decode_result, encode
from formicary.directory.model.query import MOST_RESULTS
from formicary.fipa.language import LANGUAGE, ONTOLOGY, REQUEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.query import Query

    Find = Callable[[Query], tuple[ServiceDescription, ...]]
    Answer = Callable[[Message, tuple[ServiceDescription, ...]], None]

TIMEOUT = 5.0
"""Seconds in which another directory must answer."""

_SHARE = 0.8  # of the asker's time limit, so that its own answer is in time
_MOST_KNOWN = 10_000  # searches that are recognised
_KNOWN_FOR = 300.0  # seconds
_MOST_PENDING = 1000  # searches under way


class _Pending:
    """A search forwarded to other directories."""

    def __init__(
        self, message: Message, request: Search, services: Sequence[ServiceDescription], others: Iterable[str]
    ) -> None:
        self.message = message
        self.query = request.query
        self.services = services
        self.answers: dict[str, Sequence[ServiceDescription] | None] = dict.fromkeys(others)
        self.timer: asyncio.TimerHandle | None = None

    def merged(self) -> tuple[ServiceDescription, ...]:
        """Return the services found, each once: first the local ones, then by directory."""
        found: dict[tuple[str, str], ServiceDescription] = {}
        for services in (self.services, *self.answers.values()):
            for service in services or ():
                found.setdefault((service.agent, service.name), service)
        end = self.query.offset + self.query.max_results
        return tuple(found.values())[self.query.offset : end]


class Federation:
    """The other directories to which a directory forwards searches.

    Args:
        others: their full names.
        send: sends a message.
        find: returns the local services that match a query.
        answer: called with the asker's message and the answer.
    """

    def __init__(
        self, others: Iterable[str], send: Callable[[Message], None], find: Find, answer: Answer
    ) -> None:
        self.others = tuple(dict.fromkeys(others))
        self._send = send
        self._find = find
        self._answer = answer
        self._pending: dict[str, _Pending] = {}  # by search
        self._known: dict[str, float] = {}  # arrival times of searches, oldest first

    def search(self, message: Message, request: Search) -> None:
        """Answer a search that is to be forwarded to other directories, or came from one.

        Raises:
            DirectoryRequestError: it cannot be forwarded.
            DirectoryError: too many searches are under way.
        """
        search_id = randomness.name(32) if request.search_id is None else request.search_id
        others = [each for each in self.others if each not in {message.sender, message.to}]
        if not request.max_depth or not others:
            self._answer(message, self._find(request.query) if self._is_new(search_id) else ())
            return
        wide = _widened(request, search_id)
        if len(self._pending) >= _MOST_PENDING:
            raise DirectoryError(
                f"{_MOST_PENDING} searches in other directories are under way; try again later"
            )
        if self._is_new(search_id):
            self._ask(message, request, wide, others)
        else:
            self._answer(message, ())

    def _is_new(self, search_id: str) -> bool:
        """Return whether a search arrives for the first time, and remember it for some minutes."""
        time = asyncio.get_running_loop().time()
        known = self._known
        if search_id in self._pending:  # however many have arrived since
            return False
        if search_id in known and known[search_id] > time - _KNOWN_FOR:
            return False
        known.pop(search_id, None)
        known[search_id] = time
        if len(known) > _MOST_KNOWN:
            del known[next(iter(known))]
        return True

    def _ask(self, message: Message, request: Search, wide: Search, others: Sequence[str]) -> None:
        timeout = TIMEOUT
        if message.reply_by is not None:
            timeout = min(timeout, _SHARE * seconds_until(message.reply_by))
        search = wide.search_id or ""
        asked = self._pending[search] = _Pending(message, request, self._find(wide.query), others)
        asked.timer = asyncio.get_running_loop().call_later(timeout, self._end, search)
        body = encode(wide)
        reply_by = now() + timedelta(seconds=timeout)
        for other in others:
            self._send(
                Message(
                    to=other,
                    body=body,
                    performative="request",
                    language=LANGUAGE,
                    ontology=ONTOLOGY,
                    protocol=REQUEST,
                    reply_with=search,
                    reply_by=reply_by,
                )
            )

    def take_answer(self, message: Message) -> None:
        """Handle a message that may be another directory's answer, or report that it could not be asked."""
        search = message.in_reply_to
        asked = None if search is None else self._pending.get(search)
        if asked is None or search is None:
            return
        other = message.sender
        if message.performative == "failure" and message.metadata:
            other = message.metadata.get("receiver", other)  # it could not be asked
        if other not in asked.answers or message.performative == "agree":
            return
        asked.answers[other] = _services(message)
        if None not in asked.answers.values():
            self._end(search)

    def _end(self, search: str) -> None:
        asked = self._pending.pop(search)
        if asked.timer is not None:
            asked.timer.cancel()
        self._answer(asked.message, asked.merged())

    def close(self) -> None:
        """Answer all pending searches with what has been found so far."""
        for search in tuple(self._pending):
            self._end(search)


def _widened(request: Search, search_id: str) -> Search:
    """Return the search for other directories, widened to all that may be in the answer.

    Raises:
        DirectoryRequestError: that is more than a search may return.
    """
    wanted = request.query.offset + request.query.max_results
    if wanted > MOST_RESULTS:
        raise DirectoryRequestError(
            f"offset and max_results of a search in several directories are at most {MOST_RESULTS} "
            f"together, not {wanted}; narrow the search down",
            "unrecognised-parameter-value",
        )
    query = msgspec.structs.replace(request.query, offset=0, max_results=wanted)
    return Search(query, request.max_depth - 1, search_id)


def _services(message: Message) -> Sequence[ServiceDescription]:
    if message.performative != "inform":
        return ()
    try:
        return decode_result(message.body).services
    except DirectoryError:
        return ()
