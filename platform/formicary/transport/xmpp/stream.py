"""A connection to an XMPP server (RFC 6120), without an XMPP library.

`component` (XEP-0114) and `account_stream` differ in how a stream opens. XMPP libraries cost 40 to 250
microseconds per stanza; expat and a few prepared strings cost under 10. Frames, nearly all of the traffic, do
not even go through expat: see `frame_reader`.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, cast
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from formicary.core.errors import LinkError, NameTakenError
from formicary.core.quoting import sentence
from formicary.transport.os_errors import reason_and
from formicary.transport.xmpp.frame_reader import FrameReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.server.account import AccountAddress, XmppServer

STREAMS = "http://etherx.jabber.org/streams"
"""The namespace of streams, their features and errors."""

_STREAM = f"{{{STREAMS}}}stream"
_ERRORS = "urn:ietf:params:xml:ns:xmpp-streams"
COMPONENT = "jabber:component:accept"
"""The namespace of a component's stanzas, into which all streams convert stanzas."""

_CONNECT_TIMEOUT = 10.0  # seconds until the server has accepted the container
_CLOSE_TIMEOUT = 2.0  # seconds that the server gets to close its side
_HIGH_WATER = 1 << 20  # bytes that may wait to be written before senders have to


def _ignore(*_: object) -> None:
    pass


class ReplacedError(LinkError):
    """Another connection of the same name has replaced this one; reconnecting would never end."""


