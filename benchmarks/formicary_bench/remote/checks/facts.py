"""What is known of a host after a look at it, and of the way between two of them."""

from __future__ import annotations

import msgspec

from formicary.doctor.finding import Finding, State

QUESTION = """\
import json, platform
found = {"python": platform.python_version()}
try:
    import formicary
    found["version"] = formicary.__version__
    import formicary_bench.worker.worker
    from formicary_bench.remote.folders import code_digest
    found["digest"] = code_digest()
    from formicary.doctor.tracing import tracing
    tried = tracing()
    found["tracing"] = "" if tried.state == "good" else tried.what
except Exception as error:
    found["failed"] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""
"""The program that asks the Python of an environment what is installed in it."""


class Folder(msgspec.Struct, frozen=True):
    """The folder of ours on a host.

    Attributes:
        path: its absolute path.
        state: `new` (it is not there, or empty), `ours`, `foreign` (not ours), `closed` (cannot be written).
        free_bytes: room on its disk.
        record: what `prepare` has written down.
        running: command lines of processes of ours.
    """

    path: str
    state: str
    free_bytes: int
    record: dict[str, object] = {}
    running: tuple[str, ...] = ()


class Installed(msgspec.Struct, frozen=True):
    """What is installed in the environment for measurements.

    Attributes:
        absent: there is no such environment.
        failed: why it does not work.
        python: the version of its Python.
        version: of formicary.
        digest: of its code.
        tracing: why py-spy may not look into processes; empty if it may, None if nobody has tried.
    """

    absent: bool = False
    failed: str = ""
    python: str = ""
    version: str = ""
    digest: str = ""
    tracing: str | None = None


class Prosody(msgspec.Struct, frozen=True):
    """The XMPP server's program: its version, or why that is not known; nothing if it is not there."""

    version: str = ""
    failed: str = ""


class Listening(msgspec.Struct, frozen=True):
    """Where other hosts reach it.

    Attributes:
        address: the IP address.
        failed: why nobody can listen there.
        taken: usual ports at which somebody listens, and what they are for.
    """

    address: str
    failed: str = ""
    taken: dict[str, str] = {}


class Resources(msgspec.Struct, frozen=True):
    """Processors and memory.

    Attributes:
        cores: that there are.
        usable: that we may use.
        load: average of the last minute.
        memory_bytes: of main memory.
        others: who else keeps a processor busy.
    """

    cores: int
    usable: int
    load: float
    memory_bytes: int
    others: tuple[str, ...] = ()


class Interpreter(msgspec.Struct, frozen=True):
    """The Python of which an environment is made.

    Attributes:
        python: its version.
        kind: implementation, version and platform, as files of machine code are named after them.
        libc: the C library's name and version.
        has_venv: whether it can make environments.
        markers: what requirements may depend on.
    """

    python: str
    kind: str
    libc: tuple[str, str]
    has_venv: bool
    markers: dict[str, str]


class Facts(Interpreter, frozen=True):
    """All that a look at a host gives.

    Attributes:
        folder: the folder of ours.
        formicary: what is installed.
        prosody: the XMPP server.
        listen: where other hosts reach it.
        machine: processors and memory.
        identity: the same for two names of one machine.
        tracing: what speaks against looking into processes, as far as can be seen without trying.
    """

    folder: Folder
    formicary: Installed
    prosody: Prosody
    listen: Listening
    machine: Resources
    identity: str
    tracing: str


class Seen(msgspec.Struct, kw_only=True):
    """A host after the check.

    Attributes:
        host: its name.
        reached_ms: milliseconds for the connection and the login; None if it could not be reached.
        offset_s: what its clock is ahead of ours.
        uncertainty_s: by how much that may be wrong.
        facts: what is known of it.
        findings: what is wrong.
    """

    host: str
    reached_ms: float | None = None
    offset_s: float | None = None
    uncertainty_s: float | None = None
    facts: Facts | None = None
    findings: list[Finding] = []

    @property
    def is_fit(self) -> bool:
        """Whether it can be used."""
        return all(finding.state is not State.MISSING for finding in self.findings)


class Way(msgspec.Struct, frozen=True):
    """The way from a host to another.

    Attributes:
        source: who has connected.
        target: to whom.
        seconds: median for a message there and back.
        bytes_per_second: that went there.
        blocked: why nothing went.
    """

    source: str
    target: str
    seconds: float | None = None
    bytes_per_second: float | None = None
    blocked: str = ""
