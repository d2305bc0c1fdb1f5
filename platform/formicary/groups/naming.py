"""Names of roles, and their entries in the directory."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from formicary.core.errors import InvalidNameError
from formicary.core.quoting import character, find_unseen, shorten
from formicary.directory.model.description import RESERVED, ServiceDescription
from formicary.directory.model.query import Query

ROLE: Final = f"{RESERVED}role"
"""The type of the service that represents a role of an agent."""

MANAGER: Final = "manager"
"""The role of a group's creator."""

ONTOLOGY: Final = f"{RESERVED}groups"
"""The ontology of messages of groups."""

_LONGEST: Final = 255  # characters
_SECURED: Final = "secured"
_CONTAINER: Final = "container"
_PARTS: Final = 4


class Role(NamedTuple):
    """A role in a group of a community."""

    community: str
    group: str
    role: str

    @property
    def service(self) -> str:
        """The name of the service that represents it in the directory."""
        return f"{ROLE}/{self.community}/{self.group}/{self.role}"

    def described(self, agent: str, *, is_secured: bool, container: str | None = None) -> ServiceDescription:
        """Return the service of a player.

        Args:
            agent: the agent's full name.
            is_secured: whether the group has a gatekeeper.
            container: the domain of the container in which it lives; None for its home.
        """
        properties: dict[str, str | int | float | bool | tuple[str, ...]] = {
            "community": self.community,
            "group": self.group,
            "role": self.role,
        }
        if is_secured:
            properties[_SECURED] = True
        if container is not None:
            properties[_CONTAINER] = container
        return ServiceDescription(agent, ROLE, self.service, properties=properties)

    def query(self) -> Query:
        """Return the query for its players."""
        return Query(type=ROLE, name=self.service)


class HeldRole(msgspec.Struct, frozen=True, array_like=True):
    """A role that moves with its agent.

    Args:
        community: the name of the community.
        group: the name of the group.
        role: the name of the role.
        is_secured: whether the group has a gatekeeper.
        gatekeeper: the name of the agent's method that is the gatekeeper; None if there is none.

    Raises:
        ValueError: a name is invalid.
    """

    community: str
    group: str
    role: str
    is_secured: bool = False
    gatekeeper: str | None = None

    def __post_init__(self) -> None:
        try:
            for field in ("community", "group", "role"):
                check_name(field, getattr(self, field))
        except InvalidNameError as error:
            raise ValueError(str(error)) from None
        if self.gatekeeper is not None and not self.gatekeeper.isidentifier():
            raise ValueError(f"no method has the name {shorten(self.gatekeeper)}")


def group_query(community: str, group: str, agent: str | None = None) -> Query:
    """Return the query for some of the roles played in a group, by anybody or by one agent."""
    return Query(type=ROLE, agent=agent, properties={"community": community, "group": group})


def read_role(service: str) -> Role | None:
    """Return the role that a service of this name represents; None if it represents none."""
    parts = service.split("/")
    if len(parts) != _PARTS or parts[0] != ROLE or not all(map(_is_name, parts)):
        return None
    return Role(*parts[1:])


def is_secured(service: ServiceDescription) -> bool:
    """Return whether the group of a role has a gatekeeper."""
    return service.properties.get(_SECURED) is True


def container_of(service: ServiceDescription) -> str | None:
    """Return the domain of the container in which a role's player lives; None for its home."""
    domain = service.properties.get(_CONTAINER)
    return domain if isinstance(domain, str) else None


def check_name(what: str, name: object) -> str:
    """Return the name of a community, a group or a role.

    Args:
        what: which of them it is.
        name: the name.

    Raises:
        InvalidNameError: it is invalid; the message says why.
    """
    if not isinstance(name, str) or not _is_name(name):
        letter = find_unseen(name) if isinstance(name, str) else ""
        because = f", which contains {character(letter)}" if letter else ""
        raise InvalidNameError(
            f"the name of a {what} must be 1 to {_LONGEST} printable characters without '/', not "
            f"{shorten(name)}{because}"
        )
    return str.__str__(name)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST and "/" not in name and not find_unseen(name)
