"""What the controller of a run and its host agent on a host say to each other.

It goes through the standard input and output of the host agent, which SSH or a launcher's command carries: a
line of JSON each (`formicary.processes`), of which the first is the agent's `Handshake`. A job may hold
secrets: they go this way only, and are in no arguments, no environment and no file that others may read.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from formicary.processes.messages import Stop
from formicary.processes.requests import Answer, Refusal, Request
from formicary.profiling.model.profile import Profile
from formicary_bench.results.store.model import Machine
from formicary_bench.worker.messages import Order  # noqa: TC001 - msgspec resolves the annotations

T = TypeVar("T")

LONGEST_LINE = 1 << 24
"""Bytes; a longer line is a mistake, and is refused before it is read."""

CHUNK = 1 << 20
"""Bytes of a handover that are sent at once."""

BEAT_SECONDS = 1.0
"""How often the controller says that it lives."""

MISSING_SECONDS = 3.0
"""After how long without an answer a host counts as missing, visibly."""

ORPHANED_SECONDS = 8.0
"""After how long without any word of its controller a host agent ends, with all that it has started."""


class Handshake(msgspec.Struct, frozen=True, tag="host-agent"):
    """The first line of a host agent: that it is there, or why it cannot be.

    What comes before it is not the host agent's: a login shell may greet everybody. See `HANDSHAKE_BEGINS`.

    Attributes:
        failed: why not, a sentence without full stop; empty if all is well.
        version: of formicary there.
        digest: of the code there; the controller's own must be equal.
        pid: the host agent's process.
        interface: the network interface whose traffic is measured; empty if it is not known.
        address: its IP address there, if it was to find it.
    """

    failed: str = ""
    version: str = ""
    digest: str = ""
    pid: int = 0
    interface: str = ""
    address: str = ""


HANDSHAKE_BEGINS = b'{"type":"host-agent"'
"""How its line begins: it is looked for in whatever a login shell says before it."""


# What the controller says.


class Use(msgspec.Struct, frozen=True, tag="use"):
    """Pass these environment variables to all later programs; arguments would show them."""

    environment: dict[str, str]


class Start(msgspec.Struct, frozen=True, tag="start"):
    """Start a fresh worker under this number."""

    worker: int


class SendOrder(msgspec.Struct, frozen=True, tag="tell"):
    """Hand an order on to a worker."""

    worker: int
    order: Order


class Kill(msgspec.Struct, frozen=True, tag="kill"):
    """End a worker at once, whatever it is doing, and forget it; nothing if it is gone."""

    worker: int


class Beat(msgspec.Struct, frozen=True, tag="beat"):
    """The controller lives; `sent_ns` comes back."""

    sent_ns: int


class Looked(msgspec.Struct, frozen=True):
    """Counters of a host at one moment; differences of two of them mean something.

    Attributes:
        at_ns: when, on the monotonic clock of the host.
        wire_bytes: that the measured interface has sent and received.
        wire_packets: the same.
        loopback_bytes: that the loopback interface has carried.
        loopback_packets: the same.
        busy_s: seconds of CPU of all processes and the kernel.
        stolen_s: seconds that other virtual machines took from this one.
        idle_s: seconds of CPU that nobody used.
        swapped_bytes: that were brought back from swap or sent there.
        throttled_s: seconds for which a limit of the host held its processes back.
        cpu_s: seconds of CPU of each process that was asked for; one that is gone is missing.
        uss_bytes: memory of each of them that is its own.
        machine: what machine it is, from its start to its end: hosts may be namespaces of one machine.
        cores: CPUs that it has.
    """

    at_ns: int
    wire_bytes: int = 0
    wire_packets: int = 0
    loopback_bytes: int = 0
    loopback_packets: int = 0
    busy_s: float = 0.0
    stolen_s: float = 0.0
    idle_s: float = 0.0
    swapped_bytes: int = 0
    throttled_s: float = 0.0
    cpu_s: dict[int, float] = {}
    uss_bytes: dict[int, int] = {}
    machine: str = ""
    cores: int = 0


class About(msgspec.Struct, frozen=True):
    """What the controller has to know of a server; its secret, it knows.

    Attributes:
        folder: where its files are on its host.
        port: TCP port for containers of its host.
        tls_port: TCP port for containers that come with TLS; 0 if there is none.
        client_port: TCP port for accounts.
        stanza_limit: bytes of the largest stanza that it takes.
        pid: its process.
        version: of Prosody.
    """

    folder: str
    port: int = 0
    tls_port: int = 0
    client_port: int = 0
    stanza_limit: int = 0
    pid: int = 0
    version: str = ""


class Question(msgspec.Struct, Generic[T], frozen=True):
    """Something that the host agent is asked; a class says what the answer is, and how long it may take."""

    answer: ClassVar[Any]
    seconds: ClassVar[float]


class OpenWindow(Question[str], frozen=True, tag="open-window"):
    """Begin to look where a process's CPU time goes; the answer is why it cannot be looked into, or empty.

    Attributes:
        window: a number for it.
        pid: a process on the host.
        servers: processes of the XMPP server that belong to it.
    """

    window: int
    pid: int
    servers: tuple[int, ...] = ()
    answer: ClassVar[Any] = str
    seconds: ClassVar[float] = 30.0


class CloseWindow(Question[Profile], frozen=True, tag="close-window"):
    """End it; the answer is what was found."""

    window: int
    answer: ClassVar[Any] = Profile
    seconds: ClassVar[float] = 60.0


class Look(Question[Looked], frozen=True, tag="look"):
    """Read all counters of the host.

    Attributes:
        pids: processes whose memory and CPU time is wanted.
    """

    pids: tuple[int, ...] = ()
    answer: ClassVar[Any] = Looked
    seconds: ClassVar[float] = 10.0


class Describe(Question[Machine], frozen=True, tag="describe"):
    """Describe the machine."""

    answer: ClassVar[Any] = Machine
    seconds: ClassVar[float] = 20.0


class StartServer(Question[About], frozen=True, tag="start-server"):
    """Start an XMPP server for the run, unless it runs, from files that the controller has made.

    See `host_agent.servers`.

    Attributes:
        files: the content of its state folder, by relative path; no others than `host_agent.servers` knows.
        options: what else `host_agent.servers` wants to know, as JSON.
    """

    files: dict[str, bytes]
    options: dict[str, Any] = {}
    answer: ClassVar[Any] = About
    seconds: ClassVar[float] = 60.0


class StopServer(Question[None], frozen=True, tag="stop-server"):
    """End it, and remove its folder."""

    answer: ClassVar[Any] = None
    seconds: ClassVar[float] = 20.0


AnyQuestion = OpenWindow | CloseWindow | Look | Describe | StartServer | StopServer
ControllerMessage = Use | Start | SendOrder | Kill | Beat | Request[AnyQuestion] | Stop


# What the host agent says.


class Started(msgspec.Struct, frozen=True, tag="started"):
    """A worker's process is there."""

    worker: int
    pid: int


class Said(msgspec.Struct, frozen=True, tag="said"):
    """What a worker has said, as its JSON; before `Done` all of its handover has been sent."""

    worker: int
    report: msgspec.Raw


class Data(msgspec.Struct, frozen=True, tag="data"):
    """A part of a worker's handover, in order."""

    worker: int
    part: bytes


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """A worker's process has ended, by itself or not.

    Attributes:
        worker: which one.
        code: its exit code, negative for a signal.
        last_words: the last line that it wrote to standard error.
    """

    worker: int
    code: int
    last_words: str = ""


class Beaten(msgspec.Struct, frozen=True, tag="beaten"):
    """The host agent lives: `sent_ns` as of the beat, `at_ns` the host's clock (`time.time_ns`)."""

    sent_ns: int
    at_ns: int


WorkerMessage = Started | Said | Data | Ended
AgentMessage = WorkerMessage | Beaten | Answer[msgspec.Raw] | Refusal
