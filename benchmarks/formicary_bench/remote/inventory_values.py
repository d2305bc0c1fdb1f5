"""Values of the keys in hosts.toml."""

from __future__ import annotations

import ipaddress
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from formicary.core import names
from formicary_bench.files.toml_files import WrongError, convert, each, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONTAINERS, SERVER = "containers", "server"
"""The roles of hosts."""

_LONGEST_NAME = 253  # of a host, RFC 1035
_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?\.?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _text(example: str, pattern: str | None = None, description: str | None = None) -> Any:
    return Annotated[str, Meta(pattern=pattern, description=description, examples=[example])]


_NAME = Annotated[str, Meta(examples=["lab-1"])]
_PORT = Annotated[int, Meta(ge=1, le=65535, description="no port; write a whole number from 1 to 65535")]
_USER = _text(
    "ada",
    r"^([A-Za-z0-9_][A-Za-z0-9_.@\\+-]*\$?)?$",
    "no user's name; write the one to log in with",
)
_PYTHON = _text(
    "python3.12",
    r"^([^/-][^/]*|~?/.*)$",
    "no Python on the host; write a program's name, or a path that begins with / or ~/, such as "
    '"python3.12"',
)
_ROLE = Annotated[Literal["containers", "server"], Meta(title="role")]
_INTERFACE = _text(
    "eth0",
    r"^([A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14})?$",
    'no network interface; write its name, such as "eth0"',
)


def check_name(value: Any) -> str:
    """Return the name of a host or a group; raise a WrongError if it cannot be one."""
    text: str = convert(value, _NAME)
    if not names.is_container(text):
        raise WrongError(
            f"{shown(text)} cannot be a name; use 1 to 63 of a-z, 0-9 and inner hyphens, but not localhost"
        )
    return text


def _address(text: str, _: Path) -> str:
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


def _open_at_once(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NONBLOCK)  # where the file is a pipe, nobody may write to it


def _file(text: str, folder: Path) -> Path | None:
    if not text:
        return None
    try:
        path = folder / Path(text).expanduser()
    except RuntimeError:
        raise WrongError(f"{shown(text)} names an unknown user; write the whole path") from None
    try:
        with open(path, "rb", opener=_open_at_once):
            pass
    except OSError as error:
        raise WrongError(
            f"the file {path} cannot be read ({error.strerror}); write the path of one, relative to this "
            "file or absolute"
        ) from None
    return path


def _key(text: str, folder: Path) -> Path | None:
    path = _file(text, folder)
    if path is not None and path.suffix == ".pub":
        raise WrongError(f"{path} is a public key; write the file with the private one, {path.stem}")
    return path


def _remote_folder(text: str, _: Path) -> str:
    parts = set(text.removeprefix("~").split("/")) - {"", "."}
    if text and (not text.startswith(("/", "~/")) or not parts or ".." in parts):
        raise WrongError(
            f"{shown(text)} is no folder of its own on the host; write a path that begins with / or ~/, "
            'such as "~/formicary"'
        )
    return text


def _folder(text: str, folder: Path) -> str:
    if not text:
        raise WrongError("the folder has no path; leave the key out for the default")
    return _remote_folder(text, folder)


def _roles(found: tuple[str, ...], _: Path) -> tuple[str, ...]:
    if not found:
        raise WrongError(f"a host needs a role; write {CONTAINERS}, {SERVER}, or leave the key out for both")
    return found


def _environment(value: Any, _: Path) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise WrongError(f'{shown(value)} is no table; write one, such as {{ LANG = "C.UTF-8" }}')
    return dict(each(value.items(), _variable))


def _variable(item: tuple[str, Any]) -> tuple[str, str]:
    key, value = item
    if not _VARIABLE.fullmatch(key):
        raise WrongError(
            f"{shown(key)} is not the name of an environment variable; use A-Z, a-z, 0-9 and _, not "
            "beginning with a digit",
            key,
        )
    if not isinstance(value, str) or "\0" in value:  # the value may be a secret: it is not shown
        raise WrongError('the value is no text; write it in quotes, such as "1"', key)
    return key, value


def _listen(text: str, _: Path) -> str:
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


KINDS: Mapping[str, tuple[Any, Callable[[Any, Path], Any] | None]] = {
    "address": (_text("192.0.2.7"), _address),
    "port": (_PORT, None),
    "user": (_USER, None),
    "key": (_text("~/.ssh/id_ed25519"), _key),
    "known_hosts": (_text("~/.ssh/known_hosts"), _file),
    "jump": (_NAME, lambda text, _: text and check_name(text)),
    "python": (_PYTHON, None),
    "venv": (_text("~/formicary"), _remote_folder),
    "folder": (_text("~/formicary"), _folder),
    "roles": (tuple[_ROLE, ...], _roles),
    "groups": (tuple[_NAME, ...], lambda found, _: tuple(each(found, check_name))),
    "environment": (Any, _environment),
    "interface": (_INTERFACE, None),
    "listen": (_text("192.0.2.7"), _listen),
}
"""The keys of a host: the type for `convert`, and what checks a value, given the folder of the file."""

OWN = {"address", "listen"}
"""The keys that `defaults` cannot have."""


def value_of(key: str, value: Any, folder: Path) -> Any:
    """Return the checked value of a key.

    Args:
        key: one of `KINDS`.
        value: what the file says.
        folder: the folder of the file.

    Raises:
        WrongError: it is wrong; or an ExceptionGroup of several.
    """
    kind, check = KINDS[key]
    found = convert(value, kind)
    return check(found, folder) if check else found
