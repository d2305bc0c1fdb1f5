"""Names of agents, containers and platforms: real XMPP addresses (RFC 7622), FIPA00023's agent names.

An agent's full name is `alice@c1.lab.localhost`: its own name, at its home container's domain, which is the
container's name within the platform's domain. Shorter forms are completed by the container they are used in:
`alice` is an agent of that container, `alice@c2` one of container `c2` of the same platform. Anything else
with a dotted domain (or `localhost`) is an XMPP address outside the platform, with or without a resource.

Names are in the one form that XMPP servers hand on: lower case, NFKC. Another form is refused where it is
written, because a server would change it on the way and replies would go astray. What cannot be seen, such
as control and format characters, is refused (as in RFC 8264), so that printing a name does nothing else.
"""

from __future__ import annotations

import re
from functools import lru_cache

from formicary.core.errors import InvalidNameError
from formicary.core.quoting import character, find_unseen, numbered, shorten

MANAGEMENT = "ams"
"""The name of a container's management agent, which speaks for the container."""

_PLAIN = re.compile(r"[a-z0-9._-]{1,255}")  # what nearly all names are, and fine without another look
_is_plain = _PLAIN.fullmatch
_FORBIDDEN = re.compile(r"[ \"&'/:<>@]")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBERS = re.compile(r"(\d+)")
_LONGEST = 1023  # bytes of a part of an XMPP address, RFC 7622
_LONGEST_DOMAIN = 253  # bytes, RFC 1035


@lru_cache(maxsize=20_000)
def natural(name: str) -> tuple[str | int, ...]:
    """Return the key of natural order, in which `ann-2` comes before `ann-10`."""
    parts = _NUMBERS.split(name.replace("@", " "))  # what is longer comes later, whatever its domain
    return tuple(int(part) if number % 2 else part for number, part in enumerate(parts))


def _check_text(name: object, what: str) -> None:
    if not isinstance(name, str):
        raise InvalidNameError(f"{what} must be text, not {type(name).__name__}: {name!r}")


def check_local(name: str) -> str:
    """Return `name` if it can be an agent's own name; else raise what is wrong with it.

    Args:
        name: the part before the `@`.

    Raises:
        InvalidNameError: with what is wrong and, where there is one, the form that would do.
    """
    given: object = name
    if isinstance(given, str) and _is_plain(given):
        return name
    _check_text(name, "an agent's name")
    if not name:
        raise InvalidNameError("an agent's name must not be empty")
    found = _FORBIDDEN.search(name)
    if letter := find_unseen(name) or (found[0] if found else ""):
        raise InvalidNameError(
            f"the agent name {shorten(name)} contains {character(letter)}; spaces, control and "
            "format characters and \"&'/:<>@ are not allowed in an agent's name"
        )
    import unicodedata

    folded = unicodedata.normalize("NFKC", name).lower()
    if folded != name:
        if name.isascii():
            raise InvalidNameError(f"the agent name {name!r} is not normalised for XMPP; write {folded!r}")
        raise InvalidNameError(
            f"the agent name {name!r} is not normalised for XMPP: it has "
            f"{_first_unlike(name, folded)}; write {folded!r}, as unicodedata.normalize('NFKC', "
            "name).lower() does"
        )
    if len(name.encode()) > _LONGEST:
        raise InvalidNameError(f"the agent name {name[:20]!r}... is longer than {_LONGEST} bytes")
    return name


def _first_unlike(name: str, folded: str) -> str:
    """Return the first characters that differ from the XMPP form, by number, since both may look alike."""
    import unicodedata

    begin = next(
        at for at, (own, other) in enumerate(zip(f"{name} ", f"{folded} ", strict=False)) if own != other
    )
    pair = name[begin : begin + 2]
    is_composed = len(unicodedata.normalize("NFKC", pair)) == 1
    return " and ".join(map(numbered, pair if is_composed else pair[:1]))


