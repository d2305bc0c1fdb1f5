"""Names of other platforms' agents as addresses here, and back.

FIPA's name of an agent is its own name, an `@` and that of its home platform: `seller@jade-platform`, or
`Buyer 1@192.168.1.7:1099/JADE`. In a container with a gateway it is `seller%jade-platform`, in others of its
platform `seller%jade-platform@c1`: an address like all others, that leads to the gateway. What cannot be in
one is escaped as in XEP-0106, and letters are small, since neither XMPP nor JADE tells them from large ones.
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
    """Return what stands before the `@` in an address here for an agent of another platform.

    Args:
        name: FIPA's name of it.

    Raises:
        InvalidNameError: it is none, or an address cannot have it.
    """
    own, at, platform = _fold(name).rpartition("@")
    if not at or not own or not platform:
        raise InvalidNameError(
            f"{shorten(name)} is not the name of an agent of another platform, such as 'seller@jade-platform'"
        )
    return check_local(f"{_escape(own)}{_SIGN}{_escape(platform)}")


def from_local(local: str) -> str:
    """Return FIPA's name of an agent, in small letters, from what stands before the `@` here.

    Raises:
        InvalidNameError: it is that of no agent of another platform.
    """
    own, sign, platform = local.rpartition(_SIGN)
    if not sign or not own or not platform or _SIGN in own:
        raise InvalidNameError(
            f"{shorten(local)} is not an agent of another platform, such as 'seller%jade-platform'"
        )
    return f"{_unescape(own)}@{_unescape(platform)}"


def platform_of(name: str) -> str:
    """Return the platform in FIPA's name of an agent, in small letters."""
    return _fold(name).rpartition("@")[2]


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKC", name).lower()


def _escape(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"\\{ord(found[0]):02x}", text)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
