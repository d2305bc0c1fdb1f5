"""Our agents, our directory, and what a process of ours holds instead of agents."""

from __future__ import annotations

from formicary_bench.subjects.subject import ANYWHERE, BETWEEN, IN_PROCESS, Subject, apart
from formicary_bench.vocabulary.conversations import NET, REQUESTS
from formicary_bench.vocabulary.designs import CENTRAL, CONTAINER, IMPORTED, LOOKUP, REPLICA
from formicary_bench.vocabulary.grid import COPIED
from formicary_bench.vocabulary.modes import SYNCHRONOUS
from formicary_bench.vocabulary.shop import FETCHES, TRAVELS

_HERE = "formicary_bench.subjects.ours."
_AGENTS = ("messaging", "create", "memory", "network")

SUBJECTS = (
    Subject("formicary", _HERE + "behaviours", ANYWHERE, "behaviours", "Agents", families=_AGENTS),
    Subject("formicary", _HERE + "micro", ANYWHERE, "micro", "Micro-agents", families=_AGENTS),
    Subject(
        "formicary",
        "",
        IN_PROCESS | apart(*BETWEEN),
        COPIED,
        "Micro-agents, copies",
        families=(),
        hidden=True,
    ),
    Subject("formicary", "", IN_PROCESS, SYNCHRONOUS, "Agents, synchronous", families=(), hidden=True),
    *(
        Subject("formicary", "", IN_PROCESS, kind, label, families=())
        for kind, label in ((NET, "Contract nets"), (REQUESTS, "Requests, a task each"))
    ),
    *(
        Subject("formicary", _HERE + "operations", ANYWHERE, kind, label, families=("directory",))
        for kind, label in (
            (REPLICA, "Replica"),
            (CENTRAL, "Central directory"),
            (LOOKUP, "Look-up server"),
        )
    ),
    *(
        Subject("formicary", "", apart(*BETWEEN), kind, label, families=())
        for kind, label in ((TRAVELS, "Agent goes to the data"), (FETCHES, "Data comes to the agent"))
    ),
    *(
        Subject("formicary", "", IN_PROCESS, kind, label, families=("memory",))
        for kind, label in ((IMPORTED, "Platform imported"), (CONTAINER, "Open container"))
    ),
)
