"""Conversion between names of other platforms' agents and addresses here.

An agent's FIPA name is its own name, an `@` and its home platform's name: `seller@jade-platform`, or `Buyer
1@192.168.1.7:1099/JADE`. In a container with a gateway its address is `seller%jade-platform`, in the
platform's others `seller%jade-platform@c1`, which leads to the gateway. Other characters are escaped as in
XEP-0106, and letters are lower-case, since neither XMPP nor JADE distinguishes case.
"""

from __future__ import annotations

import re
import unicodedata

from formicary.errors import InvalidNameError
from formicary.extending import check_local, shorten

_SIGN = "%"
_ESCAPED = re.compile("[ \"%&'/:<>@\\\\]")
_ESCAPE = re.compile(r"\\(20|22|25|26|27|2f|3a|3c|3e|40|5c)")


def is_foreign(local: str) -> bool:
    """Return whether a local name belongs to an agent of another platform."""
    return _SIGN in local


def to_local(name: str) -> str:
    """Return the local part of the address here for an agent of another platform.

    Raises:
        InvalidNameError: it is invalid, or cannot be part of an address.
    """
    own, at, platform = _fold(name).rpartition("@")
    if not at or not own or not platform:
        raise InvalidNameError(
            f"{shorten(name)} is not the name of an agent of another platform, such as 'seller@jade-platform'"
        )
    return check_local(f"{_escape(own)}{_SIGN}{_escape(platform)}")


def from_local(local: str) -> str:
    """Return an agent's FIPA name, in lower case, from the local part of its address here.

    Raises:
        InvalidNameError: it belongs to no agent of another platform.
    """
    own, sign, platform = local.rpartition(_SIGN)
    if not sign or not own or not platform or _SIGN in own:
        raise InvalidNameError(
            f"{shorten(local)} is not an agent of another platform, such as 'seller%jade-platform'"
        )
    return f"{_unescape(own)}@{_unescape(platform)}"


def platform_of(name: str) -> str:
    """Return the platform in an agent's FIPA name, in lower case."""
    return _fold(name).rpartition("@")[2]


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKC", name).lower()


def _escape(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"\\{ord(found[0]):02x}", text)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
