"""The status of a container's links."""

from __future__ import annotations

from typing import NamedTuple


class LinkStatus(NamedTuple):
    """The status of a link; counts are of frames since the container was opened.

    Attributes:
        peer: the domain of the other container.
        way: how frames go there now: `direct`, `xmpp`, `relay` or `none`.
        is_up: whether the other end is there.
        incarnation: this end's incarnation.
        peer_incarnation: the other end's; 0 if unknown.
        unacknowledged: how many frames wait to be acknowledged.
        sent: how many were sent.
        received: how many were received.
        resent: how many were resent.
        duplicates: how many arrived again.
        dropped: how many were of another session, or out of turn.
        failed: how many messages could not be delivered to the other container.
        rtt: the latest ping's round trip in seconds; None before the first.
        messages_sent: how many messages were sent, not counting resent frames.
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
