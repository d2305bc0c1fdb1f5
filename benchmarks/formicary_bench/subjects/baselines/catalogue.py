"""The baselines: the same exchange without agents, and the interpreter alone."""

from __future__ import annotations

from formicary_bench.subjects.subject import IN_PROCESS, Subject, apart
from formicary_bench.vocabulary.placements import APART
from formicary_bench.vocabulary.routes import MEMORY, TCP, UNIX, XMPP, Carrier

_HERE = "formicary_bench.subjects.baselines."

SUBJECTS = (
    Subject("python", "", IN_PROCESS, label="Bare interpreter", families=("memory",)),
    Subject(
        "tasks",
        _HERE + "tasks",
        IN_PROCESS,
        label="asyncio tasks",
        baseline="two bare asyncio tasks",
        families=("messaging", "create"),
    ),
    Subject("callbacks", _HERE + "callbacks", IN_PROCESS, label="Callbacks", baseline="two bare callbacks"),
    Subject(
        "tcp",
        _HERE + "tcp",
        apart(Carrier(TCP), Carrier(TCP, tls=True)),
        label="TCP sockets",
        baseline="bare TCP sockets",
        families=("messaging", "network"),
    ),
    Subject(
        "unix",
        _HERE + "tcp",
        {APART: (Carrier(UNIX),)},
        label="Unix sockets",
        baseline="bare Unix sockets",
        families=(),
    ),
    Subject(
        "shared-memory",
        _HERE + "memory",
        {APART: (Carrier(MEMORY),)},
        label="Shared memory",
        baseline="shared memory",
        families=(),
    ),
    Subject(
        "components",
        _HERE + "components",
        apart(Carrier(XMPP), Carrier(XMPP, tls=True)),
        label="Bare components",
        baseline="bare components of the server",
    ),
    Subject(
        "processes", "", IN_PROCESS, label="Processes", baseline="plain processes", families=("compute",)
    ),
    Subject("threads", "", IN_PROCESS, label="Threads", baseline="plain threads", families=("compute",)),
)
