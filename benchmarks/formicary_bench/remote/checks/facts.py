"""The facts about a host, and about the network between two hosts."""

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
    from formicary.doctor.programs import tracing
    tried = tracing()
    found["tracing"] = "" if tried.state == "good" else tried.what
except Exception as error:
    found["failed"] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""
"""A program that describes what is installed in an environment."""


class Folder(msgspec.Struct, frozen=True):
    """Our folder on a host.

    Attributes:
        path: its absolute path.
        state: `new` (missing or empty), `ours`, `foreign`, or `closed` (cannot be written).
        free_bytes: free space on its disk.
        record: what `prepare` recorded.
        running: command lines of our processes.
    """

    path: str
    state: str
    free_bytes: int
    record: dict[str, object] = {}
    running: tuple[str, ...] = ()


class Installed(msgspec.Struct, frozen=True):
    """The environment for measurements.

    Attributes:
        absent: whether it is missing.
        failed: why it does not work.
        python: the version of its Python.
        version: the version of its formicary.
        digest: the digest of its code.
        tracing: why py-spy may not trace processes; empty if it may, None if not tried.
    """

    absent: bool = False
    failed: str = ""
    python: str = ""
    version: str = ""
    digest: str = ""
    tracing: str | None = None


class Prosody(msgspec.Struct, frozen=True):
    """The XMPP server: its version, or why that is unknown; both empty if it is missing."""

    version: str = ""
    failed: str = ""


class Listening(msgspec.Struct, frozen=True):
    """The IP address for other hosts, why none can listen there, and usual ports in use, with purposes."""

    address: str
    failed: str = ""
    taken: dict[str, str] = {}


class Resources(msgspec.Struct, frozen=True):
    """Processors (all, and those we may use), load of the last minute, memory, and other busy programs."""

    cores: int
    usable: int
    load: float
    memory_bytes: int
    others: tuple[str, ...] = ()


class Interpreter(msgspec.Struct, frozen=True):
    """The Python for the environment.

    Attributes:
        python: its version.
        kind: implementation, version and platform, as in names of extension modules.
        libc: the C library's name and version.
        has_venv: whether it can make environments.
        markers: the environment markers of requirements.
    """

    python: str
    kind: str
    libc: tuple[str, str]
    has_venv: bool
    markers: dict[str, str]


class Facts(Interpreter, frozen=True):
    """All facts about a host.

    `identity` is the same for two names of one machine; `tracing` is why processes may not be traced, as far
    as can be seen without trying.
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
        reached_ms: milliseconds for connection and login; None if it was not reached.
        offset_s: how far its clock is ahead of ours.
        uncertainty_s: the possible error of that.
        facts: the facts.
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
    """The network from a host to another: median round trip, bandwidth, or why nothing comes through."""

    source: str
    target: str
    seconds: float | None = None
    bytes_per_second: float | None = None
    blocked: str = ""
