"""One connection to an XMPP server as an external component (XEP-0114): a lean stream, no library.

XMPP libraries cost 40 to 250 microseconds per stanza; expat and a few prepared strings cost under 10. Frames,
which are nearly all of the traffic, do not even go through expat: in a stanza written as servers write it, a
frame's text ends at the next `<`. Whatever is written otherwise takes the ordinary way.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import socket
from typing import TYPE_CHECKING, Any, cast
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from formicary.errors import AuthenticationError, LinkError, NameTakenError
from formicary.server.folder import StateFolder
from formicary.transport.frames import NAMESPACE as FRAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.server.address import ServerAddress

_STREAMS = "http://etherx.jabber.org/streams"
_STREAM = f"{{{_STREAMS}}}stream"
_ERRORS = "urn:ietf:params:xml:ns:xmpp-streams"
COMPONENT = "jabber:component:accept"
"""The namespace of a component's stanzas."""

_FRAME = re.compile(rb"<message ([^<>&]*)><frame xmlns='" + FRAMES.encode() + rb"'>")
_FRAME_END = b"</frame></message>"
_ORIGIN = re.compile(rb"\bfrom='([^']*)'")
_TAG = re.compile(rb"""<(?:[!?]|(?:[^<>'"]|'[^']*'|"[^"]*")*>)""")

_CONNECT_TIMEOUT = 10.0  # seconds until the server has accepted the component
_CLOSE_TIMEOUT = 2.0  # seconds that the server gets to close its side
_OTHER_PORTS = {"jabber:client": "clients", "jabber:server": "other servers"}
_IS_IT_THE_PORT = "is that its port for components?"
_HIGH_WATER = 1 << 20  # bytes that may wait to be written before senders have to


class UnknownHostError(LinkError):
    """The server has no such component in its configuration."""


