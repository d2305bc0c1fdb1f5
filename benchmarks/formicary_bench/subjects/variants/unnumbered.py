"""Our agents over links that lose what gets lost: what exactly-once delivery costs is the difference.

Such a link greets and parts as any other, and its frames have the same bytes; but it numbers none of them,
acknowledges none, keeps none and has no window.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from formicary.transport.link.header import CLOSE, DATA, HEADER, PART, SIZE
from formicary.transport.link.send_window import SendWindow
from formicary.transport.link.session import Session
from formicary_bench.subjects.ours import behaviours
from formicary_bench.subjects.variants import links

_COPIED = 4096  # bytes of a frame up to which numbered links, too, copy its payload


class UnnumberedWindow(SendWindow):
    """Neither numbers nor keeps what it sends."""

    def send(self, payload: bytes, item: Any, kind: int = DATA) -> bytes | None:
        """Return the frame to send; None before the other end has answered."""
        if not self.window:
            return super().send(payload, item, kind)
        return HEADER.pack(kind, self.own, self.peer, 0, 0) + payload

    def make_frame(self, kind: int, payload: bytes, item: Any) -> bytes:
        """Return the frame of what waited for the other end to answer; a link's last frame is as in any."""
        if kind == CLOSE:
            return super().make_frame(kind, payload, item)
        return HEADER.pack(kind, self.own, self.peer, 0, 0) + payload


class UnnumberedSession(Session):
    """A link's end that neither numbers nor acknowledges what it sends, and forgets it at once."""

    make_sending = UnnumberedWindow

    def receive(self, frame: bytes, now: float) -> bytes | memoryview | None:
        """Return what a frame holds, or what several hold that are parts; the rest is as in any link."""
        kind = frame[0]
        if kind == DATA and not self.parts:
            return frame[SIZE:] if len(frame) <= _COPIED else memoryview(frame)[SIZE:]
        if kind not in {DATA, PART}:
            return super().receive(frame, now)
        self.parts += memoryview(frame)[SIZE:]
        if kind == PART:
            return None
        batch, self.parts = self.parts, bytearray()
        return memoryview(batch)


_ROLES = replace(behaviours.ROLES, make=partial(links.container, session=UnnumberedSession))
ask, echo = _ROLES.ask, _ROLES.echo
