"""`formicary run --spade`: a program that was written for SPADE."""

from __future__ import annotations

import contextlib
import runpy
import sys
from typing import TYPE_CHECKING, Any

from formicary.cli.output import say
from formicary.cli.running import report_dead_letters, to_be_joined
from formicary.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from formicary.cli.connecting import ConnectionSettings
    from formicary.container.container import Container
    from formicary.spade.account import Accounts


def run_spade(
    file: Path | None, settings: ConnectionSettings, name: str, seed: int | None, refused: Mapping[str, Any]
) -> None:
    """Run a program for SPADE as Python runs it, with our package in SPADE's place.

    Args:
        file: the program.
        settings: how its container is to reach others.
        name: the container's.
        seed: of the agents' random generators.
        refused: options that programs cannot have, with what was given.

    Raises:
        UsageError: the program or an option cannot be used.
        BaseException: whatever the program raises.
    """
    _check(file, settings, refused)
    assert file is not None
    from formicary.spade.container import MAILBOX_LIMIT
    from formicary.spade.container import Container as SpadeContainer
    from formicary.spade.importing import install

    opened: list[Container] = []

    @contextlib.asynccontextmanager
    async def opener() -> AsyncIterator[Container]:
        container = settings.container(name, seed, mailbox_limit=MAILBOX_LIMIT)
        opened.append(container)
        async with container:
            with to_be_joined(container, settings.can_be_joined_at) as hints:
                for hint in hints:
                    say(hint, err=True)
                yield container

    SpadeContainer().opener = opener
    SpadeContainer().accounts = _accounts(settings)
    install()
    sys.argv = [str(file)]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        runpy.run_path(str(file), run_name="__main__")
    finally:
        for container in opened:
            report_dead_letters(container.dead_letters.total, container.dead_letters.reasons)


def _accounts(settings: ConnectionSettings) -> Accounts | None:
    """Return which agents have accounts: those of a private server where containers meet."""
    folder = settings.server_folder
    if folder is None:
        return None
    from formicary.spade.account import Accounts

    return Accounts(folder)


def _check(file: Path | None, settings: ConnectionSettings, refused: Mapping[str, Any]) -> None:
    if file is None:
        raise UsageError("there is nothing to run: name a script")
    if not file.is_file():
        raise UsageError(f"the script {file} cannot be read: there is no such file")
    given = [option for option, value in refused.items() if value is not None]
    if settings.creatable:
        given.append("--allow-create")
    if settings.accepts:
        given.append("--accept")
    if given:
        raise UsageError(
            f"a program for SPADE makes its agents and ends by itself: with --spade, leave {given[0]} out"
        )
