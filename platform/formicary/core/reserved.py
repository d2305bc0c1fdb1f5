"""Attributes of agents and behaviours that only the platform sets, and the error for setting one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.errors import DefinitionError, FormicaryError


def reserved_error(owner: object, name: str, value: object) -> DefinitionError:
    """Return the error for an agent or behaviour whose class sets an attribute of the platform."""
    agent = getattr(owner, "_name", None)  # behaviours have no name
    who = f"agent {agent}" if isinstance(agent, str) else type(owner).__name__
    return DefinitionError(
        f"{who} has set `{name}` to {type(value).__name__}, but that attribute is reserved: rename it"
    )


if TYPE_CHECKING:
    reserved = property
else:

    class reserved(property):  # noqa: N801 -- a decorator, as `property`
        """A property that raises a helpful error when it is set."""

        def __set__(self, owner: object, value: object) -> None:
            try:
                if self.fget(owner) is value:
                    return  # as by `self.name = name`, which changes nothing
            except (AttributeError, FormicaryError):
                pass  # it has none yet
            raise reserved_error(owner, self.fget.__name__, value)
