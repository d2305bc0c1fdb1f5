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
"""The carrier of another platform's messages between two processes: its own transport."""

TCP, UNIX, MEMORY = "tcp", "unix", "memory"
"""The carriers of baselines between two processes; Unix sockets and shared memory only on one host."""


class Carrier(NamedTuple):
    """A carrier of messages between agents: a route, with or without TLS.

    Attributes:
        route: a route between containers, or another carrier.
        tls: whether messages are encrypted on it.
    """

    route: str
    tls: bool = False


NO_MESSAGES = Carrier("none")
"""The carrier of subjects without messages."""


ASKING, ECHOING = "c1", "c2"
"""The names of the asking and the echoing container, if there are two."""

MOST_HOSTS = 64
"""The most hosts, each with a container."""

MOST_ON_A_HOST = 8
"""The most containers on each of the first two hosts, for experiments that need several there."""


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
"""The names of all possible containers on one machine."""


BOTH, ASK, ECHO, CREATE, MEMBER = "both", "ask", "echo", "create", "member"
"""The roles of workers: with both agents of each pair, with those that ask or echo, or with agents that are
only created; or as one of many members, each with agents of both kinds. With the directory, `echo` has the
first container."""

SERVER = "server"
"""Not a worker: the XMPP server, if it is measured as well."""

PROCESSES = {
    BOTH: "the measuring process",
    ASK: "the asking process",
    ECHO: "the echoing process",
    CREATE: "the creating process",
    MEMBER: "the process",
    SERVER: "the server",
}
"""Their names in sentences."""

DOING = {
    BOTH: "the process",
    ASK: "asking",
    ECHO: "echoing",
    CREATE: "creating",
    MEMBER: "asking and echoing",
    SERVER: "the server",
}
"""Their names in the columns of tables."""


TRAFFICS = RING, ALL_TO_ALL = "ring", "all-to-all"
"""Each host's senders talk to the next host's receivers, or evenly to those of all other hosts."""

SPREADS = AWAY, BESIDE, SPLIT = "", "beside", "split"
"""Where services are, with two containers: apart from the directory's user, beside it, or in both."""

SPREADS_BY_NAME = {"apart": AWAY, "beside": BESIDE, "split": SPLIT}
"""The same by their names on the command line and in reports."""


MOST_CORES = 1024
"""The most cores that can be requested."""

PLATFORM_CORES = "--cores requires Linux, which can restrict a process to some cores; omit --cores"
"""The error on systems that cannot restrict a process to some cores."""


ONE_CORE = {"cores": (1,)} if hasattr(os, "sched_setaffinity") else {}
"""Sizes that keep processes that take turns on one core, if the system can: of two, it matters which."""


def powers_of_two(most: int) -> tuple[int, ...]:
    """Return 1, 2, 4 and so on up to a number, ending with the number itself."""
    found = [1 << power for power in range(most.bit_length()) if 1 << power < most]
    return (*found, most)
