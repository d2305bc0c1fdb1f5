"""Sessions of commands with a running platform, as its guests."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from formicary.cli.connecting import ConnectionSettings
from formicary.cli.options import CONNECTION, CONNECTIONS, option, parameters_of, with_parameters
from formicary.cli.signals import run_until_signal
from formicary.core.errors import LinkError, ManagementError, ServerError, UnknownAgentError, UsageError
from formicary.core.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine

    from formicary.container.container import Container
    from formicary.directory.interface import Directory
    from formicary.management.descriptions import ContainerDescription
    from formicary.management.management import Management

P = ParamSpec("P")

_PATIENCE = 5.0  # s for the platform's container to answer
_LEAVING = 2.0  # s to disconnect in order: the user is waiting

As = option(
    str | None,
    "Name to use while connected, where a server admits only certain names.",
    "--as",
    metavar="NAME",
    show_default="a temporary one",
    rich_help_panel=CONNECTION,
)
AsNamed = option(
    str | None,
    "Container name to connect as.",
    "--as",
    metavar="NAME",
    show_default=True,
    rich_help_panel=CONNECTION,
)
"""As `As`, for commands with a default name, by which others address them."""


@dataclass(frozen=True)
class GuestSession:
    """A session with a running platform.

    Attributes:
        container: the guest.
        main: the description of the platform's container.
    """

    container: Container
    main: ContainerDescription

    @property
    def management(self) -> Management:
        """The platform's white pages."""
        return self.container.management

    @property
    def directory(self) -> Directory:
        """The platform's directory."""
        return self.container.directory

    def check(self) -> None:
        """Check that the platform's main container is still there.

        Raises:
            LinkError: it is not.
        """
        if self.main.domain not in self.container.members:
            raise LinkError(f"the platform's container {self.main.name} is gone")

    async def full_name(self, name: str) -> str:
        """Return an agent's full name, also for a short name if only one agent has it.

        Raises:
            InvalidNameError: the name is invalid.
            UnknownAgentError: there is no such agent, or there are several.
        """
        from formicary.core.names import check_receiver, complete

        check_receiver(name)
        if "@" in name:
            return complete(name, self.main.domain, self.container.platform)
        # The name itself may contain asterisks; other matches are dropped below.
        agents = await self.management.list_agents(name.replace("*", "?"))
        found = [agent.name for agent in agents if agent.name.partition("@")[0] == name]
        if not found:
            own = complete(name, self.main.domain, self.container.platform)
            (place,) = await self.management.locate([own])
            if place.state is not None:  # a container's own agent, which is never listed
                return own
            silent = "".join(f"; {each.domain} could not be reached" for each in agents.missing)
            raise UnknownAgentError(f"no agent named {name} on the platform{silent}")
        if len(found) > 1:
            raise UnknownAgentError(
                f"{len(found)} agents are named {name}; use a full name, such as {found[0]}"
            )
        return found[0]


Within = Callable[[Callable[[GuestSession], "Awaitable[None]"]], None]
"""Runs a function in a session."""


def in_guest_session(
    command: Callable[Concatenate[GuestSession, P], Awaitable[None]], default_name: str | None = None
) -> Callable[..., None]:
    """Return a command that runs a function in a guest session, with the options for reaching a platform.

    Args:
        command: the function.
        default_name: the guest's name if none is given; None for a temporary one.
    """

    def run(within: Within, /, **values: Any) -> None:
        within(functools.partial(command, **values))

    run.__signature__ = inspect.signature(command, eval_str=True)  # type: ignore[attr-defined]  # functions may
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return with_platform_options(run, default_name)


def with_platform_options(
    command: Callable[Concatenate[Within, P], None], default_name: str | None = None
) -> Callable[..., None]:
    """Return a command that runs functions in guest sessions by `within(function)`; arguments as above."""
    _, *own = inspect.signature(command, eval_str=True).parameters.values()
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
    (name_option,) = parameters_of({"own_name": As if default_name is None else AsNamed})

    def run(**values: Any) -> None:
        name = values.pop("own_name")
        settings = ConnectionSettings(**{each: values.pop(each) for each in CONNECTIONS})
        command(lambda do: _run(_run_session(settings, name, do)), **values)  # type: ignore[call-arg]  # by name

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return with_parameters(
        run, [*own, *parameters_of(CONNECTIONS), name_option.replace(default=default_name)]
    )


def _run(work: Coroutine[Any, Any, None]) -> None:
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    get_logger("formicary").setLevel(logging.CRITICAL)  # errors are reported in one sentence
    get_logger("formicary.transport.login").setLevel(logging.WARNING)  # except warnings to the user
    run_until_signal(work)


async def _run_session(
    settings: ConnectionSettings, name: str | None, do: Callable[[GuestSession], Awaitable[None]]
) -> None:
    from formicary.cli.guest_names import lease_name

    settings = _with_default(settings)
    with lease_name() if name is None else contextlib.nullcontext(name) as own:
        container = settings.guest(own)
        await _open(container, settings)
        try:
            await do(GuestSession(container, await _find_main(container, settings)))
        finally:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LEAVING):
                    await container.close()


def _with_default(settings: ConnectionSettings) -> ConnectionSettings:
    """Return the given location of a platform, or else that of the only one on this host."""
    from formicary.cli.join_files import listening

    if not settings.join is settings.server is settings.account is None:
        return settings
    names = listening()
    if len(names) > 1:
        raise UsageError(
            f"several containers on this host can be joined ({', '.join(names)}): choose the "
            f"platform's main one, as in --join {names[0]}"
        )
    if names:
        return replace(settings, join=names[0])
    from formicary.server import ServerAddress

    try:
        ServerAddress.load("local")
    except ServerError:
        raise LinkError(
            "no platform is running on this host (no container is listening, and there is no "
            "server); start one with `formicary run FILE --listen`, or specify one with --join, "
            "--server or --account"
        ) from None
    return replace(settings, server="local")


async def _open(container: Container, settings: ConnectionSettings) -> None:
    # Joining leads to the platform's container; servers have limits of their own.
    try:
        async with asyncio.timeout(None if settings.join is None else _PATIENCE):
            await container.open()
    except TimeoutError:
        raise _no_answer(container) from None


def _no_answer(container: Container) -> LinkError:
    name = container.main_domain.partition(".")[0]
    return LinkError(
        f"the platform's container {name} has not answered within {_PATIENCE:g} s; check its "
        "process, which is busy or stopped"
    )


async def _find_main(container: Container, settings: ConnectionSettings) -> ContainerDescription:
    """Return the description of the platform's main container, once it answers.

    Raises:
        LinkError: it does not answer.
        UsageError: it has another name.
    """
    domain = container.main_domain
    name = domain.partition(".")[0]
    option = "--join" if settings.join is not None else "--main"
    try:
        async with asyncio.timeout(_PATIENCE):
            main = await container.management.describe(domain)
            if main.is_main:
                return main
            others = await container.management.list_containers()
    except TimeoutError:
        raise _no_answer(container) from None
    except ManagementError as error:
        raise LinkError(
            f"the platform's container {name} cannot be reached ({error}); start it, or choose "
            f"another one with {option}"
        ) from None
    real = next((other.name for other in others if other.is_main), "another")
    raise UsageError(f"the platform's container is {real}, not {name}; set it with {option}")
