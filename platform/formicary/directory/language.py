"""The language of the directory's agent: JSON, in the ontology `fipa-agent-management`.

A request's content is an object with an `action` and its arguments; `docs/directory.md` is the reference.
Unreadable and impossible requests are refused with FIPA00023's names for the reasons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary.core.errors import (
    AlreadyRegisteredError,
    DirectoryError,
    DirectoryRequestError,
    FormicaryError,
    InvalidDescriptionError,
    NotRegisteredError,
    TooManyServicesError,
    UnauthorisedError,
)
from formicary.directory.model.description import (  # noqa: TC001 -- msgspec reads the types
    Gone,
    ServiceDescription,
)
from formicary.directory.model.query import Query  # noqa: TC001 -- as above
from formicary.fipa.language import LANGUAGE, ONTOLOGY, Dialect, write_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary.core.message import Message

ENQUIRIES = "formicary-directory"
"""The ontology in which guests ask a container's management agent about the directory."""
SUBSCRIBE = "fipa-subscribe"
"""The protocol of the action `subscribe`."""

LONGEST_LEASE = 366 * 24 * 3600.0
"""The longest lease in seconds; without a lease, a registration lasts until it is removed."""

DEEPEST = 16
"""The most directories that a search passes through one after the other."""

_MOST_MOVES = 1 << 53

LONGEST_ID = 128
"""The most characters of a `search_id`: directories remember many of them."""


class _Action(
    msgspec.Struct, frozen=True, tag_field="action", omit_defaults=True, forbid_unknown_fields=True
):
    """The encoding of all requests."""


class _WithServices(_Action, frozen=True):
    services: tuple[ServiceDescription, ...]
    lease: float | None = None

    def __post_init__(self) -> None:
        if not self.services:
            raise InvalidDescriptionError("the list of services is empty; include at least one")
        if len({(each.agent, each.name) for each in self.services}) < len(self.services):
            raise InvalidDescriptionError(
                "two services of one agent have the same name; give them different names"
            )
        if self.lease is not None and not 0 < self.lease <= LONGEST_LEASE:
            raise InvalidDescriptionError(
                f"a lease must be more than 0 and at most {LONGEST_LEASE:.0f} seconds, not "
                f"{self.lease}; omit it to register permanently"
            )


class Register(_WithServices, frozen=True, tag="register"):
    """Add services; fails as a whole if one of them is already registered.

    Args:
        services: at least one.
        lease: seconds until they end unless renewed by `modify`; None for ever.

    Raises:
        InvalidDescriptionError: two services have the same name, or the lease is too long.
    """


class Modify(_WithServices, frozen=True, tag="modify"):
    """Replace services of the same names, and renew their leases; fails if one is not registered.

    Arguments and errors are as of `Register`; the lease begins now.
    """


class Renew(_WithServices, frozen=True, tag="renew"):
    """Register or replace services, on behalf of agents that still live in the sender's container.

    Arguments and errors are as of `Modify`.
    """


class Deregister(_Action, frozen=True, tag="deregister"):
    """Remove services of an agent; fails as a whole if one of them is not registered.

    Args:
        agent: the agent's full name.
        names: the services' names; empty for all.
    """

    agent: str
    names: tuple[str, ...] = ()


class Host(_Action, frozen=True, tag="host"):
    """Record agents in the sender's container that have moved.

    Args:
        agents: how often each had moved when it arrived there, by full name; null if it has ended there.

    Raises:
        InvalidDescriptionError: there are none, or a number is out of range.
    """

    agents: dict[str, int | None]

    def __post_init__(self) -> None:
        if not self.agents:
            raise InvalidDescriptionError("the list of agents is empty; include at least one")
        if any(moves is not None and not 0 < moves <= _MOST_MOVES for moves in self.agents.values()):
            raise InvalidDescriptionError(f"an agent that has come has moved 1 to {_MOST_MOVES} times")


class Search(_Action, frozen=True, tag="search"):
    """Find services.

    Args:
        query: which, and how many.
        max_depth: number of further directories in a row to which the search is forwarded, 0 to 16.
        search_id: identifies the search, so that no directory answers it twice; at most 128 characters.

    Raises:
        InvalidDescriptionError: the depth is out of range, or the name too long.
    """

    query: Query
    max_depth: int = 0
    search_id: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.max_depth <= DEEPEST:
            raise InvalidDescriptionError(f"a search's max_depth is 0 to {DEEPEST}, not {self.max_depth}")
        if self.search_id is not None and len(self.search_id) > LONGEST_ID:
            raise InvalidDescriptionError(f"a search's search_id has at most {LONGEST_ID} characters")


