"""What the keys of hosts.toml may be: each has a function that returns its value, or says what is wrong."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formicary.core import names
from formicary_bench.files.toml_files import guess, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

CONTAINERS, SERVER = "containers", "server"
"""What a host may be for: agents' containers, an XMPP server, or both."""

_ROLES = (CONTAINERS, SERVER)
_LARGEST_PORT = 65535
_LONGEST_NAME = 253  # of a host, RFC 1035
_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?\.?")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@\\+-]*\$?")
_INTERFACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class WrongError(ValueError):
    """A value is not what its key takes.

    Args:
        sentence: what is wrong, and what to write instead.
        within: what of the value it is about: the key in a table; nothing if it is all of it.
    """

    def __init__(self, sentence: str, *within: str) -> None:
        super().__init__(sentence)
        self.within = within


class SeveralError(ValueError):
    """Several things are wrong with a value.

    Args:
        wrong: each of them.
    """

    def __init__(self, wrong: Iterable[WrongError]) -> None:
        super().__init__()
        self.wrong = tuple(wrong)


@dataclass(frozen=True)
class Kind:
    """What a key takes.

    Attributes:
        check: returns the value as the program wants it, given the folder of the file.
        is_own: whether it belongs to one host, and is nothing for the table `defaults`.
    """

    check: Callable[[Any, Path], Any]
    is_own: bool = False


def name(value: Any, _: Path) -> str:
    """Return the name of a host or a group."""
    text = _text(value, '"lab-1"')
    if not names.is_container(text):
        raise WrongError(
            f"{shown(text)} cannot be a name; take 1 to 63 of a-z, 0-9 and inner hyphens, but not localhost"
        )
    return text


def _text(value: Any, example: str) -> str:
    if not isinstance(value, str):
        raise WrongError(f"{shown(value)} is no text; write it in quotes, such as {example}")
    if not value.isprintable():
        raise WrongError(f"{shown(value)} has control characters in it; leave them out")
    return value


def _address(value: Any, _: Path) -> str:
    text = _text(value, '"192.0.2.7"')
    if "@" in text:
        raise WrongError(f"{shown(text)} has a user in it; write the user with the key `user`")
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        pass
    if not _HOST.fullmatch(text) or len(text) > _LONGEST_NAME or text.replace(".", "").isdigit():
        raise WrongError(
            f"{shown(text)} is no address; write a host's name or its IP address alone, such as "
            '"node1.example" or "192.0.2.7", and the port with the key `port`'
        )
    return text


def _port(value: Any, _: Path) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LARGEST_PORT:
        raise WrongError(f"{shown(value)} is no port; write a whole number from 1 to {_LARGEST_PORT}")
    return value


def _user(value: Any, _: Path) -> str:
    text = _text(value, '"ada"')
    if text and not _USER.fullmatch(text):
        raise WrongError(f"{shown(text)} is no user's name; write the one to log in with")
    return text


def _file(value: Any, folder: Path) -> Path | None:
    text = _text(value, '"~/.ssh/id_ed25519"')
    if not text:
        return None
    try:
        path = folder / Path(text).expanduser()
    except RuntimeError:
        raise WrongError(f"{shown(text)} names a user that there is not; write the whole path") from None
    try:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "is not there"
            raise WrongError(
                f"the file {path} {what}; write the path of one, relative to this file or absolute"
            )
        if not os.access(path, os.R_OK):
            raise WrongError(
                f"the file {path} may not be read by this account; `chmod u+r` it, if it is yours"
            )
    except OSError as error:
        raise WrongError(f"the file {shown(str(path))} cannot be looked at: {error.strerror}") from None
    return path


def _key(value: Any, folder: Path) -> Path | None:
    path = _file(value, folder)
    if path is not None and path.suffix == ".pub":
        raise WrongError(f"{path} is a public key; write the file with the private one, {path.stem}")
    return path


def _jump(value: Any, folder: Path) -> str:
    return name(value, folder) if value != "" else ""


