"""Numbered requests between two processes: each is answered or refused, in any order."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from formicary import errors
from formicary.core.errors import FormicaryError
from formicary.core.importing import describe_error

if TYPE_CHECKING:
    from collections.abc import Callable

O = TypeVar("O")  # noqa: E741 -- what is asked for
R = TypeVar("R")


class Request(msgspec.Struct, Generic[O], frozen=True, tag="request"):
    """An order that expects an answer."""

    number: int
    order: O


class Answer(msgspec.Struct, Generic[R], frozen=True, tag="answer"):
    """The result of a request."""

    number: int
    result: R


class Refusal(msgspec.Struct, frozen=True, tag="refusal"):
    """Why a request has no result.

    Attributes:
        number: the request's.
        reason: a sentence.
        error: the name of the class of `formicary.errors`.
    """

    number: int
    reason: str
    error: str = FormicaryError.__name__

    @classmethod
    def of(cls, number: int, error: Exception) -> Refusal:
        """Return the refusal of a request that failed with an exception."""
        if isinstance(error, FormicaryError):
            return cls(number, str(error), type(error).__name__)
        return cls(number, describe_error(error))

    def exception(self) -> FormicaryError:
        """Return the original exception."""
        kind = getattr(errors, self.error, None)
        if isinstance(kind, type) and issubclass(kind, FormicaryError):
            return kind(self.reason)
        return FormicaryError(self.reason)


class Requests(Generic[O, R]):
    """Pending requests of a process to another one."""

    def __init__(self, send: Callable[[Request[O]], object]) -> None:
        self._send = send
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[R]] = {}

    async def ask(self, order: O) -> R:
        """Send a request, and return its result.

        Raises:
            FormicaryError: it is refused, or cannot be answered any more.
        """
        number = next(self._numbers)
        answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        self._send(Request(number, order))
        try:
            return await answer
        finally:
            del self._waiting[number]

    def settle(self, said: Answer[R] | Refusal) -> None:
        """Pass an answer to its request."""
        answer = self._waiting.get(said.number)
        if answer is None or answer.done():  # the caller no longer waits
            return
        if isinstance(said, Answer):
            answer.set_result(said.result)
        else:
            answer.set_exception(said.exception())

    def fail(self, error: FormicaryError) -> None:
        """Fail all pending requests."""
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(error)


def request_nothing(order: Any) -> Request[Any]:
    """Return a request whose answer is ignored."""
    return Request(-1, order)
