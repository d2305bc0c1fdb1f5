"""What a controller and its workers say to each other: one JSON line each, on the worker's stdin and stdout.

A job may hold secrets. Standard input is private to the two processes; arguments and environment are not.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from formicary.processes import messages
from formicary.processes.messages import Failed, Go, Stop
from formicary.profiling.model.profile import Profile  # noqa: TC001 - msgspec resolves the annotations
from formicary_bench.vocabulary.configuration import Configuration  # noqa: TC001 - as above


class Server(msgspec.Struct, frozen=True):
    """The XMPP server of a run.

    Attributes:
        host: its host.
        port: TCP port for containers.
        client_port: TCP port for accounts.
        secret: what it asks of containers.
        password: the password of the accounts that the run has made there.
        platform: the domain that it serves.
        stanza_limit: bytes of the largest stanza that it takes.
        certificate: the file with its certificate, where containers connect with TLS.
        pid: its process; 0 where it is on another host than the worker.
    """

    host: str
    port: int
    client_port: int
    secret: str
    password: str
    platform: str
    stanza_limit: int
    certificate: str = ""
    pid: int = 0


class Job(msgspec.Struct, frozen=True, tag="job"):
    """A worker's part in one repetition; the first thing that it is told.

    Attributes:
        configuration: what is measured.
        role: `both` agents of each pair, the ones that `ask`, the ones that `echo`, or `create`; with the
            directory, `echo` is the platform's container; `member` has agents of both kinds, as all others
            have.
        seed: for the random generators.
        handover: the file descriptor to which round-trip times are written; -1 where there are none.
        peer: what the echoing worker has said of how to reach it; what the first one has, in `n-hosts`.
        server: the XMPP server, if one takes part.
        marks: whether to say when all pairs are in T2 together, and when they no longer are.
        member: this worker's number among all of the repetition, from 0.
        members: how many there are.
        listen: the IP address at which to listen for the other workers; loopback if empty.
        module: the module that has the role.
        exchange: which exchange of messages a driver is asked to make; empty where none takes part.
        warm: whether a driver makes rounds until it is warm before it is measured.
    """

    configuration: Configuration
    role: str
    seed: int
    handover: int = -1
    peer: str = ""
    server: Server | None = None
    marks: bool = False
    member: int = 0
    members: int = 0
    listen: str = ""
    module: str = ""
    exchange: str = ""
    warm: bool = True


class Meet(msgspec.Struct, frozen=True, tag="meet"):
    """Everything is prepared everywhere: wait until you know all whom you will talk to."""


class Account(msgspec.Struct, frozen=True, tag="account"):
    """Account for your CPU time: nobody may look into you from outside.

    Attributes:
        step: `prepare`, which takes some time, `begin` or `end`.
    """

    step: Literal["prepare", "begin", "end"]


class Ready(messages.Ready, frozen=True):
    """A worker is prepared.

    Attributes:
        measures: whether it has something to measure, and so a result.
    """

    measures: bool = False


class Met(msgspec.Struct, frozen=True, tag="met"):
    """A worker knows all whom it will talk to."""


class Progress(messages.Progress, frozen=True):
    """A worker lives: `done` counts steps of preparation, or round trips.

    Attributes:
        at_ns: when, on the worker's clock.
    """

    at_ns: int = 0


class Mark(msgspec.Struct, frozen=True, tag="mark"):
    """All pairs have entered T2, or the first one has left it.

    Attributes:
        begins: which of the two.
        done: as of `Progress`.
        at_ns: when, on the worker's clock.
        wire: bytes and packets that the loopback interface has carried until then.
        carried: what the process's own TCP connections have, as of `sockets.Carried`.
    """

    begins: bool
    done: int
    at_ns: int
    wire: tuple[int, int]
    carried: tuple[int, int, int, int] = (0, 0, 0, 0)


class Done(msgspec.Struct, frozen=True, tag="done"):
    """All is measured; the times are in the file of the handover.

    Attributes:
        began_ns: when the measurement began, on the worker's clock.
        counts: how many round trips each pair has, in the order in which they stand in the file.
        counters: what was counted beside them.
    """

    began_ns: int
    counts: tuple[int, ...]
    counters: dict[str, float] = {}


class Columns(msgspec.Struct, frozen=True, tag="columns"):
    """All is measured, and is not round trips.

    Attributes:
        columns: the raw values, as the columns of a kind in `results.store.raw`.
        elapsed_s: how long all took.
        counters: further numbers.
    """

    columns: dict[str, tuple[int | float, ...]]
    elapsed_s: float
    counters: dict[str, float] = {}


class Accounted(msgspec.Struct, frozen=True, tag="accounted"):
    """The answer to each `Account`.

    Attributes:
        step: as of the `Account`.
        profile: what was found, where the accounting ended.
        failed: why it could not, a sentence without full stop.
    """

    step: str
    profile: Profile | None = None
    failed: str = ""


Order = Job | Meet | Go | Account | Stop
Result = Done | Columns

Report = Ready | Met | Progress | Mark | Accounted | Result | Failed
