"""The status of a container's links."""

from __future__ import annotations

from typing import NamedTuple


class LinkStatus(NamedTuple):
    """The state of a link at one moment; counts are of frames since the container was opened.

    Attributes:
        peer: the domain of the other container.
        way: how frames go there now: `direct`, `xmpp`, `relay` or `none`.
        is_up: whether the other end is there.
        incarnation: this end's incarnation.
        peer_incarnation: the other end's; 0 if it is not known.
        unacknowledged: how many frames wait to be acknowledged.
        sent: how many were sent.
        received: how many were received.
        resent: how many were sent again.
        duplicates: how many came twice.
        dropped: how many were not of the session, or not in turn.
        failed: how many messages could not be delivered to the other container.
        rtt: seconds of the latest ping's round trip; None before there was one.
        messages_sent: how many messages were sent, each once however often its frame was.
        messages_received: how many were received.
    """

    peer: str
    way: str
    is_up: bool
    incarnation: int
    peer_incarnation: int
    unacknowledged: int
    sent: int
    received: int
    resent: int
    duplicates: int
    dropped: int
    failed: int
    rtt: float | None
    messages_sent: int = 0
    messages_received: int = 0
