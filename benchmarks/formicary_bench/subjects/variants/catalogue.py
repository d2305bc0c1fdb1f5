"""Our agents with one thing changed."""

from __future__ import annotations

from formicary_bench.subjects.subject import ANYWHERE, BETWEEN, IN_PROCESS, Subject, apart
from formicary_bench.vocabulary.designs import BUFFER, CHAIN, COPIED, ENCODED, HAND_OVER, POOL
from formicary_bench.vocabulary.names import BARE_MESSAGES
from formicary_bench.vocabulary.placements import APART
from formicary_bench.vocabulary.routes import DIRECT, XMPP, Carrier
from formicary_bench.vocabulary.styles import (
    MICRO_ASYNC,
    MICRO_TUNED,
    SHORT_NAMES,
    SIX_BEHAVIOURS,
    TIME_OUTS,
    TUNED,
    TWO_BEHAVIOURS,
)
from formicary_bench.vocabulary.watching import ALONE, FOLLOWED, LEFT, VIEWED

_HERE = "formicary_bench.subjects.variants."

SUBJECTS = (
    Subject(
        "formicary-unnumbered",
        _HERE + "unnumbered",
        apart(*BETWEEN),
        label="Without numbers",
        baseline="links without numbers",
        hidden=True,
    ),
    Subject(
        "formicary-tcp",
        _HERE + "over_tcp",
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
        _HERE + "unbatched",
        apart(*BETWEEN),
        label="Without batches",
        families=("network",),
    ),
    Subject(
        "formicary-spade",
        _HERE + "spade",
        IN_PROCESS | apart(*BETWEEN),
        label="Programs for SPADE",
        families=("messaging", "create"),
        hidden=True,
    ),
    *(
        Subject("design", _HERE + "designs", IN_PROCESS, kind, label, hidden=True)
        for kind, label in (
            (HAND_OVER, "Hand-over by the sender"),
            (POOL, "Outbox with five workers"),
            (BUFFER, "Buffer with one worker"),
            (CHAIN, "Chain of agents"),
            (COPIED, "Deep copies"),
            (ENCODED, "Encoded copies"),
        )
    ),
    *(
        Subject("style", _HERE + "styles", IN_PROCESS, kind, label, hidden=True)
        for kind, label in (
            (TUNED, "Tuned agents"),
            (SHORT_NAMES, "Tuned, but short names"),
            (TIME_OUTS, "Tuned, but time-outs"),
            (TWO_BEHAVIOURS, "Two behaviours"),
            (SIX_BEHAVIOURS, "Six behaviours"),
            (MICRO_TUNED, "Micro-agents, full names"),
            (MICRO_ASYNC, "Micro-agents, async handle"),
        )
    ),
    *(
        Subject("watched", _HERE + "watched", IN_PROCESS, kind, label, families=("observe",), hidden=True)
        for kind, label in (
            (VIEWED, "With a viewer"),
            (FOLLOWED, "With a viewer of one conversation"),
            (LEFT, "After a viewer has gone"),
            (ALONE, "As late, without a viewer"),
        )
    ),
    Subject(
        "formicary-logins",
        _HERE + "logins",
        {APART: (Carrier(XMPP),)},
        label="A login for each",
        package="scramp",
        extra="accounts",
        trips=2000,
        accounts=True,
        hidden=True,
    ),
)