class ComponentStream(asyncio.Protocol):
    """A component's connection.

    Args:
        domain: the component's name, a container's domain.
        received: called with each stanza that is not a frame's.
        framed: called with the sending container's domain and the text of each frame.
        rested: called when everything that came in at once has been passed on.
        writable: called with whether there is room to write, when that changes.
        lost: called once when an accepted connection has ended, with the cause.
    """

    def __init__(
        self,
        domain: str,
        *,
        received: Callable[[Element], None],
        framed: Callable[[str, bytes], None],
        rested: Callable[[], None],
        writable: Callable[[bool], None],
        lost: Callable[[LinkError], None],
    ) -> None:
        self._domain = domain
        self._received = received
        self._framed = framed
        self._rested = rested
        self._writable = writable
        self._lost = lost
        self._server: ServerAddress
        self._transport: asyncio.Transport
        self._accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closed: asyncio.Future[None] | None = None  # made with the connection, done when that has ended
        self._error: LinkError | NameTakenError | None = None
        self._is_accepted = False
        self._is_ending = False
        self._is_open = False  # from when `connect` has returned
        self._depth = 0
        self._between_stanzas = False  # the parser holds no part of a stanza
        self._incomplete = b""  # the beginning of a stanza with a frame, or of a tag
        self._builder = TreeBuilder()
        self._parser = expat.ParserCreate(namespace_separator="}")
        self._parser.buffer_text = True
        self._parser.buffer_size = 1 << 16
        self._parser.StartNamespaceDeclHandler = self._refuse_other_ports
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    # -- opening and closing --------------------------------------------------------------------------------

    async def connect(self, server: ServerAddress) -> None:
        """Connect and be accepted.

        Raises:
            NameTakenError: a component of this name is connected already.
            AuthenticationError: the server does not accept the secret.
            UnknownHostError: the server does not know the component.
            LinkError: anything else, with the cause.
        """
        self._server = server
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT):
                loop = asyncio.get_running_loop()
                await loop.create_connection(lambda: self, server.host, server.port)
                await self._accepted
        except TimeoutError:
            self._drop()
            raise LinkError(
                f"{self._where} did not accept the container within {_CONNECT_TIMEOUT:g} s; {_IS_IT_THE_PORT}"
            ) from None
        except (OSError, UnicodeError, OverflowError) as error:  # the latter two: no host name, no port
            raise LinkError(f"cannot connect to {self._where}: {_reason(error)}; {self._start_it}") from None
        except BaseException:
            self._drop()
            raise
        if not self._is_usable:  # accepted, and lost at once
            raise self._error or self._ended(None)
        self._is_open = True

    async def close(self) -> int:
        """Close the stream in order; what was written before has then gone out, if the server reads.

        If cancelled, the connection is cut.

        Returns:
            How many bytes have not gone out, because the server did not read them in time.
        """
        if not self._is_usable or self._closed is None:
            return 0  # not to be waited for: uvloop does not tell the end of what it was cancelled to open
        self._is_open = False
        left = 0
        self.write(b"</stream:stream>")
        self.resume()  # the server's last word is to be read
        try:
            await asyncio.wait([self._closed], timeout=_CLOSE_TIMEOUT)
        finally:
            if self._is_usable:
                left = self._transport.get_write_buffer_size()
            if self._is_connected:
                self._abort()
        await asyncio.wait([self._closed])
        return left

    def write(self, data: bytes) -> None:
        """Send bytes: whole stanzas; none where the connection is ending already, as `lost` is to tell."""
        if not self._is_ending:
            self._transport.write(data)

    def pause(self) -> None:
        """Read nothing more until `resume`."""
        if self._is_usable:
            self._transport.pause_reading()

    def resume(self) -> None:
        """Read again."""
        if self._is_usable:
            self._transport.resume_reading()

    def _drop(self) -> None:
        if self._is_connected:
            self._abort()

    def _abort(self) -> None:
        self._is_ending = True
        self._transport.abort()

    @property
    def _is_connected(self) -> bool:
        return self._closed is not None and not self._closed.done()

    @property
    def _is_usable(self) -> bool:
        # uvloop's transports raise once they are aborted, and do not say before that they are.
        return self._is_connected and not self._is_ending and not self._transport.is_closing()

    @property
    def _where(self) -> str:
        return f"the XMPP server at {self._server.host}:{self._server.port}"

    @property
    def _start_it(self) -> str:
        if self._server.folder is None:
            return "is it running?"
        return f"start it with: formicary server start{StateFolder(self._server.folder).option}"

    # -- asyncio's side -------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Open the stream; for asyncio."""
        self._transport = cast("asyncio.Transport", transport)
        self._closed = asyncio.get_running_loop().create_future()
        self._transport.set_write_buffer_limits(high=_HIGH_WATER)
        self._transport.write(
            f"<?xml version='1.0'?><stream:stream xmlns='{COMPONENT}' xmlns:stream='{_STREAMS}' "
            f"to='{self._domain}'>".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Pass on what the server sends; for asyncio."""
        data = self._incomplete + data
        self._incomplete = b""
        if self._between_stanzas:
            data = self._take_frames(data)
        data = self._hold_back(data)
        if data:
            self._parse(data)
        self._rested()

    def _take_frames(self, data: bytes) -> bytes:
        """Pass on the frames that `data` begins with; return what is left for the parser."""
        position = 0
        while head := _FRAME.match(data, position):
            start = head.end()
            end = data.find(b"<", start)
            if end < 0 or len(data) < end + len(_FRAME_END):
                self._incomplete = data[position:]
                return b""
            origin = _ORIGIN.search(head[1])
            if origin is None or b"type=" in head[1] or not data.startswith(_FRAME_END, end):
                break
            position = end + len(_FRAME_END)
            self._framed(origin[1].decode(), data[start:end])
        return data[position:]

    def _hold_back(self, data: bytes) -> bytes:
        """Keep the beginning of a tag at the end of `data`; return what comes before it.

        Expat (2.6, and older ones with its security fixes) looks again at a tag that it had in part only when
        twice as much has come: a stanza that is whole by then would wait for the next one.
        """
        cut = data.rfind(b"<")
        if cut < 0 or _TAG.match(data, cut):
            return data
        self._incomplete = data[cut:]
        return data[:cut]

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.Parse(data, False)
        except expat.ExpatError as error:
            self._fail(LinkError(f"{self._where} sent what is not XML ({error}); {_IS_IT_THE_PORT}"))
        except LinkError as error:
            self._fail(error)
        # Between stanzas there may be white space, by which servers keep a connection alive.
        whole = data.rstrip()
        is_whole = whole.endswith(b">") if whole else self._between_stanzas
        self._between_stanzas = self._is_accepted and self._depth == 1 and is_whole

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever waits; for asyncio."""
        assert self._closed is not None
        self._closed.set_result(None)
        error = self._error or self._ended(exc)
        if not self._accepted.done():
            self._refuse(error)
        elif self._is_open:
            self._is_open = False
            self._lost(error if isinstance(error, LinkError) else LinkError(str(error)))
        # The parser's handlers are methods of ours: without this the two keep each other alive.
        self._parser.StartElementHandler = self._parser.EndElementHandler = None
        self._parser.StartNamespaceDeclHandler = None
        self._parser.CharacterDataHandler = self._parser.StartDoctypeDeclHandler = None

    def pause_writing(self) -> None:
        """Pass on that there is no room; for asyncio."""
        self._writable(False)

    def resume_writing(self) -> None:
        """Pass on that there is room again; for asyncio."""
        self._writable(True)

    def _ended(self, cause: Exception | None) -> LinkError:
        early = "" if self._is_accepted else f", before it accepted the container; {_IS_IT_THE_PORT}"
        return LinkError(f"{self._where} closed the connection{f': {cause}' if cause else ''}{early}")

    # -- the parser's side ----------------------------------------------------------------------------------

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = f"{{{name}" if "}" in name else name  # as ElementTree writes names
        self._depth += 1
        if self._depth == 1:
            self._shake_hands(name, attributes.get("id"))
        else:
            self._builder.start(name, attributes)

    def _end(self, name: str) -> None:
        name = f"{{{name}" if "}" in name else name
        self._depth -= 1
        if self._depth == 0:
            self._abort()  # it takes nothing more, so what waits to be written would wait for ever
            return
        self._builder.end(name)
        if self._depth == 1:
            element = self._builder.close()
            self._builder = TreeBuilder()
            if self._is_accepted and name != f"{{{_STREAMS}}}error":
                self._received(element)
            else:
                self._negotiate(element)

    def _text(self, text: str) -> None:
        if self._depth > 1:
            self._builder.data(text)

    def _refuse_other_ports(self, prefix: str | None, namespace: str) -> None:
        if self._depth == 0 and prefix is None and namespace in _OTHER_PORTS:
            raise LinkError(f"{self._where} takes no components on this port, but {_OTHER_PORTS[namespace]}")

    def _refuse_doctype(self, *_: Any) -> None:
        # Raised, so that the parser stops here: what a document type declares would come next.
        raise LinkError(f"{self._where} sent a document type, which XMPP forbids")

    def _shake_hands(self, name: str, stream_id: str | None) -> None:
        if name != _STREAM:
            raise LinkError(f"{self._where} does not speak XMPP; {_IS_IT_THE_PORT}")
        if stream_id is None:  # the error that it has found comes next
            return
        digest = hashlib.sha1((stream_id + self._server.secret).encode(), usedforsecurity=False).hexdigest()
        self._transport.write(f"<handshake>{digest}</handshake>".encode())

    def _negotiate(self, element: Element) -> None:
        if element.tag == f"{{{COMPONENT}}}handshake":
            if not self._accepted.done():
                self._is_accepted = True  # stanzas may follow in the same packet
                self._accepted.set_result(None)
        elif element.tag == f"{{{_STREAMS}}}error":
            self._fail(self._refusal(element))

    def _refusal(self, error: Element) -> LinkError | NameTakenError:
        conditions = [child.tag.removeprefix(f"{{{_ERRORS}}}") for child in error]
        condition = next((name for name in conditions if name != "text"), "undefined-condition")
        text = error.findtext(f"{{{_ERRORS}}}text") or ""
        name, _, platform = self._domain.partition(".")
        where = self._where
        if condition == "conflict":
            return NameTakenError(
                f"a container named {name!r} is connected to {where} already; stop it or take another name"
            )
        if condition == "not-authorized":
            return AuthenticationError(
                f"{where} does not accept the secret of container {name!r}; compare it with the "
                f"component_secret of {self._domain} in the server's configuration"
            )
        if condition == "host-unknown":
            return UnknownHostError(
                f"{where} does not know {self._domain}; add what this prints to its configuration: "
                f"formicary server config --platform {platform} --containers {name}"
            )
        question = "" if self._is_accepted else f"; {_IS_IT_THE_PORT}"
        return LinkError(f"{where} ended the connection: {condition}{f' ({text})' if text else ''}{question}")

    def _fail(self, error: LinkError | NameTakenError) -> None:
        if self._error is None:
            self._error = error
        if not self._accepted.done():
            self._refuse(error)
        self._abort()

    def _refuse(self, error: LinkError | NameTakenError) -> None:
        self._accepted.set_exception(error)
        self._accepted.exception()  # it may be that nobody waits any more


def _reason(error: Exception) -> str:
    """Return why a connection cannot be made, in the system's words and without the address."""
    if isinstance(error, OSError) and error.errno and not isinstance(error, socket.gaierror):
        return os.strerror(error.errno)
    return str(getattr(error, "strerror", None) or error)
