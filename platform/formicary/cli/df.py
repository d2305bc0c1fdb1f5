"""`formicary df`: the directory of a running platform."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.located import PAGE, cells, fields, find_all
from formicary.cli.options import Json, examples
from formicary.cli.output import say
from formicary.cli.values import parse_condition, parse_pairs

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Sequence

    from formicary.directory.interface import Change, Subscription
    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.query import Query
    from formicary.management.descriptions import AgentPlace

app = typer.Typer(
    no_args_is_help=True,
    help="Search the directory of a running platform for services and the agents that offer them.",
)

Type = Annotated[str | None, typer.Option("--type", help="Only services of this type.", show_default=False)]
What = Annotated[
    str | None,
    typer.Argument(metavar="[WHAT]", help="Only services of this type or name.", show_default=False),
]
Name = Annotated[str | None, typer.Option("--name", help="Only services with this name.", show_default=False)]
Agent = Annotated[
    str | None, typer.Option(help="Only services of this agent, such as printer@c2.", show_default=False)
]
Properties = Annotated[
    list[str] | None,
    typer.Option(
        "--property",
        metavar="KEY=VALUE",
        help="Only services with this property, as JSON or plain text; repeat for several.",
        show_default=False,
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CONDITION",
        help="Only services that meet this condition; repeat for several: 'dpi>=300', 'colour!=red', "
        "'model^=HP' (begins with), 'size in a4,a5'.",
        show_default=False,
    ),
]

_COLUMNS = ("TYPE", "NAME", "AGENT", "CONTAINER", "STATE", "PROPERTIES")
_LOOK = 1.0  # s between checks that the platform is still there


@app.command(name="list", epilog=examples("df list", "df list --type printer", "df list --json"))
@in_guest_session
async def list_(session: GuestSession, *, type_: Type = None, as_json: Json = False) -> None:
    """List all services, oldest first.

    CONTAINER and STATE are those of the agent, as in `formicary agents`. They are
    blank if a container does not answer within 5 seconds, which is reported, and
    for agents that are gone or outside the platform. STATE alone is blank for
    agents that have just left one container and not arrived in the next.

    Exit codes are those of `formicary ps`, except for containers that do not
    answer.
    """
    await _show(session, await find_all(session, _query(session, type_=type_)), as_json=as_json)


@app.command(
    epilog=examples(
        "df search printer",
        "df search --type printer --property formats=pdf",
        "df search --where 'dpi>=300' --where 'colour!=none' --max-results 5",
    )
)
@in_guest_session
async def search(
    session: GuestSession,
    what: What = None,
    *,
    type_: Type = None,
    name: Name = None,
    agent: Agent = None,
    properties: Properties = None,
    where: Where = None,
    max_results: Annotated[int, typer.Option(min=1, max=PAGE, help="Maximum number of results.")] = 100,
    as_json: Json = False,
) -> None:
    """Find services that match all conditions.

    A word without an option is the type or name of a service. An empty result is
    not an error. Columns and exit codes are those of `formicary df list`.
    """
    found: dict[tuple[str, str], ServiceDescription] = {}
    for type_or_none, name_or_none in _readings(what, type_, name):
        query = _query(
            session,
            type_=type_or_none,
            name=name_or_none,
            agent=agent,
            properties=properties,
            where=where,
            max_results=max_results,
        )
        more = await session.directory.search(query)
        found |= {(service.agent, service.name): service for service in more}
    shown = list(found.values())[:max_results]
    await _show(session, shown, as_json=as_json)
    if len(shown) == max_results:
        say(f"formicary: there may be more than {max_results} results; see --max-results", err=True)


@app.command(epilog=examples("df watch --type printer", "df watch --where 'dpi>=300' --for 60 --json"))
@in_guest_session
async def watch(
    session: GuestSession,
    *,
    type_: Type = None,
    name: Name = None,
    agent: Agent = None,
    properties: Properties = None,
    where: Where = None,
    seconds: Annotated[
        float | None,
        typer.Option("--for", metavar="SECONDS", min=0, help="Stop after this time.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print services as they appear, change and disappear, until Ctrl-C.

    The exit code is 130 after Ctrl-C, 0 with --for, 3 if the platform ends, and 1
    if it has a look-up directory, which cannot be watched.
    """
    query = _query(session, type_=type_, name=name, agent=agent, properties=properties, where=where)
    async with (
        session.directory.subscribe(query) as changes,
        aclosing(_changes(session, changes, seconds)) as all_,
    ):
        async for change in all_:
            _tell(change, as_json=as_json)


