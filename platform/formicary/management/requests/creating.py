"""Creates agents by the name of their class, if the container allows it."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter, deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from formicary.core.agent import Agent
from formicary.core.answer import Answer
from formicary.core.errors import (
    ContainerClosedError,
    InvalidNameError,
    ManagementError,
    ManagementRequestError,
    NameTakenError,
    UnauthorisedError,
)
from formicary.core.importing import describe_error, is_allowed, load, split_class_name
from formicary.core.micro import MicroAgent
from formicary.core.names import check_local
from formicary.core.quoting import printable, sentence, shorten
from formicary.core.scheduler import GREEDY
from formicary.management.descriptions import NotCreated
from formicary.management.requests.language import Action, R, Result, check_where, make_request, reason_of
from formicary.management.requests.router import Caller

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary.container.container import Container
    from formicary.core.errors import FormicaryError
    from formicary.management.requests.local import LocalManagement
    from formicary.management.requests.router import RequestRouter

MOST_NAMES: Final = 10_000
"""The most agents that one request creates."""

_CREATES_FOR: Final = 10.0  # s after which a request for many agents is answered; the sender waits for longer
_SHOWN: Final = 3  # failures in the repr


class Tried(Result, frozen=True):
    """The number of agents tried, from the first on, and those that could not be created."""

    tried: int = 0
    failed: tuple[NotCreated, ...] = ()


class _Creating(Action[R], frozen=True, rename={"class_name": "class"}, kw_only=True):
    class_name: str
    container: str | None = None
    arguments: dict[str, Any] = {}  # noqa: RUF012 -- msgspec copies it

    takes_time = True
    is_placed = True

    def __post_init__(self) -> None:
        check_where(self.container)

    def check(self, container: Container) -> None:
        """Refuse classes that the container does not allow."""
        check_allowed(self.class_name, container.creatable)


class Create(_Creating[Result], frozen=True, kw_only=True, tag="create"):
    """Create and start an agent.

    Args:
        class_name: `package.module:Class`.
        name: the agent's own name.
        container: its container, `c1` or the full domain; None for the one that gets the request.
        arguments: keyword arguments for the class, beside the name.

    Raises:
        ValueError: the name or the container is invalid.
    """

    name: str

    def __post_init__(self) -> None:
        super().__post_init__()
        check_local(self.name)

    async def perform(self, here: LocalManagement) -> Result:
        """Make it."""
        factory = AgentFactory(self.class_name, self.arguments, here.container.creatable)
        return Result("create", await _start(here.container, factory, self.name))


class CreateMany(_Creating[Tried], frozen=True, kw_only=True, tag="create-many"):
    """Create and start agents of one class, with the same arguments, one after the other.

    Args:
        class_name: `package.module:Class`.
        names: the agents' own names, 1 to 10 000, all different.
        container: their container, `c1` or the full domain; None for the one that gets the request.
        arguments: keyword arguments for the class, beside the name.

    Raises:
        ValueError: a name or the container is invalid; or there are too many names, none, or one twice.
    """

    names: tuple[str, ...]

    answer = Tried

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < len(self.names) <= MOST_NAMES:
            raise ValueError(f"one request can create 1 to {MOST_NAMES} agents, not {len(self.names)}")
        for name in self.names:
            check_local(name)
        if len(set(self.names)) != len(self.names):
            ((twice, _),) = Counter(self.names).most_common(1)
            raise ValueError(f"the name {twice!r} is given twice; give each agent a different name")

    async def perform(self, here: LocalManagement) -> Tried:
        """Create one after the other, with turns for others, until all are created or time is up."""
        container = here.container
        factory = AgentFactory(self.class_name, self.arguments, container.creatable)
        factory.check(self.names[0])  # an error of all of them is raised once
        time = container.scheduler.time
        until = time() + _CREATES_FOR
        failed = []
        for tried, name in enumerate(self.names, 1):
            try:
                await _start(container, factory, name)
            except (NameTakenError, ManagementError) as error:
                failed.append(_not_created(f"{name}@{container.domain}", error))
            if time() > until:
                break
            if tried % GREEDY == 0:
                await _turn_of_loop()
        return Tried("create-many", tried=tried, failed=tuple(failed))


def check_allowed(class_name: str, creatable: Sequence[str]) -> tuple[str, str]:
    """Return the module and the class of a name, if its agents may be created.

    Args:
        class_name: `package.module:Class`.
        creatable: the packages and modules that are allowed, each with all below it.

    Raises:
        ManagementRequestError: the name has another form.
        UnauthorisedError: the module is not allowed.
    """
    names = split_class_name(class_name)
    if names is None:
        raise ManagementRequestError(
            f"{shorten(class_name)} is not a class name; write 'package.module:Class', for a class "
            "at the top level of a module"
        )
    module, name = names
    if not is_allowed(module, creatable):
        raise UnauthorisedError(
            f"agents of module {module!r} may not be created in this container; open it with "
            f"creatable=[{module!r}], or with a package that contains it"
        )
    return module, name


class AgentFactory:
    """Creates agents of one class, with the same arguments. Nothing is imported unless it is allowed.

    Args:
        class_name: `package.module:Class`.
        arguments: the arguments of the class, beside the name.
        creatable: as of `check_allowed`.

    Raises:
        ManagementRequestError: there is no such class, or it is no agent class.
        UnauthorisedError: its module is not allowed, or has imported it from one that is not.
    """

    def __init__(self, class_name: str, arguments: Mapping[str, Any], creatable: Sequence[str]) -> None:
        self._class_name = class_name
        self._arguments = arguments
        module, name = check_allowed(class_name, creatable)
        kind = load(module, name)
        if not (isinstance(kind, type) and issubclass(kind, Agent | MicroAgent)):
            raise ManagementRequestError(f"{class_name} is not an agent class but {shorten(kind)}")
        if not is_allowed(kind.__module__, creatable):
            raise UnauthorisedError(
                f"{class_name} is defined in module {kind.__module__!r}, whose agents may not be "
                "created in this container"
            )
        self._kind: type[Agent | MicroAgent] = kind

    def make(self, name: str) -> Agent | MicroAgent:
        """Return a new agent of this name; ManagementRequestError if it cannot be made."""
        try:
            return self._kind(name, **self._arguments)
        except (Exception, SystemExit) as error:
            self.check(name)  # last, as it takes longest
            raise self._not_made(describe_error(error)) from error

    def check(self, name: str) -> None:
        """Raise ManagementRequestError if the class does not take such arguments."""
        try:
            inspect.signature(self._kind).bind(name, **self._arguments)
        except (TypeError, ValueError) as error:
            raise self._not_made(str(error)) from error

    def _not_made(self, reason: str) -> ManagementRequestError:
        return ManagementRequestError(f"{self._class_name} cannot be created with these arguments: {reason}")


async def _start(container: Container, factory: AgentFactory, name: str) -> str:
    agent = factory.make(name)
    try:
        await container.lifecycle.start(agent)  # its `sys.exit()` must not end the process
    except (NameTakenError, ContainerClosedError):
        raise
    except (Exception, SystemExit) as error:
        raise ManagementError(f"setup of agent {name} failed: {describe_error(error)}") from error
    return f"{name}@{container.domain}"


def _not_created(name: str, error: FormicaryError) -> NotCreated:
    return NotCreated(name, reason_of(error), sentence(str(error)))


async def _turn_of_loop() -> None:
    """Give sockets and timers a turn; after `asyncio.sleep(0)`, a strand continues in the same one."""
    loop = asyncio.get_running_loop()
    turn = Answer(loop=loop)
    loop.call_soon(_settle, turn)
    await turn


def _settle(turn: Answer) -> None:
    if not turn.done():
        turn.settle(None)


class Creations(tuple[str, ...]):  # noqa: SLOT001 -- a tuple cannot have other slots
    """The full names of agents that were created together: a tuple.

    If some could not be created, its repr has their number, and the first of them with the reasons.

    Attributes:
        failed: the agents that could not be created, and why.
    """

    failed: tuple[NotCreated, ...] = ()

    def __repr__(self) -> str:
        if not self.failed:
            return super().__repr__()
        first = ", ".join(f"{each.name} ({each.message})" for each in self.failed[:_SHOWN])
        more = f", and {len(self.failed) - _SHOWN} more in .failed" if len(self.failed) > _SHOWN else ""
        return printable(f"<{len(self)} created, {len(self.failed)} failed: {first}{more}>")


async def create_all(router: RequestRouter, requests: Iterable[CreateMany]) -> Creations:
    """Create agents, repeating each request until all of its names were tried.

    Raises:
        ManagementError: the first of them fails as a whole. If a later one does, all remaining agents count
            as failed.
    """
    created: list[str] = []
    failed: list[NotCreated] = []
    waiting = deque(requests)
    while waiting:
        request = waiting.popleft()
        try:
            result = await _perform(router, request)
        except ManagementError as error:
            if not created and not failed:
                raise
            left = [name for each in (request, *waiting) for name in _full_names(each)]
            failed += [_not_created(name, error) for name in left]
            break
        lost = {each.name for each in result.failed}
        created += [name for name in _full_names(request)[: result.tried] if name not in lost]
        failed += result.failed
        if names := request.names[result.tried :]:
            waiting.appendleft(replace(request, names=names))
    creations = Creations(created)
    creations.failed = tuple(failed)
    return creations


async def _perform(router: RequestRouter, request: CreateMany) -> Tried:
    result = await router.perform(request)
    if not 0 < result.tried <= len(request.names):  # else this would never end
        raise ManagementError(
            f"ams@{request.container} cannot have tried {result.tried} of {len(request.names)} agents"
        )
    return result


def _full_names(request: CreateMany) -> list[str]:
    return [f"{name}@{request.container}" for name in request.names]


class Creating(Caller):
    """A part of `Management`."""

    async def create(
        self,
        cls: str | type[Agent | MicroAgent],
        name: str,
        *,
        container: str | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> str:
        """Create and start an agent, and return its full name when its `setup` is done.

        If cancelled, or if the other container does not answer in time, the agent may start or not.

        Args:
            cls: its class, at the top level of a module that the container can import and allows, or
                `"package.module:Class"`.
            name: the agent's own name.
            container: its container, `c1` or the full domain; None for this one.
            arguments: keyword arguments for the class, beside the name; JSON values.

        Raises:
            UnauthorisedError: the container does not allow agents of that module.
            ManagementRequestError: there is no such class, or it does not take these arguments.
            NameTakenError: an agent of that name lives there.
            ManagementError: its setup failed, or the container does not answer.
        """
        result = await self.perform(make_request(Create, name=name, **_fields(cls, container, arguments)))
        assert result.agent is not None
        return result.agent

    async def create_many(
        self,
        cls: str | type[Agent | MicroAgent],
        names: Iterable[str],
        *,
        container: str | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> Creations:
        """Create and start many agents of one class, one after the other, and return their full names.

        There is one request for every 10 000 of them. Those that cannot be created are in `failed` of the
        result; the others are created all the same. An error that concerns all of them is raised, and none is
        created. If cancelled, agents of the pending request may start or not.

        Args:
            cls: as of `create`.
            names: the agents' own names.
            container: as of `create`.
            arguments: keyword arguments for the class, the same for all agents; JSON values.

        Raises:
            UnauthorisedError: the container does not allow agents of that module.
            ManagementRequestError: there is no such class, it does not take these arguments, or a name is
                invalid or given twice.
            InvalidNameError: `names` is a string.
            ManagementError: the container does not answer the first request; the names of a later one that it
                does not answer are in `failed`.
        """
        if isinstance(names, str):  # whose letters would be names
            raise InvalidNameError(f"several names must be a list, as in [{names!r}]")
        wanted = tuple(names)
        fields = _fields(cls, container, arguments)
        # All of them first, so that a mistake in the last is found before an agent is created.
        requests = [
            self._router.complete(
                make_request(CreateMany, names=wanted[start : start + MOST_NAMES], **fields)
            )
            for start in range(0, len(wanted), MOST_NAMES)
        ]
        return await create_all(self._router, requests)


def _fields(
    cls: str | type[Agent | MicroAgent], container: str | None, arguments: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the fields of a request for one agent or many; refuse invalid ones."""
    class_name = cls if isinstance(cls, str) else f"{cls.__module__}:{cls.__qualname__}"
    if arguments is not None and not isinstance(arguments, Mapping):
        takes = f"{class_name.rpartition(':')[2]} takes its arguments by name"
        raise ManagementRequestError(f"{takes}, such as {{'limit': 3}}, not {shorten(arguments)}")
    given = None if arguments is None else dict(arguments)
    return {"class": class_name, "container": container, "arguments": given}
