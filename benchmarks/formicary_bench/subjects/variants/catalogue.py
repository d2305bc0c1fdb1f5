"""Our agents with one thing changed."""

from __future__ import annotations

from formicary_bench.subjects.subject import BETWEEN, IN_PROCESS, Subject, apart
from formicary_bench.vocabulary.designs import BUFFER, CHAIN, COPIED, ENCODED, HAND_OVER, POOL
from formicary_bench.vocabulary.placements import APART
from formicary_bench.vocabulary.routes import XMPP, Carrier

_HERE = "formicary_bench.subjects.variants."

SUBJECTS = (
    Subject(
        "formicary-unnumbered",
        _HERE + "unnumbered",
        apart(*BETWEEN),
        label="Without numbers",
        floor="links without numbers",
        hidden=True,
    ),
    Subject(
        "formicary-unbatched",
        _HERE + "unbatched",
        apart(*BETWEEN),
        label="Without batches",
        families=("network",),
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
    Subject(
        "formicary-logins",
        _HERE + "logins",
        {APART: (Carrier(XMPP),)},
        label="A login for each",
        package="aioxmpp",
        extra="accounts",
        trips=2000,
        accounts=True,
        hidden=True,
    ),
)