def _python(value: Any, _: Path) -> str:
    text = _text(value, '"python3.12"')
    if not text or text.startswith("-") or ("/" in text and not text.startswith(("/", "~/"))):
        raise WrongError(
            f"{shown(text)} is no Python on the host; write a program's name, or a path that begins with / "
            'or ~/, such as "python3.12"'
        )
    return text


def _there(value: Any, _: Path) -> str:
    text = _text(value, '"~/formicary"')
    parts = set(text.removeprefix("~").split("/")) - {"", "."}
    if text and (not text.startswith(("/", "~/")) or not parts or ".." in parts):
        raise WrongError(
            f"{shown(text)} is no folder of its own on the host; write a path that begins with / or ~/, "
            'such as "~/formicary"'
        )
    return text


def _folder(value: Any, folder: Path) -> str:
    if value == "":
        raise WrongError("the folder has no path; leave the key out for the usual one")
    return _there(value, folder)


def _roles(value: Any, _: Path) -> tuple[str, ...]:
    def role(one: Any) -> str:
        if one not in _ROLES:
            near = guess(one, _ROLES) if isinstance(one, str) else ""
            raise WrongError(f"{shown(one)} is no role; there are {CONTAINERS} and {SERVER}{near}")
        return str(one)

    found = _list(value, role, f'["{CONTAINERS}"]')
    if not found:
        raise WrongError(f"a host needs a role; write {CONTAINERS}, {SERVER}, or leave the key out for both")
    return found


def _groups(value: Any, folder: Path) -> tuple[str, ...]:
    return _list(value, lambda one: name(one, folder), '["east"]')


def _list(value: Any, check: Callable[[Any], str], example: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise WrongError(f"{shown(value)} is no list; write it in brackets, such as {example}")
    found = _each([("", one) for one in value], lambda _, one: check(one))
    return tuple(dict.fromkeys(found))


def _environment(value: Any, _: Path) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise WrongError(f'{shown(value)} is no table; write one, such as {{ LANG = "C.UTF-8" }}')
    return dict(zip(value, _each(value.items(), _variable), strict=True))


def _variable(key: str, value: Any) -> str:
    if not _VARIABLE.fullmatch(key):
        raise WrongError(
            f"{shown(key)} is no name of an environment variable; take A-Z, a-z, 0-9 and _, not beginning "
            "with a digit"
        )
    if not isinstance(value, str) or "\0" in value:  # the value may be a secret: it is not shown
        raise WrongError('the value is no text; write it in quotes, such as "1"')
    return value


def _each(items: Iterable[tuple[str, Any]], check: Callable[[str, Any], str]) -> list[str]:
    found, wrong = [], []
    for key, value in items:
        try:
            found.append(check(key, value))
        except WrongError as error:
            wrong.append(WrongError(str(error), *([key] if key else [])))
    if wrong:
        raise SeveralError(wrong)
    return found


def _interface(value: Any, _: Path) -> str:
    text = _text(value, '"eth0"')
    if text and not _INTERFACE.fullmatch(text):
        raise WrongError(f'{shown(text)} is no network interface; write its name, such as "eth0"')
    return text


def _listen(value: Any, _: Path) -> str:
    text = _text(value, '"192.0.2.7"')
    if not text:
        return text
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise WrongError(
            f"{shown(text)} is no IP address; write one of the host's, such as 192.0.2.7"
        ) from None
    if address.is_unspecified or address.is_multicast:
        raise WrongError(
            f"{text} is not the address of one interface; write the one at which other hosts reach this one"
        )
    return str(address)


KINDS: Mapping[str, Kind] = {
    "address": Kind(_address, is_own=True),
    "port": Kind(_port),
    "user": Kind(_user),
    "key": Kind(_key),
    "known_hosts": Kind(_file),
    "jump": Kind(_jump),
    "python": Kind(_python),
    "venv": Kind(_there),
    "folder": Kind(_folder),
    "roles": Kind(_roles),
    "groups": Kind(_groups),
    "environment": Kind(_environment),
    "interface": Kind(_interface),
    "listen": Kind(_listen, is_own=True),
}
"""All keys of a host."""
