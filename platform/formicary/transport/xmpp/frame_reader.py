"""Extracts frames from what a server sends, without an XML parser.

In a stanza as servers write it, a frame's text ends at the next `<`. Anything written otherwise goes to the
parser.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formicary.transport.link.frames import NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Callable

_FRAME = re.compile(rb"<message ([^<>&\"]*)><frame xmlns='" + NAMESPACE.encode() + rb"'>")
_MAYBE_FRAME = re.compile(rb"<message [^<>&\"]*(?:>(?:<[^>]*)?)?")
_FRAME_END = b"</frame></message>"
_ATTRIBUTE = re.compile(rb"(?<![^ ])([^ =']+)='([^']*)'")  # only where one can begin: linear time
_TAG = re.compile(rb"""<(?:[!?]|(?:[^<>'"]|'[^']*'|"[^"]*")*>)""")

_NO_FRAME = "<not a frame>"  # not an address
_HEADS = 1000  # cached heads of frames, with their senders
_HEAD_BYTES = 4096  # bytes of the longest cached head


class FrameReader:
    """Extracts the frames from a stream.

    Attributes:
        origins: the senders of frames, verified by the server, by everything before their texts.
    """

    def __init__(self, frame_type: bytes | None, on_frame: Callable[[str, bytes], None]) -> None:
        self._frame_type = frame_type
        self._on_frame = on_frame
        self._incomplete = b""  # the beginning of a stanza with a frame, or of a tag
        self.origins: dict[bytes, str] = {}

    def read(self, data: bytes, is_between: bool) -> bytes:  # noqa: FBT001 -- called for all that comes
        """Pass on the frames that come next, if the parser `is_between` stanzas; return the rest for it.

        The start of a tag at the end is kept for the next data. Expat (2.6, and older versions with its
        security fixes) looks again at an incomplete tag only when twice as much data has come: a stanza
        complete by then would wait for the next one.
        """
        data = self._incomplete + data
        self._incomplete = b""
        if is_between:
            data = self._take_frames(data)
        cut = data.rfind(b"<")
        if cut < 0 or _TAG.match(data, cut):
            return data
        self._incomplete = data[cut:]
        return data[:cut]

    def _take_frames(self, data: bytes) -> bytes:
        """Pass on the frames at the start of `data`; return the rest for the parser."""
        position = 0
        while True:
            start = data.find(b">", data.find(b">", position) + 1) + 1  # after two tags, if there are two
            origin = self.origins.get(data[position:start])
            if origin is None:
                head = _FRAME.match(data, position)
                if head is None:
                    break
                origin, start = self._origin_of(head), head.end()
            end = data.find(b"<", start)
            if end < 0 or len(data) < end + len(_FRAME_END):
                self._incomplete = data[position:]
                return b""
            if origin is _NO_FRAME or not data.startswith(_FRAME_END, end):
                break
            position = end + len(_FRAME_END)
            self._on_frame(origin, data[start:end])
        if _MAYBE_FRAME.fullmatch(data, position):
            self._incomplete = data[position:]
            return b""
        return data[position:]

    def _origin_of(self, head: re.Match[bytes]) -> str:
        """Return the sender of the frame after a head, and cache it."""
        attributes: dict[bytes, bytes] = dict(_ATTRIBUTE.findall(head[1]))
        is_frame = attributes.get(b"type") == self._frame_type
        origin = attributes.get(b"from", b"").decode(errors="replace") if is_frame else _NO_FRAME
        if len(head[0]) <= _HEAD_BYTES:
            if len(self.origins) >= _HEADS:
                self.origins.clear()
            self.origins[head[0]] = origin
        return origin
