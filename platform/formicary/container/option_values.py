"""Checks values of a container's options: one sentence for each that is invalid."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from formicary.core.errors import UsageError
from formicary.core.quoting import shorten
from formicary.delivery.protocols import Connectable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.compute.pool import Means


def error(name: str, wanted: str, given: object) -> UsageError:
    """Return the error for an option with an invalid value."""
    return UsageError(f"{name}= must be {wanted}, not {shorten(given)}")


def check_choice(name: str, given: object, *choices: object) -> None:
    """Check that a value is one of the choices; UsageError."""
    if not any(given is each or (isinstance(given, str) and given == each) for each in choices):
        raise error(name, f"one of {', '.join(map(repr, choices))}", given)


def check_text(name: str, given: object, wanted: str) -> None:
    """Check that a value is text or None; UsageError with what is wanted."""
    if given is not None and not isinstance(given, str):
        raise error(name, wanted, given)


def check_count(name: str, given: object, *, least: int = 1) -> None:
    """Check that a value is a number of messages; UsageError."""
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        more = "" if least else ", or 0 for no limit"
        raise error(name, f"a number of messages above 0, such as 1000{more}", given)


def check_path(name: str, given: object) -> None:
    """Check that a value is a path or None; UsageError."""
    if given is not None and not isinstance(given, str | os.PathLike):
        raise error(name, "the path of a file", given)


def check_server(given: object) -> None:
    """Check that a value is a server or None; UsageError."""
    if given is None or (isinstance(given, Connectable) and not isinstance(given, type)):
        return
    from formicary.server.account import AccountAddress
    from formicary.server.address import ServerAddress

    if isinstance(given, str | os.PathLike):
        raise UsageError(f"server= must be a ServerAddress: write ServerAddress.load({os.fspath(given)!r})")
    if not isinstance(given, ServerAddress | AccountAddress):
        raise error("server", "a ServerAddress, such as ServerAddress.load()", given)


def check_mode(given: object) -> None:
    """Check the mode of one container; UsageError."""
    if given == "pooled":
        raise UsageError("a container is one process; for several, use LocalPlatform(mode='pooled')")
    check_choice("mode", given, "asynchronous", "synchronous")


def check_means(given: Means) -> Means:
    """Return what runs functions; UsageError if it cannot."""
    check_choice("compute_in", given, "auto", "processes", "threads", "interpreters")
    if given == "interpreters" and sys.version_info < (3, 14):
        raise UsageError(
            "compute_in='interpreters' needs Python 3.14 or later, and this is "
            f"{'.'.join(map(str, sys.version_info[:3]))}: use 'processes'"
        )
    return given


def check_modules(option: str, given: Sequence[str]) -> tuple[str, ...]:
    """Return the names of packages and modules of an option.

    Args:
        option: the option's name in the sentence, such as `creatable=`.
        given: the names.

    Raises:
        UsageError: these are no names of modules, or there is no such module.
    """
    from importlib.util import find_spec

    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, list | tuple | set | frozenset):
        raise UsageError(
            f"{option} must be a list of package or module names, such as ['shop'], not {shorten(given)}"
        )
    for each in names:
        if not isinstance(each, str) or not all(part.isidentifier() for part in each.split(".")):
            raise UsageError(f"{option} takes package or module names, such as ['shop'], not {each!r}")
        top = each.partition(".")[0]
        if top not in sys.modules and find_spec(top) is None:
            raise UsageError(
                f"{option} names {each!r}, and there is no package or module {top!r} here: install "
                "it, or start in the folder that contains it"
            )
    return tuple(names)
