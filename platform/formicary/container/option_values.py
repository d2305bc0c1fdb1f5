"""Checks the value of each option of a container before anything is opened."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from formicary.container.protocols import Connectable
from formicary.core.errors import UsageError
from formicary.core.quoting import shorten
from formicary.core.times import check_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

_YES_OR_NO = (True, False)
_CHOICES: Mapping[str, tuple[object, ...]] = {
    "route": ("auto", "direct", "xmpp"),
    "tls": (True, False, "always"),
    "when_full": ("wait", "fail"),
    "conversation_rules": ("strict", "lenient"),
    "copy": _YES_OR_NO,
    "guest": _YES_OR_NO,
}
_TEXTS: Mapping[str, str] = {
    "join": "the other container's join_address, as text",
    "listen": "the IP address at which others can reach this container, such as '127.0.0.1'",
}


def check_values(options: Mapping[str, Any]) -> None:
    """Check the values of options; None is accepted where it is the default.

    Args:
        options: options of `Container`, by name.

    Raises:
        UsageError: an option cannot have its value.
    """
    for name, given in options.items():
        if given is not None or name in _CHOICES:
            _check(name, given)


def _check(name: str, given: Any) -> None:
    if name in _CHOICES:
        choices = _CHOICES[name]
        if not any(given is each or (isinstance(given, str) and given == each) for each in choices):
            raise _error(name, f"one of {', '.join(map(repr, choices))}", given)
    elif name in _TEXTS:
        if not isinstance(given, str):
            raise _error(name, _TEXTS[name], given)
    elif check := _CHECKS.get(name):
        check(name, given)


def _error(name: str, wanted: str, given: object) -> UsageError:
    return UsageError(f"{name}= must be {wanted}, not {shorten(given)}")


def _check_server(name: str, given: object) -> None:
    if isinstance(given, Connectable) and not isinstance(given, type):
        return
    from formicary.server.account import AccountAddress
    from formicary.server.address import ServerAddress

    if isinstance(given, str | os.PathLike):
        raise UsageError(f"{name}= must be a ServerAddress: write ServerAddress.load({os.fspath(given)!r})")
    if not isinstance(given, ServerAddress | AccountAddress):
        raise _error(name, "a ServerAddress, such as ServerAddress.load()", given)


def _check_limit(name: str, given: object) -> None:
    least = 0 if name == "mailbox_limit" else 1  # as a queue without any room would take nothing
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        more = "" if least else ", or 0 for no limit"
        raise _error(name, f"a number of messages above 0, such as 1000{more}", given)


def _check_path(name: str, given: object) -> None:
    if not isinstance(given, str | os.PathLike):
        raise _error(name, "the path of a file", given)


def _check_modules(name: str, given: Any) -> None:
    check_modules(f"{name}=", given)


def _check_send_timeout(name: str, given: object) -> None:
    check_seconds(given, f"{name}=", least=0)


def as_path(given: Path | str | None) -> Path | None:
    """Return an option's file as a path."""
    if given is None:
        return None
    from pathlib import Path

    return Path(given)


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


_CHECKS: Mapping[str, Callable[[str, Any], object]] = {
    "server": _check_server,
    "mailbox_limit": _check_limit,
    "queue_limit": _check_limit,
    "send_timeout": _check_send_timeout,
    "identity": _check_path,
    "directory_file": _check_path,
    "sleepers": _check_path,
    "creatable": _check_modules,
    "accepts": _check_modules,
}
