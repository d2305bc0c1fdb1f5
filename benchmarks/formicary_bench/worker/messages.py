"""The messages between a controller and its workers: lines of JSON on the worker's standard streams.

A job may hold secrets: these streams are private, unlike arguments and the environment.
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
        port: the TCP port for containers.
        client_port: the TCP port for accounts.
        secret: the containers' secret.
        password: the password of the run's accounts.
        platform: its domain.
        stanza_limit: bytes of the largest stanza.
        certificate: the file of its certificate, if containers use TLS.
        pid: its process; 0 if on another host than the worker.
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
    """A worker's part in a repetition; its first message.

    Attributes:
        configuration: the configuration.
        role: `both` agents of each pair, those that `ask`, those that `echo`, or `create`; for the directory,
            `echo` is the platform's container; each `member` has agents of both kinds.
        seed: for random generators.
        handover: the file descriptor for round-trip times; -1 if there are none.
        peer: the endpoint of the echoing worker; in `n-hosts`, of the first one.
        server: the XMPP server, if one takes part.
        marks: whether to report when all pairs enter T2, and when the first leaves it.
        member: this worker's number in the repetition, from 0.
        members: the number of workers.
        listen: the IP address to listen at for the other workers; loopback if empty.
        module: the module with the role.
        exchange: the exchange for a driver; empty if none takes part.
        warm: whether a driver warms up before it is measured.
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
    """All workers are prepared: wait until all partners are known."""


class Account(msgspec.Struct, frozen=True, tag="account"):
    """Account for your CPU time: nobody may look into you from outside.

    Attributes:
        step: `prepare`, which takes some time, `begin` or `end`.
    """

    step: Literal["prepare", "begin", "end"]


class Ready(messages.Ready, frozen=True):
    """A worker is prepared; `measures` says whether it will have a result."""

    measures: bool = False


class Met(msgspec.Struct, frozen=True, tag="met"):
    """A worker knows all its partners."""


class Progress(messages.Progress, frozen=True):
    """A sign of life: `done` steps of preparation, or round trips, at a time of the worker's clock."""

    at_ns: int = 0


class Mark(msgspec.Struct, frozen=True, tag="mark"):
    """All pairs have entered T2, or the first one has left it.

    Attributes:
        begins: which of the two.
        done: as of `Progress`.
        at_ns: the time on the worker's clock.
        wire: bytes and packets carried by the loopback interface so far.
        carried: those of the process's own TCP connections, as of `marks.Carried`.
    """

    begins: bool
    done: int
    at_ns: int
    wire: tuple[int, int]
    carried: tuple[int, int, int, int] = (0, 0, 0, 0)


class Done(msgspec.Struct, frozen=True, tag="done"):
    """All is measured; the times are in the file of the handover.

    Attributes:
        began_ns: the beginning on the worker's clock.
        counts: the number of round trips of each pair, in the file's order.
        counters: further numbers.
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
    """The answer to an `Account`, with the profile at the end, or why it failed."""

    step: str
    profile: Profile | None = None
    failed: str = ""


Order = Job | Meet | Go | Account | Stop
Result = Done | Columns

Report = Ready | Met | Progress | Mark | Accounted | Result | Failed
