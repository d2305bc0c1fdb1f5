"""The protocol between the laboratory and a driver, in lines of JSON; see docs/drivers.md.

The driver begins with `hello`, and answers `prepare` with `ready`. After `go` it measures, and says `done`;
`go` may come again. At `stop` it ends. Meanwhile it reports `progress`; see also `processes.messages`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from formicary.processes.messages import Count, Failed, Progress, Ready, Stop
from formicary_bench.vocabulary import names

PROTOCOL = 1
"""The version of this protocol."""

EXCHANGES = (
    *(names.PAIRS, names.MANY_TO_ONE, names.SIZE),
    *(names.TRAFFIC_RING, names.TRAFFIC_RECEPTION, names.TRAFFIC_POOL),
    *(names.REQUEST, names.CONTRACT_NET, names.REGISTER, names.DEREGISTER, names.SEARCH),
)
"""Its experiments with messages or the directory."""

LOOPS = names.CREATE_REMOTE, names.DISPATCH, names.ROAM, names.MEDIATED, names.SWAP
"""Its experiments where the platform itself makes loops of an operation."""

LONGEST_LINE = 1 << 20
"""The longest line of a driver in bytes."""

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]{0,31}\Z")]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[ -~]+\Z")]
Line = Annotated[str, msgspec.Meta(max_length=100, pattern=r"^[ -~]*\Z")]

Placement = Literal["same-container", "two-containers", "two-hosts"]
ThreadGroup = Literal["agents", "communication", "directory", "platform", "runtime"]


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The driver's platform, and its abilities.

    Attributes:
        protocol: `PROTOCOL`.
        name: the platform's name on the command line: lower-case letters, digits and hyphens.
        version: the platform's version.
        experiments: the names of its experiments.
        placements: where its agents can be.
        most_pairs: the most pairs, or senders, at once; 0 for no limit.
        most_bytes: the largest body of a message; 0 for no limit.
        server: whether its agents log in at the XMPP server.
        runtime: its runtime, with the version; may be omitted.
        again: whether it accepts `go` after `done`, to be measured when warm.
        trips: the round trips of all pairs together that take half a second, if not about 100 000; or 0.
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
        host: its IP address, on loopback.
        port: its TCP port for clients.
        domain: the domain of the accounts `asker-0`, `asker-1`, ... and `echo-0`, `echo-1`, ...
        password: the password of all accounts.
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
        role: which agents are in this process: those that `ask`, those that `echo`, or `both`.
        pairs: the number of agents that ask.
        receivers: the number of agents that echo; asker n talks to receiver n modulo this. In a ring, those
            that ask echo, too; in a contract net, they are the bidders of the one that asks.
        payload_bytes: the size of a message's body, in ASCII.
        rounds: the round trips of each pair to warm up, to be measured, and to keep up the load.
        seed: for random generators.
        listen: the only IP address to listen at.
        peer: for the driver that asks, the endpoint of the one that echoes.
        times: the path of the file for the times; empty for a driver that only echoes.
        server: the XMPP server, if the driver needs one.
        loop: the operations of the largest loop, the rounds of a service, or the swaps of a grid's first
            agent; 0 for round trips.
        way: whether operations of a loop follow each other `in-turn` or begin `at-once`; or empty.
        dimension: the agents on each side of a grid; or 0.
        services: the services registered before the directory is used; or 0.
        types: the number of their types: that of service n is n modulo this.
        offered: the services of this process: the first number, and that after the last.
        threads: the threads that agents share, where that varies; or 0.
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
    """Make round trips or loops; sent again after `done` if the driver's hello has `again`.

    Attributes:
        trips: the round trips of each pair; 0 for those of `prepare`.
        laps: the operations of each loop, in order.
    """

    trips: Count = 0
    laps: tuple[int, ...] = ()


class Done(msgspec.Struct, frozen=True, tag="done"):
    """All round trips are made, and their times are in the file.

    Attributes:
        warm: whether the runtime has warmed up, as far as the driver knows.
        held_bytes: for `memory`, what objects take after garbage collection, if the driver knows it.
        tallies: for a grid, numbers of swaps, each with the agents that made so many and their refused
            requests.
    """

    warm: bool = True
    held_bytes: Count = 0
    tallies: tuple[tuple[Count, Count, Count], ...] = ()


Order = Prepare | Go | Stop
Report = Hello | Ready | Progress | Done | Failed
