"""Conversations: questions and answers, and FIPA's interaction protocols in straight-line code.

- `table`: a protocol as a table, checked when it is defined; `standard`: FIPA's, and two-phase commit
- `diagrams`: diagrams of a protocol
- `dialogue`: one side of a conversation with one other agent
- `requesting`, `contract_net`, `auctions`, `two_phase`: what initiators use
- `several`: the base of conversations with several partners
- `responding`: what participants define; `participation`: calls it
- `partners`: finds the partners of a conversation
- `questions`: one message and its answer; `gathering`: several, and their answers
- `deadlines`: timeouts, with one timer for all
- `conversations`: routes messages to the conversations of one agent
- `service`: the conversations of a container, created on first use
"""

from typing import TYPE_CHECKING

from formicary.core.exports import exporter
from formicary.protocols.partners import Partners, Role, Search, role, search
from formicary.protocols.responding import (
    Accept,
    Agree,
    Confirm,
    Disconfirm,
    Failure,
    Inform,
    Participant,
    Propose,
    Refuse,
    Reject,
    Reply,
    Say,
    responds,
)
from formicary.protocols.standard import (
    Brokering,
    ContractNet,
    DutchAuction,
    EnglishAuction,
    IteratedContractNet,
    Proposing,
    QueryIf,
    QueryRef,
    Recruiting,
    Request,
    RequestWhen,
    Subscribe,
    TwoPhaseCommit,
)
from formicary.protocols.table import Protocol

if TYPE_CHECKING:
    from formicary.protocols.auctions import AuctionResult
    from formicary.protocols.contract_net import ContractNetSession
    from formicary.protocols.gathering import Answers
    from formicary.protocols.requesting import Conversation, SubscriptionSession

CPU_GROUP = "platform"

__all__ = [
    "Accept",
    "Agree",
    "Answers",
    "AuctionResult",
    "Brokering",
    "Confirm",
    "ContractNet",
    "ContractNetSession",
    "Conversation",
    "Disconfirm",
    "DutchAuction",
    "EnglishAuction",
    "Failure",
    "Inform",
    "IteratedContractNet",
    "Participant",
    "Partners",
    "Propose",
    "Proposing",
    "Protocol",
    "QueryIf",
    "QueryRef",
    "Recruiting",
    "Refuse",
    "Reject",
    "Reply",
    "Request",
    "RequestWhen",
    "Role",
    "Say",
    "Search",
    "Subscribe",
    "SubscriptionSession",
    "TwoPhaseCommit",
    "responds",
    "role",
    "search",
]

__getattr__ = exporter(
    __name__,
    {
        "protocols.auctions": ("AuctionResult",),
        "protocols.contract_net": ("ContractNetSession",),
        "protocols.gathering": ("Answers",),
        "protocols.requesting": ("Conversation", "SubscriptionSession"),
    },
)
