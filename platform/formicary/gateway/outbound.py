"""Outgoing messages: a queue for each other platform, sent by HTTP (FIPA00084)."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from typing import TYPE_CHECKING

import aiohttp
import msgspec

from formicary import Message  # noqa: TC001 -- msgspec reads it
from formicary.errors import FormicaryError
from formicary.extending import RemoteSink, get_logger, now
from formicary.gateway.acl_message import write_acl
from formicary.gateway.envelope import Envelope, write_envelope, write_parts
from formicary.gateway.foreign_names import platform_of
from formicary.gateway.peers import is_public

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aiohttp.abc import AbstractResolver, ResolveResult

    from formicary import Container
    from formicary.extending import MessageSink
    from formicary.gateway.acl_message import AgentIdentifier
    from formicary.gateway.peers import Peers
    from formicary.gateway.translation import Translator

logger = get_logger("formicary.gateway")

_WAITING = 1000  # messages queued for a platform, beyond which senders wait
_WAITING_BYTES = 1 << 24
_FAILURES = 1000  # failures queued in addition, for which no sender waits
_CONNECT = 5.0  # s
_KEPT = 15.0  # s that a connection is kept: less than at the other end, which must not close it first
_DRAIN = 5.0  # s to deliver queued messages when the gateway closes
_ANSWER = 4096  # bytes of an answer that are read, so that its connection can be reused
_SAID = 200  # characters of a platform's reason for a refusal


class _Post(msgspec.Struct):
    message: Message
    receiver: str  # its full name here
    identifier: AgentIdentifier  # its identifier there
    is_named: bool  # whether its platform is a configured peer
    content_type: str
    body: bytes


class _Line:
    """The queue for one platform."""

    def __init__(self, platform: str) -> None:
        self.platform = platform
        self.posts: deque[_Post] = deque()
        self.size = 0
        self.room = asyncio.Event()
        self.task: asyncio.Task[None]


class NotTakenError(Exception):
    """A platform did not accept a message.

    Args:
        why: the reason, as the rest of a sentence.
        is_away: whether the platform is unreachable, for other messages too.
    """

    def __init__(self, why: str, *, is_away: bool = False) -> None:
        super().__init__(why)
        self.is_away = is_away


class _PublicResolver(aiohttp.ThreadedResolver):
    """Resolves only to public addresses, for hosts named by strangers."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await super().resolve(host, port, family)
        if public := [each for each in found if is_public(each["host"])]:
            return public
        raise OSError(f"{host} is not a public address: to send to it, add it with --peer or `peers=`")


