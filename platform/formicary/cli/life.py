"""Commands that actions on agents declare, such as `kill` and `suspend`."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.options import Json, examples
from formicary.cli.output import say, show_json
from formicary.core.errors import FormicaryError
from formicary.management.requests.actions import actions
from formicary.management.requests.language import OfAgent

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.management.requests.language import Command

_BY_NAME = inspect.Parameter.KEYWORD_ONLY

Names = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME...",
        help="Full name, such as printer@c2, or a short one, such as printer, if it is unique.",
        show_default=False,
    ),
]


def __getattr__(name: str) -> Any:
    """Return an action's command by its name; by its name in capitals, the examples below its help."""
    kind = actions().get(name.lower().replace("_", "-"))
    if kind is None or kind.command is None or not issubclass(kind, OfAgent):
        raise AttributeError(name)
    return examples(*kind.command.examples) if name.isupper() else command_for(name, kind, kind.command)


def command_for(name: str, kind: type[OfAgent[Any]], command: Command) -> Callable[..., None]:
    """Return the function of the command that an action declares."""

    async def run(session: GuestSession, /, names: list[str], *, as_json: bool, **given: Any) -> None:
        arguments = {
            field: command.options[field].default if value is None else value
            for field, value in given.items()
        }

        async def do_one(typed: str) -> tuple[str, str | None]:
            try:
                full = await session.full_name(typed)
                await session.management.perform(kind(full, **arguments))
            except FormicaryError as error:
                return typed, str(error)
            return full, None

        results = await asyncio.gather(*map(do_one, dict.fromkeys(names)))
        if as_json:
            show_json([{"agent": agent, "done": error is None, "error": error} for agent, error in results])
        for agent, error in results:
            if error is not None:
                say(f"formicary: {error}", err=True)
            elif not as_json:
                say(f"{command.done} {agent}")
        if any(error is not None for _, error in results):
            raise typer.Exit(1)

    options = {
        field: Annotated[
            float | None,
            typer.Option(each.flag, metavar=each.metavar, min=0, help=each.help, show_default=False),
        ]
        for field, each in command.options.items()
    }
    session, names, *_ = inspect.signature(run, eval_str=True).parameters.values()
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # functions may have one
        [
            session,
            names.replace(annotation=Names),
            *(inspect.Parameter(each, _BY_NAME, annotation=of, default=None) for each, of in options.items()),
            inspect.Parameter("as_json", _BY_NAME, annotation=Json, default=False),
        ]
    )
    run.__name__, run.__doc__ = name, inspect.cleandoc(command.help)
    return in_guest_session(run)
