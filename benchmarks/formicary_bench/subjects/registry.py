"""All subjects: those of the laboratory, and other platforms with a driver on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.subjects.drivers.installed import driven
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.subject import ANYWHERE, BETWEEN, IN_PROCESS, Subject, apart
from formicary_bench.vocabulary import values
from formicary_bench.vocabulary.names import BARE_MESSAGES
from formicary_bench.vocabulary.places import APART, DIRECT, MEMORY, TCP, UNIX, XMPP, Carrier

if TYPE_CHECKING:
    from formicary_bench.vocabulary.configuration import Configuration


_BASELINES = "formicary_bench.subjects.baselines."

BASELINES = (
    Subject("python", "", IN_PROCESS, label="Bare interpreter", families=("memory",)),
    Subject(
        "tasks",
        _BASELINES + "tasks",
        IN_PROCESS,
        label="asyncio tasks",
        baseline="two bare asyncio tasks",
        families=("messaging", "create"),
    ),
    Subject(
        "callbacks",
        _BASELINES + "callbacks",
        IN_PROCESS,
        label="Callbacks",
        baseline="two bare callbacks",
    ),
    Subject(
        "tcp",
        _BASELINES + "tcp",
        apart(Carrier(TCP), Carrier(TCP, tls=True)),
        label="TCP sockets",
        baseline="bare TCP sockets",
        families=("messaging", "network"),
    ),
    Subject(
        "unix",
        _BASELINES + "tcp",
        {APART: (Carrier(UNIX),)},
        label="Unix sockets",
        baseline="bare Unix sockets",
        families=(),
    ),
    Subject(
        "shared-memory",
        _BASELINES + "memory",
        {APART: (Carrier(MEMORY),)},
        label="Shared memory",
        baseline="shared memory",
        families=(),
    ),
    Subject(
        "components",
        _BASELINES + "components",
        apart(Carrier(XMPP), Carrier(XMPP, tls=True)),
        label="Bare components",
        about="XMPP without agents",
        baseline="bare components",
    ),
    Subject(
        "processes", "", IN_PROCESS, label="Processes", baseline="plain processes", families=("compute",)
    ),
    Subject("threads", "", IN_PROCESS, label="Threads", baseline="plain threads", families=("compute",)),
)


_OURS = "formicary_bench.subjects.ours."
_AGENTS = ("messaging", "create", "memory", "network")

OURS = (
    Subject("formicary", _OURS + "behaviours", ANYWHERE, "behaviours", "Agents", families=_AGENTS),
    Subject(
        "formicary",
        _OURS + "micro",
        ANYWHERE,
        "micro",
        "Micro-agents",
        about="one method, called with each message",
        families=_AGENTS,
    ),
    Subject(
        "formicary",
        "",
        IN_PROCESS | apart(*BETWEEN),
        values.MICRO_COPIED,
        "Micro-agents, copies",
        families=(),
        hidden=True,
    ),
    Subject("formicary", "", IN_PROCESS, values.SYNCHRONOUS, "Agents, synchronous", families=(), hidden=True),
    *(
        Subject("formicary", "", IN_PROCESS, kind, label, families=())
        for kind, label in ((values.NET, "Contract nets"), (values.REQUESTS, "Requests, a task each"))
    ),
    *(
        Subject("formicary", _OURS + "operations", ANYWHERE, kind, label, about, families=("directory",))
        for kind, label, about in (
            (values.REPLICA, "Replica", "a copy of the directory in each container"),
            (values.CENTRAL, "Central directory", ""),
            (values.LOOKUP, "Look-up server", ""),
        )
    ),
    *(
        Subject("formicary", "", apart(*BETWEEN), kind, label, families=())
        for kind, label in (
            (values.TRAVELS, "Agent goes to the data"),
            (values.FETCHES, "Data comes to the agent"),
        )
    ),
    *(
        Subject("formicary", "", IN_PROCESS, kind, label, families=("memory",))
        for kind, label in ((values.IMPORTED, "Platform imported"), (values.CONTAINER, "Open container"))
    ),
)


_VARIANTS = "formicary_bench.subjects.variants."

VARIANTS = (
    Subject(
        "formicary-unnumbered",
        _VARIANTS + "links",
        apart(*BETWEEN),
        label="Without numbers",
        baseline="links without numbers",
        hidden=True,
    ),
    Subject(
        "formicary-tcp",
        _VARIANTS + "over_tcp",
        {APART: (Carrier(DIRECT),)},
        label="Agents, links over TCP",
        families=(),
    ),
    Subject(
        BARE_MESSAGES,
        "",
        ANYWHERE,
        label="Messages alone",
        baseline="messages alone",
        families=(),
        hidden=True,
    ),
    Subject(
        "formicary-unbatched",
        _VARIANTS + "links",
        apart(*BETWEEN),
        label="Without batches",
        families=("network",),
    ),
    Subject(
        "formicary-spade",
        _VARIANTS + "spade",
        IN_PROCESS | apart(*BETWEEN),
        label="Programs for SPADE",
        families=("messaging", "create"),
        hidden=True,
    ),
    *(
        Subject("design", _VARIANTS + "designs", IN_PROCESS, kind, label, hidden=True)
        for kind, label in (
            (values.HAND_OVER, "Hand-over by the sender"),
            (values.POOL, "Outbox with five workers"),
            (values.BUFFER, "Buffer with one worker"),
            (values.CHAIN, "Chain of agents"),
            (values.COPIED, "Deep copies"),
            (values.ENCODED, "Encoded copies"),
        )
    ),
    *(
        Subject("style", _VARIANTS + "styles", IN_PROCESS, kind, label, hidden=True)
        for kind, label in (
            (values.TUNED, "Tuned agents"),
            (values.SHORT_NAMES, "Tuned, but short names"),
            (values.TIME_OUTS, "Tuned, but timeouts"),
            (values.TWO_BEHAVIOURS, "Two behaviours"),
            (values.SIX_BEHAVIOURS, "Six behaviours"),
            (values.MICRO_TUNED, "Micro-agents, full names"),
            (values.MICRO_ASYNC, "Micro-agents, async handle"),
        )
    ),
    *(
        Subject("watched", _VARIANTS + "watched", IN_PROCESS, kind, label, families=("observe",), hidden=True)
        for kind, label in (
            (values.VIEWED, "With a viewer"),
            (values.FOLLOWED, "With a viewer of one conversation"),
            (values.LEFT, "After a viewer has gone"),
            (values.ALONE, "As late, without a viewer"),
        )
    ),
    Subject(
        "formicary-logins",
        _VARIANTS + "logins",
        {APART: (Carrier(XMPP),)},
        label="A login for each",
        package="scramp",
        extra="accounts",
        trips=2000,
        accounts=True,
        hidden=True,
    ),
)


SUBJECTS = (*OURS, *VARIANTS, *BASELINES)
"""The laboratory's own subjects; `subjects` also has those with a driver."""