class XmppStream(asyncio.Protocol):
    """A connection; subclasses negotiate, and call `_accept` when the server has accepted the container.

    Args:
        server: the server.
        domain: the container's domain.
        on_stanza: called with each stanza except frames.
        on_frame: called with the sender, verified by the server, and the text of each frame.
        on_read_end: called when everything read at once has been passed on.
        on_room: called when there is room to write, or no longer, with which.
        on_lost: called once, with the cause, when an accepted connection has ended.
    """

    _namespace: ClassVar[str]
    """The namespace of the server's stanzas."""

    _frame_type: ClassVar[bytes | None] = None
    """The type of the `<message/>` around a frame."""

    _question: ClassVar[str]
    """What to check if the server does not answer as expected, as a question."""

    def __init__(
        self,
        server: XmppServer,
        domain: str,
        *,
        on_stanza: Callable[[Element], None] = _ignore,
        on_frame: Callable[[str, bytes], None] = _ignore,
        on_read_end: Callable[[], None] = _ignore,
        on_room: Callable[[bool], None] = _ignore,
        on_lost: Callable[[LinkError], None] = _ignore,
    ) -> None:
        self._server = server
        self._domain = domain
        self._on_stanza = on_stanza
        self._read = FrameReader(self._frame_type, on_frame).read
        self._on_read_end = on_read_end
        self._on_room = on_room
        self._on_lost = on_lost
        self._transport: asyncio.Transport
        self._accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closed: asyncio.Future[None] | None = None  # created with the connection, done at its end
        self._error: LinkError | NameTakenError | None = None
        self._is_accepted = False
        self._is_ending = False
        self._is_open = False  # after `connect` has returned
        self._depth = 0
        self._between_stanzas = False  # whether the parser has no part of a stanza
        self._builder = TreeBuilder()
        self._parser = expat.ParserCreate(namespace_separator="}")
        self._parser.buffer_text = True
        self._parser.buffer_size = 1 << 16
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    # -- for subclasses -------------------------------------------------------------------------------------

    @abstractmethod
    async def _reach(self) -> None:
        """Connect this protocol to the server; OSError, or errors as of `connect`."""

    @abstractmethod
    def _header(self) -> str:
        """Return the attributes of this side's stream header."""

    @abstractmethod
    def _greet(self, stream_id: str) -> None:
        """Answer the server's stream header."""

    @abstractmethod
    def _negotiate(self, element: Element) -> None:
        """Handle the server's stanzas until it has accepted the container."""

    def _refusal(self, condition: str) -> LinkError | NameTakenError | None:
        """Return the error for a stream error of special meaning, if it is one."""

    def _advice(self) -> str:
        """Return what to do if the server cannot be reached."""
        return "is it running?"

    # -- opening and closing --------------------------------------------------------------------------------

    async def connect(self) -> None:
        """Connect, and wait until the server has accepted the container.

        Raises:
            NameTakenError: a container of this name is already connected.
            AuthenticationError: the server does not accept the secret or password.
            UnknownHostError: the server does not know the component.
            LinkError: anything else, with the cause.
        """
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT):
                await self._reach()
                await self._accepted
        except TimeoutError:
            self._drop()
            raise LinkError(
                f"{self._server} did not accept the container within {_CONNECT_TIMEOUT:g} s; {self._question}"
            ) from None
        except (
            OSError,
            UnicodeError,
            OverflowError,
        ) as error:  # the latter two: an invalid host name or port
            raise LinkError(
                f"cannot connect to {self._server}: {reason_and(self._advice(), error)}"
            ) from None
        except BaseException:
            self._drop()
            raise
        if not self._is_usable:  # accepted, and lost at once
            raise self._error or self._ended(None)
        self._is_open = True

    async def close(self) -> int:
        """Close the stream in order; return how many bytes the server did not read in time.

        If cancelled, the connection is cut.
        """
        if not self._is_usable or self._closed is None:
            return 0  # uvloop does not report the end of a connection cancelled while opening
        self._is_open = False
        left = 0
        self.write(b"</stream:stream>")
        self.resume()  # to read the server's last words
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
        """Send whole stanzas; do nothing if the connection is ending, as `on_lost` will report."""
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

    def rebind(self) -> None:
        """Have the loop call the methods that the class has now: uvloop caches `data_received`."""
        if self._is_usable:
            self._transport.set_protocol(self)

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
        # uvloop's transports raise once they are aborted, and do not report that they are.
        return self._is_connected and not self._is_ending and not self._transport.is_closing()

    # -- asyncio's side -------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Open the stream; for asyncio."""
        self._transport = cast("asyncio.Transport", transport)
        self._closed = asyncio.get_running_loop().create_future()
        self._transport.set_write_buffer_limits(high=_HIGH_WATER)
        self._transport.write(
            f"<?xml version='1.0'?><stream:stream xmlns='{self._namespace}' xmlns:stream='{STREAMS}' "
            f"{self._header()}>".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Pass on what the server sends; for asyncio."""
        data = self._read(data, self._between_stanzas)
        if data:
            self._parse(data)
        self._on_read_end()

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.Parse(data, False)
        except expat.ExpatError as error:
            self._fail(LinkError(f"{self._server} sent what is not XML ({error}); {self._question}"))
        except LinkError as error:
            self._fail(error)
        # Servers keep connections alive by white space between stanzas.
        whole = data.rstrip()
        is_whole = whole.endswith(b">") if whole else self._between_stanzas
        self._between_stanzas = self._is_accepted and self._depth == 1 and is_whole

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake waiting tasks, or call `on_lost`; for asyncio."""
        assert self._closed is not None
        self._closed.set_result(None)
        error = self._error or self._ended(exc)
        if not self._accepted.done():
            self._refuse(error)
        elif self._is_open:
            self._is_open = False
            self._on_lost(error if isinstance(error, LinkError) else LinkError(str(error)))
        # The parser's handlers are methods of this object: a cycle, unless they are removed.
        self._parser.StartElementHandler = self._parser.EndElementHandler = None
        self._parser.StartNamespaceDeclHandler = None  # a component's
        self._parser.CharacterDataHandler = self._parser.StartDoctypeDeclHandler = None

    def pause_writing(self) -> None:
        """Report that there is no room to write; for asyncio."""
        self._on_room(False)

    def resume_writing(self) -> None:
        """Report that there is room to write again; for asyncio."""
        self._on_room(True)

    def _ended(self, cause: Exception | None) -> LinkError:
        early = "" if self._is_accepted else f", before it accepted the container; {self._question}"
        return LinkError(f"{self._server} closed the connection{f': {cause}' if cause else ''}{early}")

    # -- the parser's side ----------------------------------------------------------------------------------

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = self._written(name)
        self._depth += 1
        if self._depth == 1:
            self._opened(name, attributes.get("id"))
        else:
            self._builder.start(name, attributes)

    def _end(self, name: str) -> None:
        name = self._written(name)
        self._depth -= 1
        if self._depth == 0:
            self._abort()  # the server reads no more, so what waits to be written would wait for ever
            return
        self._builder.end(name)
        if self._depth == 1:
            element = self._builder.close()
            self._builder = TreeBuilder()
            if name == f"{{{STREAMS}}}error":
                self._fail(self._error_of(element))
            elif self._is_accepted:
                self._on_stanza(element)
            else:
                self._negotiate(element)

    def _written(self, name: str) -> str:
        """Return an element's name as ElementTree writes it, stanzas in a component's namespace."""
        namespace, brace, local = name.rpartition("}")
        if namespace == self._namespace:
            namespace = COMPONENT
        return f"{{{namespace}}}{local}" if brace else name

    def _text(self, text: str) -> None:
        if self._depth > 1:
            self._builder.data(text)

    def _refuse_doctype(self, *_: Any) -> None:
        # Raised, so that the parser stops before the declarations.
        raise LinkError(f"{self._server} sent a document type, which XMPP forbids")

    def _opened(self, name: str, stream_id: str | None) -> None:
        if name != _STREAM:
            raise LinkError(f"{self._server} does not speak XMPP; {self._question}")
        if stream_id is not None:  # otherwise an error follows
            self._greet(stream_id)

    def _accept(self) -> None:
        if not self._accepted.done():
            self._is_accepted = True  # stanzas may follow in the same packet
            self._accepted.set_result(None)

    def _error_of(self, error: Element) -> LinkError | NameTakenError:
        """Return the error for a stream error (RFC 6120, 4.9)."""
        conditions = [child.tag.removeprefix(f"{{{_ERRORS}}}") for child in error]
        condition = next((name for name in conditions if name != "text"), "undefined-condition")
        if self._is_accepted and condition == "conflict":
            name = self._domain.partition(".")[0]
            return ReplacedError(f"{self._server} replaced container {name!r} by another one of that name")
        if refusal := self._refusal(condition):
            return refusal
        text = error.findtext(f"{{{_ERRORS}}}text") or ""
        question = "" if self._is_accepted else f"; {self._question}"
        said = sentence(f"{condition}{f' ({text})' if text else ''}")
        return LinkError(f"{self._server} ended the connection: {said}{question}")

    def _fail(self, error: LinkError | NameTakenError) -> None:
        if self._error is None:
            self._error = error
        if not self._accepted.done():
            self._refuse(error)
        self._abort()

    def _refuse(self, error: LinkError | NameTakenError) -> None:
        self._accepted.set_exception(error)
        self._accepted.exception()  # as nothing may await it any more


class ClientStream(XmppStream):
    """A connection for an account, before or after the login."""

    _namespace = "jabber:client"
    _question = "is this its port for clients?"
    _server: AccountAddress

    def _header(self) -> str:
        return f"to='{self._server.domain}' version='1.0'"

    def _greet(self, stream_id: str) -> None:
        """Do nothing: the stream's features come next."""
