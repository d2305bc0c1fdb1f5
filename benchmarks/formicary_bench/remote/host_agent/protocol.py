"""The messages between a run's controller and its host agents.

They are lines of JSON (`formicary.processes`) on the host agent's standard streams, carried by SSH or a
launcher's command; the first is the agent's `Handshake`. Secrets of a job travel this way alone, never in
arguments, the environment or public files.
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
"""The longest line in bytes."""

CHUNK = 1 << 20
"""Bytes of a handover per message."""

BEAT_SECONDS = 1.0
"""The time between the controller's beats."""

MISSING_SECONDS = 3.0
"""The silence after which a host is reported as missing."""

ORPHANED_SECONDS = 8.0
"""The silence of its controller after which a host agent ends, with all that it has started."""


class Handshake(msgspec.Struct, frozen=True, tag="host-agent"):
    """The first line of a host agent, perhaps after output of a login shell.

    Attributes:
        failed: why it cannot work, a sentence without full stop; or empty.
        version: its version of formicary.
        digest: the digest of its code, which must be the controller's.
        pid: its process.
        interface: the network interface whose traffic is measured; empty if unknown.
        address: its IP address, if it had to find it.
    """

    failed: str = ""
    version: str = ""
    digest: str = ""
    pid: int = 0
    interface: str = ""
    address: str = ""


HANDSHAKE_BEGINS = b'{"type":"host-agent"'
"""How its line begins: it is looked for in whatever a login shell says before it."""


# From the controller.


class Use(msgspec.Struct, frozen=True, tag="use"):
    """Set environment variables for later programs; arguments would show them."""

    environment: dict[str, str]


class Start(msgspec.Struct, frozen=True, tag="start"):
    """Start a fresh worker under this number."""

    worker: int


class SendOrder(msgspec.Struct, frozen=True, tag="tell"):
    """Hand an order on to a worker."""

    worker: int
    order: Order


class Kill(msgspec.Struct, frozen=True, tag="kill"):
    """Kill a worker and forget it; do nothing if it is gone."""

    worker: int


class Beat(msgspec.Struct, frozen=True, tag="beat"):
    """A sign of life of the controller; `sent_ns` is sent back."""

    sent_ns: int


class Looked(msgspec.Struct, frozen=True):
    """Counters of a host at one moment, for differences.

    Attributes:
        at_ns: the host's monotonic clock.
        wire_bytes: sent and received by the measured interface.
        wire_packets: likewise.
        loopback_bytes: carried by the loopback interface.
        loopback_packets: likewise.
        busy_s: seconds of CPU of all processes and the kernel.
        stolen_s: seconds that other virtual machines took.
        idle_s: unused seconds of CPU.
        swapped_bytes: read from swap or written there.
        throttled_s: seconds for which a control group held processes back.
        cpu_s: seconds of CPU of each process asked for that still runs.
        uss_bytes: the memory of each of them alone (USS).
        machine: an id of the machine, until it restarts: hosts may be its namespaces.
        cores: its CPUs.
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
    """A running server, but for its secret.

    Attributes:
        folder: the folder of its files on its host.
        port: the TCP port for containers of its host.
        tls_port: the TCP port for containers with TLS; 0 if there is none.
        client_port: the TCP port for accounts.
        stanza_limit: bytes of the largest stanza.
        pid: its process.
        version: Prosody's version.
    """

    folder: str
    port: int = 0
    tls_port: int = 0
    client_port: int = 0
    stanza_limit: int = 0
    pid: int = 0
    version: str = ""


class Question(msgspec.Struct, Generic[T], frozen=True):
    """A question for the host agent; its class has the type of the answer, and a timeout."""

    answer: ClassVar[Any]
    seconds: ClassVar[float]


class OpenWindow(Question[str], frozen=True, tag="open-window"):
    """Begin to profile a process; the answer is why it cannot be sampled, or empty.

    Attributes:
        window: a number for the profile.
        pid: the process.
        servers: processes of the XMPP server that belong to it.
    """

    window: int
    pid: int
    servers: tuple[int, ...] = ()
    answer: ClassVar[Any] = str
    seconds: ClassVar[float] = 30.0


class CloseWindow(Question[Profile], frozen=True, tag="close-window"):
    """End a window, and return its profile."""

    window: int
    answer: ClassVar[Any] = Profile
    seconds: ClassVar[float] = 60.0


class Look(Question[Looked], frozen=True, tag="look"):
    """Read all counters of the host, and memory and CPU time of some processes."""

    pids: tuple[int, ...] = ()
    answer: ClassVar[Any] = Looked
    seconds: ClassVar[float] = 10.0


class Describe(Question[Machine], frozen=True, tag="describe"):
    """Describe the machine."""

    answer: ClassVar[Any] = Machine
    seconds: ClassVar[float] = 20.0


class StartServer(Question[About], frozen=True, tag="start-server"):
    """Start the run's XMPP server, unless it runs; arguments as of `host_agent.servers.serve`."""

    files: dict[str, bytes]
    options: dict[str, Any] = {}
    answer: ClassVar[Any] = About
    seconds: ClassVar[float] = 60.0


class StopServer(Question[None], frozen=True, tag="stop-server"):
    """End the server, and remove its folder."""

    answer: ClassVar[Any] = None
    seconds: ClassVar[float] = 20.0


AnyQuestion = OpenWindow | CloseWindow | Look | Describe | StartServer | StopServer
ControllerMessage = Use | Start | SendOrder | Kill | Beat | Request[AnyQuestion] | Stop


# From the host agent.


class Started(msgspec.Struct, frozen=True, tag="started"):
    """A worker's process has started."""

    worker: int
    pid: int


class Said(msgspec.Struct, frozen=True, tag="said"):
    """A report of a worker, as JSON; all of its handover comes before `Done`."""

    worker: int
    report: msgspec.Raw


class Data(msgspec.Struct, frozen=True, tag="data"):
    """A part of a worker's handover, in order."""

    worker: int
    part: bytes


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """A worker's process has ended, with this exit code and last line of standard error."""

    worker: int
    code: int
    last_words: str = ""


class Beaten(msgspec.Struct, frozen=True, tag="beaten"):
    """The answer to a beat: its `sent_ns`, and `at_ns`, the host's clock (`time.time_ns`)."""

    sent_ns: int
    at_ns: int


WorkerMessage = Started | Said | Data | Ended
AgentMessage = WorkerMessage | Beaten | Answer[msgspec.Raw] | Refusal