_KNOWN = {(subject.platform, subject.kind): subject for subject in SUBJECTS}


def subjects() -> tuple[Subject, ...]:
    """Return all subjects: those of the laboratory, and those with a driver here."""
    return (*SUBJECTS, *driven())


def subject_of(platform: str, kind: str) -> Subject:
    """Return the subject of a configuration.

    Raises:
        UsageError: there is none here, for example because its driver has been removed.
    """
    subject = _KNOWN.get((platform, kind)) or next((one for one in driven() if one.name == platform), None)
    if subject is None:
        raise UsageError(f"the platform {platform} is not installed here; see: formicary bench platforms")
    return subject


def has_driver(configuration: Configuration) -> bool:
    """Return whether a configuration's platform needs a driver, installed or not."""
    return (configuration.platform, configuration.kind) not in _KNOWN


def about_of(platform: str, kind: str) -> str:
    """Return a subject's description; empty if its label is enough."""
    return _KNOWN[platform, kind].about if (platform, kind) in _KNOWN else ""


def label_of(platform: str, kind: str) -> str:
    """Return the label of a subject in charts and tables, installed or not; empty if unknown."""
    if platform in RECIPES:
        return RECIPES[platform].label
    return _KNOWN[platform, kind].label if (platform, kind) in _KNOWN else ""