async def _changes(
    session: GuestSession, changes: Subscription, seconds: float | None
) -> AsyncGenerator[Change, None]:
    """Yield changes for some seconds, or until the platform is gone."""
    loop = asyncio.get_running_loop()
    until = None if seconds is None else loop.time() + seconds
    while until is None or loop.time() < until:
        left = _LOOK if until is None else min(_LOOK, until - loop.time())
        try:
            async with asyncio.timeout(left):
                change = await anext(changes)
        except TimeoutError:
            session.check()
        else:
            yield change


def _readings(
    what: str | None, type_: str | None, name: str | None
) -> Iterator[tuple[str | None, str | None]]:
    """Yield the types and names to search for: text that may be either takes two queries."""
    if what is None:
        yield type_, name
        return
    if type_ in {None, what}:
        yield what, name
    if name in {None, what}:
        yield type_, what


def _query(
    session: GuestSession,
    *,
    type_: str | None,
    name: str | None = None,
    agent: str | None = None,
    properties: list[str] | None = None,
    where: list[str] | None = None,
    max_results: int = 100,
) -> Query:
    from formicary.core.names import check_receiver, complete
    from formicary.directory.model.query import Query

    if agent is not None:
        agent = complete(check_receiver(agent), session.main.domain, session.container.platform)
    return Query(
        type=type_,
        name=name,
        agent=agent,
        properties=parse_pairs("--property", properties),
        where=tuple(map(parse_condition, where or ())),
        max_results=max_results,
    )


async def _show(session: GuestSession, services: Sequence[ServiceDescription], *, as_json: bool) -> None:
    from formicary.cli.output import say_missing, show_json, show_table

    places = await session.management.locate(service.agent for service in services)
    if as_json:
        from msgspec import to_builtins

        found = [
            to_builtins(service) | fields(place) for service, place in zip(services, places, strict=True)
        ]
        show_json({"services": found, "missing": places.missing})
    else:
        show_table(_COLUMNS, map(_located_row, services, places))
    say_missing(places.missing)  # no failure: the list of services is complete


def _located_row(service: ServiceDescription, place: AgentPlace) -> tuple[str, ...]:
    *front, details = _row(service)
    return *front, *cells(place), details


def _row(service: ServiceDescription) -> tuple[str, ...]:
    return service.type, service.name, service.agent, _details(service)


def _tell(change: Change, *, as_json: bool) -> None:
    """Print a change."""
    from formicary.cli.output import show_json

    for service in change.services:
        if as_json:
            show_json({"event": "there", "service": service})
        else:
            say("  ".join(("+", *filter(None, _row(service)))))
    for gone in change.gone:
        if as_json:
            show_json({"event": "gone", "agent": gone.agent, "name": gone.name})
        else:
            say(f"-  {gone.name}  {gone.agent}")


def _details(service: ServiceDescription) -> str:
    """Return a service's properties, protocols, languages and ontologies in one line."""
    values: dict[str, Any] = dict(service.properties)
    for field in ("protocols", "ontologies", "languages", "ownership"):
        if getattr(service, field):
            values[f"({field})"] = getattr(service, field)
    return " ".join(f"{name}={_say(value)}" for name, value in values.items())


def _say(value: Any) -> str:
    import json

    from formicary.core.quoting import printable_json

    if isinstance(value, str) and value.isprintable() and value and not set(value) & set(' ",'):
        return value
    if isinstance(value, tuple):
        return ",".join(map(_say, value))
    return printable_json(json.dumps(value, ensure_ascii=False))
