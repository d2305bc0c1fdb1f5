"""What the containers of our agents are called, and how many there may be."""

from __future__ import annotations

ASKING, ECHOING = "c1", "c2"
"""The names of the containers whose agents ask, and of those whose agents echo, where there are two."""

MOST_HOSTS = 64
"""How many hosts may take part, each with a container."""

MOST_ON_A_HOST = 8
"""How many containers may be on each of the first two hosts, where an experiment needs several there."""


def names_on(host: int) -> tuple[str, ...]:
    """Return the names of all containers that there may be on a host, by its number: `c1`, `c1-2` and so on.

    The first two hosts stand also for the two processes of a machine.
    """
    further = range(2, MOST_ON_A_HOST + 1) if host < 2 else ()  # noqa: PLR2004 -- asking and echoing
    return f"c{host + 1}", *(f"c{host + 1}-{number}" for number in further)


def member_name(member: int) -> str:
    """Return the name of a member's container, where there is one on each of many hosts."""
    return names_on(member)[0]


NAMES = *names_on(0), *names_on(1)
"""The names of all containers that there may be on one machine."""
