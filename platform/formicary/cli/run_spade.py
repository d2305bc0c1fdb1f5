"""`formicary run --spade`: runs a program written for SPADE."""

from __future__ import annotations

import contextlib
import runpy
import sys
from typing import TYPE_CHECKING, Any

from formicary.cli.output import complain, say
from formicary.cli.running import report_dead_letters, to_be_joined
from formicary.container.options import Limits
from formicary.core.errors import FormicaryError, UsageError
from formicary.core.tracebacks import as_raised, raised_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from formicary.children.script import Script
    from formicary.cli.connecting import ConnectionSettings
    from formicary.cli.running import Plan
    from formicary.container.container import Container
    from formicary.spade.account import Accounts


def run_spade(plan: Plan, refused: Mapping[str, Any]) -> None:
    """Run a SPADE program as Python would, with our package in place of SPADE.

    Exceptions are shown as Python shows them, and end this process with exit code 1.

    Args:
        plan: what to run.
        refused: the given values of options that SPADE programs cannot have.

    Raises:
        UsageError: the program or an option cannot be used.
        SystemExit: the program raised it or another exception.
        KeyboardInterrupt: it was interrupted.
    """
    script, settings = _checked(plan.script, refused), plan.settings
    from formicary.spade.container import MAILBOX_LIMIT
    from formicary.spade.container import Container as SpadeContainer
    from formicary.spade.importing import install

    opened: list[Container] = []

    @contextlib.asynccontextmanager
    async def opener() -> AsyncIterator[Container]:
        container = settings.container(plan.name or "c1", plan.seed, limits=Limits(mailbox=MAILBOX_LIMIT))
        opened.append(container)
        async with container:
            with to_be_joined(container, settings.can_be_joined_at) as hints:
                for hint in hints:
                    say(hint, err=True)
                yield container

    SpadeContainer().opener = opener
    SpadeContainer().accounts = _accounts(settings)
    install()
    try:
        _run(script)
    except FormicaryError as error:
        complain(f"{error} ({raised_at(error)})")
        raise SystemExit(error.exit_code) from None
    except Exception as error:  # noqa: BLE001 -- whatever a program raises is shown as Python does
        kind, _, trace = as_raised(error)
        sys.excepthook(kind, error.with_traceback(trace), trace)
        raise SystemExit(1) from None
    finally:
        for container in opened:
            report_dead_letters(container.dead_letters.total, container.dead_letters.reasons)


def _run(script: Script) -> None:
    from formicary.children.script import look_first_in

    if script.module is not None:
        runpy.run_module(script.module, run_name="__main__", alter_sys=True)
    else:
        look_first_in(script.path.resolve().parent)
        runpy.run_path(script.file, run_name="__main__")


def _accounts(settings: ConnectionSettings) -> Accounts | None:
    """Return the agents' accounts on the private server where containers meet, if any."""
    folder = settings.server_folder
    if folder is None:
        return None
    from formicary.spade.account import Accounts

    return Accounts(folder)


def _checked(script: Script | None, refused: Mapping[str, Any]) -> Script:
    if script is None:
        raise UsageError("nothing to run: specify a script")
    if not script.path.is_file():
        raise UsageError(f"cannot read the script {script.file}: no such file")
    given = [option for option, value in refused.items() if value is not None]
    if given:
        raise UsageError(
            f"a SPADE program creates its own agents and ends by itself: with --spade, omit {given[0]}"
        )
    return script
