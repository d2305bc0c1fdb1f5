"""`formicary watch`: the live view of a running platform, or of a recording."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from formicary.cli.guest_session import GuestSession, Within, with_platform_options
from formicary.cli.options import Json, examples
from formicary.cli.output import say
from formicary.cli.signals import run_until_signal
from formicary.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary.container.container import Container
    from formicary.live.feed import Feed
    from formicary.observe.events import Filters, MessageSeen

EPILOG = examples(
    "watch",
    "watch --web",
    "watch --web --allow act",
    "watch --record shop.formicary",
    "watch shop.formicary --speed 4",
    "watch shop.formicary --conversation sale-17 --export sale.svg",
)

_MEGABYTE = 1_000_000
_EVERYTHING = 1_000_000  # messages of a table

File = Annotated[
    Path | None,
    typer.Argument(metavar="[FILE]", help="A recording; otherwise a running platform.", show_default=False),
]
Web = Annotated[bool, typer.Option("--web", help="Serve the view as a web page, and print its address.")]
Port = Annotated[
    int,
    typer.Option(
        min=0, max=65535, help="Port for the page, on this machine only.", show_default="a free one"
    ),
]
Record = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Record everything to a file, for playback.", show_default=False),
]
RecordSize = Annotated[
    int,
    typer.Option(
        metavar="MB", min=1, help="Maximum size of the file; the oldest events are dropped beyond it."
    ),
]
Allow = Annotated[
    Literal["act"] | None,
    typer.Option(help="Let the view suspend, resume, kill, create and move agents, and send messages."),
]
Speed = Annotated[
    float | None,
    typer.Option(help="Playback speed of a recording; negative plays backwards.", show_default="1"),
]
Conversation = Annotated[
    str | None, typer.Option(metavar="ID", help="Only messages of this conversation.", show_default=False)
]
Export = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write a recording's messages to a picture (.svg, .mmd) or a table (.csv), and exit.",
        show_default=False,
    ),
]


@with_platform_options
def watch(
    within: Within,
    file: File = None,
    *,
    web: Web = False,
    port: Port = 0,
    record: Record = None,
    record_size: RecordSize = 256,
    allow: Allow = None,
    speed: Speed = None,
    conversation: Conversation = None,
    export: Export = None,
    as_json: Json = False,
) -> None:
    """Watch messages, agents, dead letters and links, live or from a recording.

    Shown in the terminal, or in the browser with --web. Containers only collect
    events while someone is watching; under load, the view shows some whole
    conversations and counts the messages it omits. It cannot change anything
    without --allow act.

    A recording can be played forwards and backwards. With --json, each event is a
    line of JSON.

    The exit code is 2 if an option is invalid, 3 if the platform cannot be
    reached or has ended or a recording is corrupt, and 130 after Ctrl-C.
    """
    if file is None:
        if speed is not None or export is not None:
            option = "--speed" if export is None else "--export"
            raise UsageError(
                f"{option} requires a recording: specify its file, or make one with --record FILE"
            )
        _check_view(web=web, is_seen=as_json or record is not None)

        async def watch_platform(session: GuestSession) -> None:
            from formicary.live.joined import JoinedFeed

            feed = JoinedFeed(
                session.container,
                filters=_filters(conversation),
                may_act=allow is not None,
                record=record,
                most_bytes=record_size * _MEGABYTE,
            )
            title = session.main.domain.partition(".")[2]
            await show(feed, title, web=web, port=port, record=record, as_json=as_json)

        within(watch_platform)
    elif record is not None or allow is not None:
        option = "--record" if allow is None else "--allow"
        raise UsageError(f"{option} requires a running platform, and {file} is a recording: omit {option}")
    elif export is not None:
        _export(file, conversation, export)
    elif as_json:
        for message in _messages(file, conversation):
            _print_event(message)
    else:
        _play(file, conversation, speed, web=web, port=port)


def _filters(conversation: str | None) -> Filters:
    from formicary.observe.events import Filters

    return Filters(conversation=conversation or "")


def _play(file: Path, conversation: str | None, speed: float | None, *, web: bool, port: int) -> None:
    from formicary.live.played import PlayedFeed

    _check_view(web=web, is_seen=False)
    feed = PlayedFeed(file, speed=1.0 if speed is None else speed)
    feed.filters = _filters(conversation)
    run_until_signal(show(feed, file.name, web=web, port=port))


def _check_view(*, web: bool, is_seen: bool) -> None:
    """Check that the view can be shown, before anything is opened.

    Raises:
        UsageError: there is no terminal, or something is not installed.
    """
    if web:
        require("aiohttp")
    elif not is_seen:
        if not sys.stdout.isatty():
            raise UsageError("there is no terminal to show the view in: use --web, --json, or --record FILE")
        require("textual")


def require(package: str) -> None:
    """Check that the extra `live` is installed.

    Raises:
        UsageError: it is not.
    """
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise UsageError(
            "the live view requires more packages: install them with `pip install 'formicary[live]'`"
        )


async def show(
    feed: Feed, title: str, *, web: bool, port: int = 0, record: Path | None = None, as_json: bool = False
) -> None:
    """Show a feed until it ends or is interrupted: as a page, in the terminal, as JSON, or not at all."""
    if as_json:
        await _print(feed)
    elif web:
        from formicary.live.web.serving import serve

        rights = "control enabled" if feed.may_act else "read-only"
        await serve(
            feed,
            title=title,
            port=port,
            opened=lambda address: say(f"{address}  ({rights}; press Ctrl-C to stop)"),
            is_kept_open=record is not None,
        )
    elif sys.stdout.isatty():
        from formicary.live.terminal.app import LiveApp

        async with feed:
            await LiveApp(feed, title).show()
    else:
        say(f"recording {title} to {record}; press Ctrl-C to stop", err=True)
        async with feed:
            async for _ in feed:
                pass


@asynccontextmanager
async def viewed(container: Container) -> AsyncIterator[None]:
    """Serve the live view of a container's platform during the block, and print its address."""
    from formicary.live.joined import JoinedFeed
    from formicary.live.web.serving import serving

    feed = JoinedFeed(container, may_act=True)
    async with serving(feed, title=container.platform) as (address, _):
        say(f"live view: {address}  (control enabled)", err=True)
        yield


async def _print(feed: Feed) -> None:
    async with feed:
        async for batch in feed:
            for event in batch:
                _print_event(event)
            if batch:
                sys.stdout.flush()


def _print_event(event: object) -> None:
    from msgspec.structs import asdict

    from formicary.cli.output import show_json

    show_json({"event": type(event).__name__, **asdict(event)})  # type: ignore[arg-type]  # all are structs


def _messages(file: Path, conversation: str | None) -> list[MessageSeen]:
    from formicary.observe.recording import Recording

    with Recording(file) as recording:
        messages = recording.conversation(conversation, _EVERYTHING)
        if not messages and conversation is not None:
            known = recording.conversations()
            some = ", ".join(name for name, _ in known[:3])
            hint = f"it has {len(known)}, such as {some}" if known else "it has no named conversations"
            raise UsageError(f"{file} has no messages in the conversation {conversation!r}: {hint}")
        return messages


def _export(file: Path, conversation: str | None, target: Path) -> None:
    from formicary.cli.output import write_file
    from formicary.core.quoting import counted
    from formicary.observe.exporting import export

    messages = _messages(file, conversation)
    write_file(target, export(messages, target.name).encode(errors="replace"))
    say(f"wrote {counted(len(messages), 'message')} to {target}")
