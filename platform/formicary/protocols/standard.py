"""FIPA's protocols and two-phase commit, as tables."""

from __future__ import annotations

from formicary.protocols.table import INITIATOR as I
from formicary.protocols.table import PARTICIPANT as P
from formicary.protocols.table import Protocol

_LATE = "late"


def _act(name: str, source: str, *openings: str) -> Protocol:
    """Return a protocol whose participant is asked once, may agree first, and then answers."""
    return Protocol(
        name,
        [
            *(("start", I, opening, "asked") for opening in openings),
            ("asked", P, "refuse", "refused"),
            ("asked", P, "agree", "agreed"),
            ("asked", P, "inform", "done"),
            ("asked", P, "failure", "failed"),
            ("agreed", P, "inform", "done"),
            ("agreed", P, "failure", "failed"),
        ],
        timeouts=[("asked", "reply-by", _LATE), ("agreed", "reply-by", _LATE)],
        ends=["refused", "done", "failed", _LATE],
        source=source,
    )


Request = _act("fipa-request", "FIPA SC00026", "request")
QueryIf = _act("fipa-query", "FIPA SC00027", "query-if")
QueryRef = _act("fipa-query", "FIPA SC00027", "query-ref")
RequestWhen = _act("fipa-request-when", "FIPA SC00028", "request-when")

_BIDDING = [
    ("start", I, "cfp", "called"),
    ("called", P, "refuse", "refused"),
    ("called", P, "propose", "proposed"),
    ("called", P, "failure", "failed"),
    ("proposed", I, "reject-proposal", "rejected"),
    ("proposed", I, "accept-proposal", "accepted"),
    ("accepted", P, "inform", "done"),
    ("accepted", P, "failure", "failed"),
]
_BIDDING_ENDS = ["refused", "rejected", "done", "failed", _LATE]
_BIDDING_TIMES = [("called", "reply-by", _LATE), ("accepted", "timeout", _LATE)]

ContractNet = Protocol(
    "fipa-contract-net", _BIDDING, timeouts=_BIDDING_TIMES, ends=_BIDDING_ENDS, source="FIPA SC00029"
)
IteratedContractNet = Protocol(
    "fipa-iterated-contract-net",
    [*_BIDDING, ("proposed", I, "cfp", "called")],
    timeouts=_BIDDING_TIMES,
    ends=_BIDDING_ENDS,
    source="FIPA SC00030",
)

_AUCTION = [
    ("start", I, "inform", "opened"),
    ("opened", I, "cfp", "called"),
    ("opened", I, "inform", "over"),
    ("called", P, "propose", "proposed"),
    ("called", I, "cfp", "called"),
    ("called", I, "inform", "over"),
    ("proposed", I, "accept-proposal", "leading"),
    ("proposed", I, "reject-proposal", "opened"),
    ("leading", I, "inform", "over"),
]

EnglishAuction = Protocol(
    "fipa-english-auction",
    [*_AUCTION, ("leading", I, "cfp", "called")],
    ends=["over"],
    source="FIPA XC00031",
)
DutchAuction = Protocol("fipa-dutch-auction", _AUCTION, ends=["over"], source="FIPA XC00032")

_PROXY = [
    ("start", I, "proxy", "asked"),
    ("asked", P, "refuse", "refused"),
    ("asked", P, "agree", "agreed"),
    ("asked", P, "inform", "done"),
    ("asked", P, "failure", "failed"),
    ("agreed", P, "inform", "done"),
    ("agreed", P, "failure", "failed"),
]
_PROXY_ENDS = ["refused", "done", "failed", _LATE]
_PROXY_TIMES = [("asked", "reply-by", _LATE), ("agreed", "reply-by", _LATE)]

Brokering = Protocol("fipa-brokering", _PROXY, timeouts=_PROXY_TIMES, ends=_PROXY_ENDS, source="FIPA SC00033")
Recruiting = Protocol(
    "fipa-recruiting",
    _PROXY,
    timeouts=_PROXY_TIMES,
    ends=_PROXY_ENDS,
    source="FIPA SC00034",
    open_to_all=["agreed"],  # the recruited agents answer instead of the recruiter
)

Subscribe = Protocol(
    "fipa-subscribe",
    [
        ("start", I, "subscribe", "asked"),
        ("asked", P, "refuse", "refused"),
        ("asked", P, "agree", "agreed"),
        ("asked", P, "inform", "agreed"),
        ("asked", P, "failure", "failed"),
        ("agreed", P, "inform", "agreed"),
        ("agreed", P, "failure", "failed"),
    ],
    timeouts=[("asked", "reply-by", _LATE)],
    ends=["refused", "failed", _LATE],
    source="FIPA SC00035",
)

Proposing = Protocol(
    "fipa-propose",
    [
        ("start", I, "propose", "proposed"),
        ("proposed", P, "accept-proposal", "accepted"),
        ("proposed", P, "reject-proposal", "rejected"),
        ("proposed", P, "failure", "failed"),
    ],
    timeouts=[("proposed", "reply-by", _LATE)],
    ends=["accepted", "rejected", "failed", _LATE],
    source="FIPA SC00036",
)

TwoPhaseCommit = Protocol(
    "two-phase-commit",
    [
        ("start", I, "query-if", "asked"),
        ("asked", P, "confirm", "ready"),
        ("asked", P, "disconfirm", "against"),
        ("asked", P, "refuse", "against"),
        ("asked", P, "failure", "against"),
        ("asked", I, "reject-proposal", "aborting"),
        ("ready", I, "accept-proposal", "committing"),
        ("ready", I, "reject-proposal", "aborting"),
        ("committing", P, "inform", "done"),
        ("committing", P, "failure", "failed"),
        ("aborting", P, "confirm", "aborting"),  # sent before it got the `reject-proposal`
        ("aborting", P, "disconfirm", "against"),
        ("aborting", P, "refuse", "against"),
        ("aborting", P, "inform", "aborted"),
        ("aborting", P, "failure", "aborted"),
    ],
    timeouts=[("committing", "timeout", _LATE), ("aborting", "timeout", _LATE)],
    ends=["against", "done", "failed", "aborted", _LATE],
    source="Gray 1978; JADE's jade.proto.TwoPh*",
)

ALL = (
    Request, QueryIf, QueryRef, RequestWhen, ContractNet, IteratedContractNet, EnglishAuction, DutchAuction,
    Brokering, Recruiting, Subscribe, Proposing, TwoPhaseCommit,
)  # fmt: skip
"""All of them."""