class Outbound:
    """Sends messages to other platforms: in order to each, to several concurrently.

    Args:
        container: the sending container.
        translator: translates messages and names.
        peers: the known platforms.
        timeout: s for a platform to accept a message.
        limit: the largest message in bytes.
    """

    def __init__(
        self, container: Container, translator: Translator, peers: Peers, timeout: float, limit: int
    ) -> None:
        self._dispatcher = container.dispatcher
        self._translator = translator
        self._peers = peers
        self._limit = limit
        self._lines: dict[str, _Line] = {}
        self._timeout = timeout
        # The system's resolver: an installed alternative would leave a thread behind.
        self._named = self._open(aiohttp.ThreadedResolver())
        self._learned = self._open(_PublicResolver())
        self.is_closed = False
        self.sent = 0
        """How many messages other platforms accepted."""

    # -- as an outlet ---------------------------------------------------------------------------------------

    def serves(self, address: str) -> bool:
        """Return whether a full name belongs to an agent of another platform."""
        return self._translator.is_foreign(address)

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for an agent of another platform; as of `Outlet`, but nothing is raised."""
        return self._post(message, receiver, _WAITING)

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:
        """Notify an agent of another platform of a message that was not delivered; never waits."""
        del message, receiver
        if self._post(failure, str(failure.to), _WAITING + _FAILURES):
            self._fail(failure, str(failure.to), "too many messages are waiting for its platform")

    def _post(self, message: Message, receiver: str, most: int) -> Sequence[MessageSink] | None:
        if self.is_closed:
            self._fail(message, receiver, "the gateway to its platform is closed")
            return None
        try:
            post = self._make(message, receiver)
        except (FormicaryError, ValueError) as error:
            self._fail(message, receiver, str(error))
            return None
        platform = platform_of(post.identifier.name)
        if not post.identifier.addresses:
            reason = (
                f"the address of the platform {platform} is not known: add it with --peer or "
                "`peers=` (addresses in its own messages are only used if they are public)"
            )
            self._fail(message, receiver, reason)
            return None
        line = self._lines.get(platform)
        if line is None:
            line = self._lines[platform] = _Line(platform)
            line.task = asyncio.create_task(self._bring_all(line), name=f"messages for {platform}")
        elif len(line.posts) >= most or (line.size > _WAITING_BYTES and most == _WAITING):
            line.room.clear()
            return (RemoteSink(self, receiver),)
        line.posts.append(post)
        line.size += len(post.body)
        return None

    def _make(self, message: Message, receiver: str) -> _Post:
        identifier = self._translator.identifier_of(receiver)
        acl = self._translator.outgoing(message)
        payload, character_set = write_acl(acl)
        if len(payload) > self._limit:
            raise ValueError(f"the message takes {len(payload)} bytes as ACL; the limit is {self._limit}")
        envelope = Envelope(
            to=(identifier,),
            sender=acl.sender,
            intended_receivers=(identifier,),
            character_set=character_set,
            payload_length=len(payload),
        )
        content_type, body = write_parts(write_envelope(envelope, now()), payload, character_set)
        is_named = self._peers.peer_of(platform_of(identifier.name)) is not None
        return _Post(message, receiver, identifier, is_named, content_type, body)

    def _fail(self, message: Message, receiver: str, reason: str) -> None:
        self._dispatcher.add_dead_letter(message, f"{receiver} cannot be reached: {reason}", receiver)

    async def room(self, receiver: str) -> None:
        """Wait until the queue for a receiver's platform has room."""
        identifier = self._translator.identifier_of(receiver)
        line = self._lines.get(platform_of(identifier.name))
        if line is not None and not self.is_closed:
            await line.room.wait()

    def way_to(self, receiver: str) -> str:
        """Return a name for the route to a receiver, for messages."""
        return f"the gateway's way to {receiver}"

    # -- delivering -----------------------------------------------------------------------------------------

    async def _bring_all(self, line: _Line) -> None:
        try:
            while line.posts:
                post = line.posts[0]
                try:
                    await self._bring(post)
                except NotTakenError as error:
                    # Messages behind it would each wait as long as this one.
                    for _ in range(len(line.posts) if error.is_away else 1):
                        self._end(line, f"the platform {line.platform} {error}")
                except Exception as error:
                    logger.exception(
                        "a message for %s could not be delivered; please report this", post.receiver
                    )
                    self._end(line, f"{type(error).__name__}: {error}")
                else:
                    self.sent += 1
                    self._end(line)
        finally:
            if self._lines.get(line.platform) is line:
                del self._lines[line.platform]
            line.room.set()

    def _end(self, line: _Line, reason: str | None = None) -> None:
        """Remove a queue's first message; with a reason, as failed."""
        post = line.posts.popleft()
        line.size -= len(post.body)
        if len(line.posts) <= _WAITING // 2 and line.size <= _WAITING_BYTES // 2:
            line.room.set()
        if reason is not None:
            self._fail(post.message, post.receiver, reason)

    async def _bring(self, post: _Post) -> None:
        """Deliver a message to the first address that accepts it.

        Raises:
            NotTakenError: none did, with the last one's reason.
        """
        error = NotTakenError("cannot be found", is_away=True)
        for address in post.identifier.addresses:
            try:
                return await self._bring_to(address, post)
            except NotTakenError as failed:
                error = failed
            except aiohttp.ClientConnectorError as failed:  # certainly not delivered
                error = NotTakenError(
                    f"is not there, at {address} ({getattr(failed, 'os_error', failed)})", is_away=True
                )
            except aiohttp.ConnectionTimeoutError:
                error = NotTakenError(f"did not accept a connection at {address} in time", is_away=True)
            except (aiohttp.ClientError, OSError, ValueError, TimeoutError) as failed:
                # It may have been delivered, so it is not sent to another address.
                why = f"has not answered within {self._timeout:g} s"
                if not isinstance(failed, TimeoutError):
                    why = f"broke the connection ({str(failed) or type(failed).__name__})"
                is_away = isinstance(failed, TimeoutError)
                raise NotTakenError(
                    f"{why}, at {address}; it may or may not have the message", is_away=is_away
                ) from failed
        raise error

    def _open(self, resolver: AbstractResolver) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(keepalive_timeout=_KEPT, resolver=resolver),
            timeout=aiohttp.ClientTimeout(total=self._timeout, sock_connect=min(_CONNECT, self._timeout)),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def _bring_to(self, address: str, post: _Post) -> None:
        session = self._named if post.is_named else self._learned
        headers = {"Content-Type": post.content_type, "Cache-Control": "no-cache", "Mime-Version": "1.0"}
        async with session.post(address, data=post.body, headers=headers, allow_redirects=False) as answer:
            said = b""
            if answer.content_length is not None and answer.content_length <= _ANSWER:
                said = await answer.read()
            else:  # JADE's answers have no length, and their connections stay open
                answer.close()
            if answer.status != 200:  # noqa: PLR2004 -- OK
                why = said.decode("utf-8", "replace").strip()[:_SAID]
                raise NotTakenError(f"refused it: {answer.status} {why or answer.reason}")

    async def close(self) -> None:
        """Deliver queued messages for some seconds, and fail the rest."""
        self.is_closed = True
        try:
            if tasks := [line.task for line in self._lines.values()]:
                await asyncio.wait(tasks, timeout=_DRAIN)
        finally:
            lines = list(self._lines.values())
            for line in lines:
                line.task.cancel()
            await asyncio.gather(*(line.task for line in lines), return_exceptions=True)
            for line in lines:
                while line.posts:
                    self._end(line, "the gateway was closed before it was delivered")
            await self._named.close()
            await self._learned.close()
