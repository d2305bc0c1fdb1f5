"""A component's stream without a socket."""

from __future__ import annotations

from formicary.server import ServerAddress
from formicary.transport.link.frames import NAMESPACE
from formicary.transport.xmpp.addressing import make_stream

ADDRESS = ServerAddress("127.0.0.1", 5347, "secret", "lab.localhost")
HEADER = (
    "<?xml version='1.0'?><stream:stream xmlns:stream='http://etherx.jabber.org/streams' "
    "xmlns='jabber:component:accept' id='1234' from='c1.lab.localhost'>"
)


class Wire:
    """Stands for asyncio's transport: keeps what is written."""

    def __init__(self, protocol):
        self.protocol = protocol
        self.written = b""
        self.aborted = False

    def set_write_buffer_limits(self, high):
        pass

    def write(self, data):
        self.written += data

    def abort(self):
        if not self.aborted:
            self.aborted = True

    def is_closing(self):
        return self.aborted


class Stream:
    """A stream and everything that came out of it; use it inside a running loop."""

    def __init__(self, address=ADDRESS, make=make_stream):
        self.came = []
        self.ended = None
        self.stream = make(
            address,
            "c1.lab.localhost",
            on_stanza=lambda element: self.came.append(_plain(element)),
            on_frame=lambda origin, text: self.came.append((origin, text)),
            on_read_end=lambda: None,
            on_room=lambda _: None,
            on_lost=self._lost,
        )
        self.transport = Wire(self.stream)
        self.stream.connection_made(self.transport)

    @property
    def accepted(self):
        return self.stream._accepted

    def feed(self, data):
        if not self.transport.aborted:
            self.stream.data_received(data.encode() if isinstance(data, str) else data)
            if self.accepted.done() and self.accepted.exception() is None:
                self.stream._is_open = True  # as `connect` has it
            if self.transport.aborted:
                self.stream.connection_lost(None)
                self.ended = self.ended or self.accepted.exception()

    def _lost(self, error):
        assert self.ended is None
        self.ended = error


def _plain(element):
    """A frame that the parser has seen is the same as one that it has not."""
    first = element[0] if len(element) else None
    if first is not None and first.tag == f"{{{NAMESPACE}}}frame":
        return element.get("from"), (first.text or "").encode()
    return element.tag, sorted(element.items()), [(child.tag, child.text) for child in element]
