"""The language of a container's management agent: JSON, in the ontology `fipa-agent-management`.

A request's content is an object with an `action` and its arguments; `docs/management.md` is the reference.
Invalid and impossible requests are refused with FIPA00023's names for the reasons.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Never, TypeVar

import msgspec

from formicary.core.errors import (
    FormicaryError,
    ManagementError,
    ManagementRequestError,
    MoveError,
    NameTakenError,
    UnauthorisedError,
    UnknownAgentError,
)
from formicary.core.names import check_container, check_platform, check_receiver
from formicary.core.quoting import shorten
from formicary.fipa.language import Dialect, write_error
from formicary.management.descriptions import Missing  # noqa: TC001 -- msgspec reads the types

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

    from formicary.container.container import Container
    from formicary.management.requests.local import LocalManagement
    from formicary.management.requests.router import RequestRouter

A = TypeVar("A", bound="Action[Any]")


class Result(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The content of an `inform`.

    Args:
        done: the action that was performed.
        agent: the full name of the agent that it concerned; of a clone, the clone's.
        missing: the containers that did not answer.
    """

    done: str
    agent: str | None = None
    missing: tuple[Missing, ...] = ()


R = TypeVar("R", bound=Result)


@dataclass(frozen=True)
class Option:
    """An option of a command, a number from 0, for one of its action's arguments.

    Args:
        flag: its name, such as `--for`.
        metavar: the name of its value in the help.
        help: its help.
        default: the argument if it is omitted.
    """

    flag: str
    metavar: str
    help: str
    default: object


@dataclass(frozen=True)
class Command:
    """The command for an action on agents: it takes their names, and `--json`.

    Args:
        done: a word for a success.
        help: its help.
        examples: examples of use.
        options: for further arguments, by name.
    """

    done: str
    help: str
    examples: tuple[str, ...]
    options: Mapping[str, Option] = field(default_factory=dict)


class Action(
    msgspec.Struct,
    Generic[R],
    frozen=True,
    tag_field="action",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """A request: its fields are the arguments, its tag is its name. Its class defines everything else.

    Attributes:
        answer: the class of the answer.
        takes_time: whether it is answered with `agree` first.
        is_for_all: whether agents outside the platform may make it.
        is_placed: whether it concerns the container that is asked, where it names none.
        command: the command of the command line; None if it has another one, or none.
    """

    answer: ClassVar[type[Result]] = Result
    takes_time: ClassVar[bool] = False
    is_for_all: ClassVar[bool] = False
    is_placed: ClassVar[bool] = False
    command: ClassVar[Command | None] = None

    @classmethod
    def action(cls) -> str:
        """Return the name of the action."""
        return str(cls.__struct_config__.tag)

    def check(self, container: Container) -> None:
        """Raise ManagementError if a container can tell at once that it will not do this."""

    def perform(self, here: LocalManagement) -> R | Awaitable[R]:
        """Perform it in the container that it concerns; names are full.

        Raises:
            ManagementError: it is not possible.
            NameTakenError: an agent of that name lives there.
            ContainerClosedError: the container stops.
        """
        raise NotImplementedError

    def perform_everywhere(self, router: RequestRouter) -> Awaitable[R]:
        """Perform it in all containers, if it names none."""
        raise NotImplementedError

    def unanswered(self) -> str:
        """Return what to add where it was not answered in time."""
        return ""


class OfAgent(Action[R], frozen=True):
    """A request about one agent.

    Args:
        agent: its name, in any form.

    Raises:
        InvalidNameError: the name is invalid.
    """

    agent: str

    def __post_init__(self) -> None:
        check_receiver(self.agent)


def encode(content: Action[Any] | Result) -> str:
    """Return a request or a result as the content of a message."""
    return _encode(content).decode()


def decode_result(body: str | bytes, answer: type[R]) -> R:
    """Return the result in an `inform`; ManagementError if it is not of this kind."""
    try:
        result: R = _decoder(answer).decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ManagementError(f"the management agent's answer cannot be read: {error}") from None
    return result


def encode_error(error: FormicaryError) -> tuple[str, str]:
    """Return the performative and content for an error."""
    return write_error(error, reason_of(error))


def reason_of(error: FormicaryError) -> str:
    """Return FIPA00023's name for an error."""
    kind = "already-registered" if isinstance(error, NameTakenError) else "internal-error"
    return getattr(error, "reason", kind)


def make_request(kind: type[A], **fields: Any) -> A:
    """Return a request as if an agent had sent it; fields that are None are left out.

    Raises:
        ManagementRequestError: the request is invalid.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        # Fields may have any value, and msgspec also encodes values that JSON lacks, such as bytes.
        content = _to_json({"action": kind.action(), **given}).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ManagementRequestError(f"the request cannot be expressed in JSON: {error}") from None
    request: A = DIALECT.read_request(_decoder(kind), content)
    return request


def check_seconds(seconds: float) -> None:
    """Check a time to wait for an answer; ValueError."""
    if not 0 < seconds < float("inf"):
        raise ValueError(f"the time to wait for an answer must be a number of seconds, not {seconds}")


@lru_cache(1000)  # since most requests name one of few
def check_where(container: str | None) -> None:
    """Check that a place is like `c1`, or a full domain; ValueError."""
    if container is not None:
        name, dot, platform = container.partition(".")
        check_container(name)
        if dot:
            check_platform(platform)


@lru_cache(None)
def _decoder(kind: type[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _refuse(value: object) -> Never:
    raise TypeError(f"{shorten(value)} is neither text nor a number, nor a list or a dict of these")


DIALECT: Dialect[FormicaryError] = Dialect(
    speaker="the management agent",
    actions="",
    error=ManagementError,
    request_error=ManagementRequestError,
    kinds={
        "already-registered": NameTakenError,
        "not-moved": MoveError,
        "not-registered": UnknownAgentError,
        "unauthorised": UnauthorisedError,
    },
)
decode_error = DIALECT.read_error
_encode = msgspec.json.Encoder().encode
_to_json = json.JSONEncoder(allow_nan=False, ensure_ascii=False, default=_refuse).encode
