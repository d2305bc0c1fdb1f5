"""Placements: on which hosts and cores agents are, their roles, and the carriers of their messages."""

from __future__ import annotations

import os
from typing import NamedTuple

SAME, APART = "same-container", "two-containers"
"""The placements: both agents of a pair in one process, or in two."""

HOSTED = TWO_HOSTS, N_HOSTS = "two-hosts", "n-hosts"
"""The placements over hosts: agents that ask on one and those that answer on another, or both on each."""

PLACEMENTS = (SAME, APART, *HOSTED)


ROUTES = AUTO, DIRECT, XMPP = "auto", "direct", "xmpp"
"""The routes between containers: by the platform's own choice, past any server, through the XMPP server."""

OWN = "own"
"""What carries the messages of another platform between two processes: that platform's own means."""

TCP, UNIX, MEMORY = "tcp", "unix", "memory"
"""What carries a baseline's messages between two processes; Unix sockets and shared memory on one host."""


class Carrier(NamedTuple):
    """A carrier of messages between agents: a route, with or without TLS.

    Attributes:
        route: a route between containers, or another carrier.
        tls: whether messages are encrypted on it.
    """

    route: str
    tls: bool = False


NO_MESSAGES = Carrier("none")
"""Where there are none."""


ASKING, ECHOING = "c1", "c2"
"""The names of the containers whose agents ask, and of those whose agents echo, where there are two."""

MOST_HOSTS = 64
"""How many hosts may take part, each with a container."""

MOST_ON_A_HOST = 8
"""How many containers may be on each of the first two hosts, where an experiment needs several there."""


def names_on(host: int) -> tuple[str, ...]:
    """Return the names of all possible containers on a host by its number: `c1`, `c1-2` and so on.

    The first two hosts also stand for the two processes of a machine.
    """
    further = range(2, MOST_ON_A_HOST + 1) if host < 2 else ()  # noqa: PLR2004 -- asking and echoing
    return f"c{host + 1}", *(f"c{host + 1}-{number}" for number in further)


def member_name(member: int) -> str:
    """Return the name of a member's container, if there is one on each of many hosts."""
    return names_on(member)[0]


NAMES = *names_on(0), *names_on(1)
"""The names of all containers that there may be on one machine."""


BOTH, ASK, ECHO, CREATE, MEMBER = "both", "ask", "echo", "create", "member"
"""A worker has both agents of each pair, those that ask, those that echo, or agents that are only created;
or it is one of many members, each with agents of both kinds. With the
directory, `echo` has the first container."""

SERVER = "server"
"""No worker: the XMPP server, where it is measured beside them."""

PROCESSES = {
    BOTH: "the measuring process",
    ASK: "the asking process",
    ECHO: "the echoing process",
    CREATE: "the creating process",
    MEMBER: "the process",
    SERVER: "the server",
}
"""What sentences call them."""

DOING = {
    BOTH: "the process",
    ASK: "asking",
    ECHO: "echoing",
    CREATE: "creating",
    MEMBER: "asking and echoing",
    SERVER: "the server",
}
"""What the columns of tables call them."""


TRAFFICS = RING, ALL_TO_ALL = "ring", "all-to-all"
"""Each host's senders talk to the next host's receivers, or evenly to those of all other hosts."""

SPREADS = AWAY, BESIDE, SPLIT = "", "beside", "split"
"""Where services are, of two containers: with the directory and apart from its user, beside this, in both."""

SPREADS_BY_NAME = {"apart": AWAY, "beside": BESIDE, "split": SPLIT}
"""By what the command line and reports call them."""


MOST_CORES = 1024
"""The most that can be asked for."""

PLATFORM_CORES = "--cores requires Linux, which can restrict a process to some cores; omit --cores"
"""The error on systems that cannot restrict a process to some cores."""


ONE_CORE = {"cores": (1,)} if hasattr(os, "sched_setaffinity") else {}
"""Sizes that keep those who take turns on one core, where the system can: of two, it matters which."""


def powers_of_two(most: int) -> tuple[int, ...]:
    """Return 1, 2, 4 and so on up to a number, ending with the number itself."""
    found = [1 << power for power in range(most.bit_length()) if 1 << power < most]
    return (*found, most)