class Subscribe(_Action, frozen=True, tag="subscribe"):
    """Subscribe to services that come and go, until the conversation is cancelled.

    Args:
        query: which; its limits are ignored.
    """

    query: Query


class Result(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The content of an `inform`.

    Args:
        done: the action performed.
        services: those found by a search, or new or changed since the last notification.
        gone: those removed since the last notification.
        anew: whether this replaces all earlier notifications.
        more: whether this is continued, by the next notification or another search.
    """

    done: str
    services: tuple[ServiceDescription, ...] = ()
    gone: tuple[Gone, ...] = ()
    anew: bool = False
    more: bool = False


Request = Register | Modify | Renew | Deregister | Host | Search | Subscribe


def read_request(message: Message) -> Request:
    """Return the request in a message.

    Raises:
        DirectoryRequestError: it cannot be read; its `reason` is FIPA00023's.
    """
    performative = message.performative
    if performative not in _ACTS:
        raise DirectoryRequestError(
            f"the directory understands request, subscribe and cancel, not {performative!r}",
            "unsupported-act",
        )
    if message.language not in _LANGUAGES or message.ontology not in _ONTOLOGIES:
        for field, known in (("language", LANGUAGE), ("ontology", ONTOLOGY)):
            if getattr(message, field) not in {None, known}:
                raise DirectoryRequestError(
                    f"the directory knows the {field} {known!r}, not {getattr(message, field)!r}",
                    "unsupported-value",
                )
    request = decode_request(message.body)
    if (performative == "subscribe") is not (request.__class__ is Subscribe):
        raise DirectoryRequestError(
            "the action 'subscribe' goes with the performative subscribe, and all others with request",
            "unexpected-act",
        )
    return request


def decode_request(body: str | bytes) -> Request:
    """Return the request in a content.

    Raises:
        DirectoryRequestError: it cannot be read; its `reason` is FIPA00023's.
    """
    request = _searches.get(body) if len(body) <= _SHORT else None
    if request is not None:
        return request
    request = DIALECT.read_request(_requests, body)
    if request.__class__ is Search and len(body) <= _SHORT:
        if len(_searches) >= _REMEMBERED:
            _searches.clear()
        _searches[body] = request
    return request


def encode(content: Request | Result) -> str:
    """Return a request or a result as the content of a message."""
    text = _encode(content).decode()
    if content.__class__ is Result:
        if len(_written) >= _HANDED_OVER:
            _written.clear()
        _written[id(text)] = text, content
    return text


def encode_changes(
    services: Sequence[ServiceDescription], gone: Sequence[Gone], *, anew: bool = False
) -> Iterator[str]:
    """Yield the contents of the notifications of these changes; at least one."""
    for start in range(0, max(len(services), len(gone), 1), _MOST_AT_ONCE):
        end = start + _MOST_AT_ONCE
        more = end < max(len(services), len(gone))
        yield encode(
            Result("subscribe", (*services[start:end],), (*gone[start:end],), anew and not start, more)
        )


def decode_result(body: str | bytes) -> Result:
    """Return the result in an `inform`; DirectoryRequestError if there is none."""
    # In the process that wrote it, the text is the same object and need not be decoded.
    written = _written.pop(id(body), None)
    if written is not None and written[0] is body:
        return written[1]
    try:
        return _results.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise DirectoryRequestError(f"the directory's answer cannot be read: {error}") from None


def encode_error(error: FormicaryError) -> tuple[str, str]:
    """Return the performative and the content that report an error."""
    is_value = isinstance(error, InvalidDescriptionError)
    return write_error(error, "unrecognised-parameter-value" if is_value else "internal-error")


DIALECT: Dialect[DirectoryError] = Dialect(
    speaker="the directory",
    actions="register, modify, renew, deregister, host, search and subscribe",
    error=DirectoryError,
    request_error=DirectoryRequestError,
    kinds={
        kind.reason: kind
        for kind in (AlreadyRegisteredError, NotRegisteredError, TooManyServicesError, UnauthorisedError)
    },
)
decode_error = DIALECT.read_error
_MOST_AT_ONCE = 100  # services in a message: at 16 KiB each, it fits every link
_SHORT = 256  # bytes or characters
_REMEMBERED = 1024
_searches: dict[str | bytes, Request] = {}  # short ones, as most are repeated
_ACTS = frozenset({"request", "subscribe"})
_LANGUAGES = frozenset({None, LANGUAGE})
_ONTOLOGIES = frozenset({None, ONTOLOGY})
_requests: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_HANDED_OVER = 256
_written: dict[int, tuple[str, Result]] = {}  # the latest results written here, by id of text
_results = msgspec.json.Decoder(Result)
_encode = msgspec.json.Encoder().encode
