"""What the laboratory and a driver say to each other: one JSON object a line; see docs/drivers.md.

The first line is the driver's `hello`. Then the laboratory says `prepare`, the driver `ready`, the laboratory
`go`; a driver that measures says `done`, and may be told to `go` again; the laboratory says `stop`, and the
driver ends. Meanwhile the driver says its `progress`. What all processes say is in `processes.messages`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from formicary.processes.messages import Count, Failed, Progress, Ready, Stop
from formicary_bench.vocabulary.names import (
    CONTRACT_NET,
    CREATE_REMOTE,
    DEREGISTER,
    DISPATCH,
    MANY_TO_ONE,
    MEDIATED,
    PAIRS,
    REGISTER,
    REQUEST,
    ROAM,
    SEARCH,
    SIZE,
    SWAP,
    TRAFFIC_POOL,
    TRAFFIC_RECEPTION,
    TRAFFIC_RING,
)

PROTOCOL = 1
"""The version of this protocol."""

EXCHANGES = (
    *(PAIRS, MANY_TO_ONE, SIZE, TRAFFIC_RING, TRAFFIC_RECEPTION, TRAFFIC_POOL),
    *(REQUEST, CONTRACT_NET, REGISTER, DEREGISTER, SEARCH),
)
"""The experiments that it knows, in which agents exchange messages or use the directory."""

LOOPS = CREATE_REMOTE, DISPATCH, ROAM, MEDIATED, SWAP
"""Those that it knows in which a platform makes loops of an operation by itself."""

LONGEST_LINE = 1 << 20
"""Bytes that a driver may say in one line."""

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]{0,31}\Z")]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[ -~]+\Z")]
Line = Annotated[str, msgspec.Meta(max_length=100, pattern=r"^[ -~]*\Z")]

Placement = Literal["same-container", "two-containers", "two-hosts"]
ThreadGroup = Literal["agents", "communication", "directory", "platform", "runtime"]


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """Who the driver is, and what its platform can do.

    Attributes:
        protocol: `PROTOCOL`.
        name: the platform's name, as on the command line: small letters, digits and hyphens.
        version: the platform's version.
        experiments: the names of the experiments that it can do.
        placements: where its agents can be.
        most_pairs: the most pairs, or senders, at once; 0 where there is no limit.
        most_bytes: the largest body of a message; 0 where there is no limit.
        server: whether its agents log in at the XMPP server.
        runtime: what it runs on, with its version; may be left out.
        again: whether it takes `go` again after `done`, so that it can be warm when it is measured.
        trips: how many round trips, of all pairs together, take the platform half a second or more, where
            that is much more or less than 100 000; 0 where it is not.
        threads: by group, shell patterns of the names of its threads; the first match counts, and threads
            that match none are `platform`. Without any, its CPU time is not measured.
    """

    protocol: Literal[1]
    name: Name
    version: Word
    experiments: Annotated[tuple[Word, ...], msgspec.Meta(min_length=1, max_length=100)]
    placements: Annotated[tuple[Placement, ...], msgspec.Meta(min_length=1, max_length=3)]
    most_pairs: Count = 0
    most_bytes: Count = 0
    server: bool = False
    runtime: Line = ""
    again: bool = False
    trips: Count = 0
    threads: dict[ThreadGroup, tuple[Word, ...]] = {}


class XmppServer(msgspec.Struct, frozen=True):
    """The XMPP server of a run, for platforms that need one.

    Attributes:
        host: its IP address, which is the loopback interface's.
        port: its TCP port for clients.
        domain: the domain of the accounts `asker-0`, `asker-1`, ... and `echo-0`, `echo-1`, ...
        password: the password of all of them.
    """

    host: str
    port: int
    domain: str
    password: str


class Prepare(msgspec.Struct, frozen=True, tag="prepare"):
    """Prepare all agents, up to the first message.

    Attributes:
        experiment: its name.
        placement: where the agents are.
        role: which of them are in this process: those that `ask`, those that `echo`, or `both`.
        pairs: how many agents ask.
        receivers: how many agents echo: as many as ask, the n-th for the n-th; one for all; or some, each for
            those whose number divided by theirs leaves its own. In a ring those that ask echo, too. In a
            contract net they are the bidders of the one that asks.
        payload_bytes: the size of a message's body, which is ASCII text.
        rounds: how many round trips each pair makes to warm up, to be measured, and to keep up the load.
        seed: for random generators.
        listen: the IP address at which to listen, and at no other.
        peer: to the driver that asks: the endpoint of the one that echoes.
        times: the path of the file for the times; empty for a driver that only echoes.
        server: the XMPP server, where the driver needs one.
        loop: how many operations the largest loop has, or how many rounds a service, or how many swaps the
            first agent of a grid makes; 0 where agents make round trips.
        way: whether operations of a loop follow each other `in-turn` or begin `at-once`; empty where there is
            no choice.
        dimension: how many agents each side of a grid has; 0 elsewhere.
        services: how many services are registered in all before the directory is used; 0 elsewhere.
        types: how many types they have: that of the n-th is n modulo this.
        offered: which of them this process registers: the number of the first, and that after the last.
        threads: how many threads agents share, where that varies; 0 elsewhere.
    """

    experiment: str
    placement: Placement
    role: Literal["both", "ask", "echo"]
    pairs: int
    receivers: int
    payload_bytes: int
    rounds: tuple[int, int, int]
    seed: int
    listen: str
    peer: str
    times: str
    server: XmppServer | None = None
    loop: int = 0
    way: str = ""
    dimension: int = 0
    services: int = 0
    types: int = 0
    offered: tuple[int, int] = (0, 0)
    threads: int = 0


class Go(msgspec.Struct, frozen=True, tag="go"):
    """Make round trips or loops; said again after each `done` where the driver's hello has `again`.

    Attributes:
        trips: how many round trips each pair makes; 0 for as many as `prepare` has said.
        laps: how many operations each loop has, where loops are made: one after the other.
    """

    trips: Count = 0
    laps: tuple[int, ...] = ()


class Done(msgspec.Struct, frozen=True, tag="done"):
    """All round trips are made, and their times are in the file.

    Attributes:
        warm: whether the driver knows of nothing in its runtime that is still warming up.
        held_bytes: in `memory`, what objects take after a collection of garbage, where the driver knows it.
        tallies: of a grid, for each number of swaps how many agents have made so many, and how many requests
            were refused to these.
    """

    warm: bool = True
    held_bytes: Count = 0
    tallies: tuple[tuple[Count, Count, Count], ...] = ()


Order = Prepare | Go | Stop
Report = Hello | Ready | Progress | Done | Failed