def check_container(name: str) -> str:
    """Return `name` if it can be a container's name: one DNS label that is not `localhost`.

    Raises:
        InvalidNameError: with what is wrong.
    """
    _check_text(name, "a container's name")
    if not _LABEL.fullmatch(name):
        raise InvalidNameError(
            f"{name!r} is not a valid container name; use 1 to 63 of a-z, 0-9 and inner hyphens, such as 'c1'"
        )
    if name == "localhost":
        raise InvalidNameError(
            "'localhost' is not a valid container name: it is a host; use 'c1', for example"
        )
    return name


def is_container(name: str) -> bool:
    """Return whether `name` can be a container's name."""
    return name != "localhost" and _LABEL.fullmatch(name) is not None


@lru_cache(maxsize=1000)  # as of `is_domain`
def is_container_of(domain: str, platform: str) -> bool:
    """Return whether `domain` can be a container's of a platform."""
    name, _, rest = domain.partition(".")
    return rest == platform and is_container(name)


@lru_cache(maxsize=1000)  # there are many agents to each
def is_domain(domain: str) -> bool:
    """Return whether something is DNS labels joined by dots."""
    return len(domain) <= _LONGEST_DOMAIN and all(_LABEL.fullmatch(label) for label in domain.split("."))


def check_platform(domain: str) -> str:
    """Return `domain` if it can be a platform's domain: DNS labels joined by dots.

    Raises:
        InvalidNameError: with what is wrong.
    """
    _check_text(domain, "a platform's domain")
    if not is_domain(domain):
        raise InvalidNameError(
            f"{domain!r} is not a valid platform domain; use labels of a-z, 0-9 and inner hyphens "
            "joined by dots, such as 'lab.localhost'"
        )
    return domain


def check_receiver(name: str) -> str:
    """Return `name` if a message can be sent to it, in any of the forms that the module's text lists.

    Raises:
        InvalidNameError: with what is wrong.
    """
    _check_text(name, "a receiver's name")
    address, slash, resource = name.partition("/")
    local, at, domain = address.partition("@")
    if not at:
        if slash:
            raise InvalidNameError(f"{name!r} has a resource but no domain; write 'agent@domain/resource'")
        check_local(local)
        return name
    check_local(local)
    if slash and not resource:
        raise InvalidNameError(f"{name!r} ends in '/' without a resource; remove the '/'")
    if slash and (letter := find_unseen(resource)):
        raise InvalidNameError(
            f"the resource in {shorten(name)} contains {character(letter)}; remove it, along with "
            "any other control and format characters"
        )
    if domain != "localhost" and "." not in domain:
        check_container(domain)
        if slash:
            raise InvalidNameError(f"{name!r} has a resource, but agents have none; write {address!r}")
    elif not is_domain(domain):
        raise InvalidNameError(
            f"{domain!r} in {name!r} is not a valid domain; use labels of a-z, 0-9 and hyphens joined by dots"
        )
    return name


def complete(name: str, domain: str, platform: str) -> str:
    """Return the full form of a name that `check_receiver` has passed.

    Args:
        name: the name as written.
        domain: the full domain of the container it is used in, `c1.lab.localhost`.
        platform: the platform's domain, `lab.localhost`.
    """
    address, _, _ = name.partition("/")
    local, at, host = address.partition("@")
    if not at:
        return f"{name}@{domain}"
    if host == domain:  # its agents have no resources
        return address
    if "." in host or host == "localhost":
        return name
    return f"{local}@{host}.{platform}"


def shorten_for(name: str, domain: str) -> str:
    """Return the shortest form of a full name that is completed to it in a container.

    Args:
        name: the full name; one with a resource is of nobody in the platform.
        domain: the full domain of the container, `c1.lab.localhost`.
    """
    local, _, host = name.partition("@")
    if host == domain:
        return local
    label, _, platform = host.partition(".")
    return f"{local}@{label}" if platform == domain.partition(".")[2] and label != "localhost" else name


def complete_for(name: str, user: str | None) -> str:
    """Return the full form of a name as `user`, the full name of an agent, has written it."""
    domain = (user or "").partition("@")[2]
    return complete(name, domain, domain.partition(".")[2])
