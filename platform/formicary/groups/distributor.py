"""A container's own agent that delivers messages to groups to their members in the container."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from msgspec.structs import force_setattr

from formicary.core.base_agent import AgentState
from formicary.core.errors import FormicaryError, NameTakenError
from formicary.core.micro import MicroAgent
from formicary.groups.mailing import DISTRIBUTOR, address_to, unwrap
from formicary.groups.naming import group_query

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from formicary.core.mailbox import Deliver, MessageSink
    from formicary.core.message import Message
    from formicary.delivery.overflow import Source
    from formicary.groups.mailing import Content
    from formicary.groups.roster import Players
    from formicary.groups.service import GroupService

_PATIENCE: Final = 1  # messages that may wait for a member: one message to a group may wait for many
_MOST_UNVERIFIED: Final = 10_000  # messages that wait for the verification of their senders


class Distributor(MicroAgent):
    """Delivers messages to groups as they arrive, without a queue of its own.

    While too much waits for one of the members, senders to groups must wait, as for a mailbox: like a link,
    it is notified by the container's overflow (`overflow.Origin`), and notifies the links. Messages that
    have arrived are delivered all the same, or the sender's next message to a member would overtake them.
    """

    def __init__(self, service: GroupService) -> None:
        super().__init__(DISTRIBUTOR)
        self._service = service
        self._full_name = f"{DISTRIBUTOR}@{service.container.domain}"
        self._paused: set[str] = set()  # members for which too much waits
        self._sources: list[Source] = []  # links whose other ends are paused
        self._unverified: dict[str, list[tuple[Message, Content]]] = {}  # by sender
        self._unverified_count = 0  # number of these
        self._waiting: list[asyncio.Future[None]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        """Start in the service's container, unless it has started.

        Raises:
            NameTakenError: an agent of that name lives there.
        """
        container = self._service.container
        if self.state is not AgentState.INITIATED:
            return
        if any(agent.name == DISTRIBUTOR for agent in container.agents):
            raise NameTakenError(
                f"groups need the name {DISTRIBUTOR!r}, which an agent in container "
                f"{container.name} already uses"
            )
        container.lifecycle.add_system_agent(self)
        container.dispatcher.overflow.divert(self._full_name, self)

    async def stop(self) -> None:
        """Stop."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().stop()
        self._service.container.dispatcher.overflow.end_diversion(self._full_name)
        self._resume()
        self._make_room()

    def handle(self, message: Message) -> Awaitable[None] | None:
        """Refuse: all messages arrive by `accept`."""
        raise NotImplementedError(f"{message} took another way than all others")

    # -- entrance -------------------------------------------------------------------------------------------

    def message_entrance(self) -> Deliver:
        """Return the entrance, which bypasses the queue of micro-agents."""
        return self.accept

    deliver_message = property(message_entrance)

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Accept a message to a group; return this sink if there is no room."""
        if self._unverified_count >= _MOST_UNVERIFIED:
            return (self,)
        try:
            content = unwrap(message)
        except ValueError as error:
            self._add_dead_letter(message, f"it is not a message to a group: {error}")
        else:
            self._take(message, content)
        return None

    def take(self, message: Message, receiver: str, source: Source) -> None:
        """Accept a message from another container."""
        self._service.container.dispatcher.overflow.deliver(message, receiver, source)
        if self._paused and source not in self._sources:
            self._sources.append(source)
            source.pause_sender(receiver, is_paused=True)

    def forget(self, source: Source) -> None:
        """Called when the other end of a link has forgotten that it is paused."""
        if source in self._sources:
            self._sources.remove(source)

    def put(self, message: Message) -> bool:
        """Accept a message; return False if there is no room."""
        return self.accept(message) is None

    async def room(self) -> None:
        """Wait for room."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await future

    def is_done(self) -> bool:
        """Return whether it has stopped delivering."""
        return self.state is AgentState.GONE

    def pause_sender(self, receiver: str, *, is_paused: bool) -> None:
        """Called by `overflow` when too much waits for a member, or no longer."""
        if is_paused:
            self._paused.add(receiver)
        else:
            self._paused.discard(receiver)
            if not self._paused:
                self._resume()

    def _resume(self) -> None:
        sources, self._sources = self._sources, []
        for source in sources:
            source.pause_sender(self._full_name, is_paused=False)

    def _make_room(self) -> None:
        free, self._waiting = self._waiting, []
        for future in free:
            if not future.done():
                future.set_result(None)

    def __str__(self) -> str:
        return f"the way to groups in container {self._service.container.name}"

    # -- permissions ----------------------------------------------------------------------------------------

    def _take(self, message: Message, content: Content) -> None:
        """Deliver a message if its sender is a known member, otherwise ask the directory."""
        sender = message.sender or ""
        if sender not in self._unverified and self._is_member(sender, content):
            self._hand_out(message, content)
            return
        # Messages after an unverified one wait as well, to stay in order.
        self._unverified_count += 1
        unverified = self._unverified.setdefault(sender, [])
        unverified.append((message, content))
        if len(unverified) == 1:
            task = asyncio.get_running_loop().create_task(self._verify(sender))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _is_member(self, sender: str, content: Content) -> bool:
        group = self._service.shared.find(content[0], content[1])
        return group is not None and sender in group.roles_of

    async def _verify(self, sender: str) -> None:
        """Verify a sender, which may have joined the group without being known here yet."""
        unverified = self._unverified[sender]
        try:
            while unverified:
                message, content = unverified[0]
                reason = await self._why_not(sender, content)
                if reason is None:
                    self._hand_out(message, content)
                else:
                    self._add_dead_letter(message, reason)
                del unverified[0]
                self._unverified_count -= 1
                self._make_room()
        finally:
            for message, _ in unverified:
                self._add_dead_letter(message, "the container has ended before it was handed out")
            del self._unverified[sender]

    async def _why_not(self, sender: str, content: Content) -> str | None:
        """Return why a sender may not send this; None if it may."""
        community, group = content[:2]
        if not self._is_member(sender, content):
            try:
                await self._service.look_up(group_query(community, group, sender))
            except FormicaryError as error:
                return f"it is not known whether {sender} is in the group {group!r}: {error}"
        if self._is_member(sender, content):
            return None
        return f"{sender} is not in the group {group!r}, and may not send to it"

    # -- delivery -------------------------------------------------------------------------------------------

    def _hand_out(self, message: Message, content: Content) -> None:
        community, name, role, inner, others = content
        service, container = self._service, self._service.container
        group = service.shared.find(community, name)
        players = None if group is None else group.players(role)
        members = [] if players is None else self._members(players)
        if not members and not others:
            what = f"the role {role!r}" if role is not None else "a role"
            self._add_dead_letter(
                message, f"no agent in container {container.name} plays {what} in the group {name!r}"
            )
            return
        force_setattr(inner, "sender", message.sender)
        left_out = {message.sender, *others}
        for member in [each for each in members if each not in left_out]:
            container.dispatcher.overflow.deliver(address_to(inner, member), member, self, _PATIENCE)

    def _members(self, players: Players) -> list[str]:
        """Return the agents of this container, wherever they live now: the sender may not know yet."""
        domain = self._service.container.domain
        at_home = f"@{domain}"
        away = [agent for agent in players.visitors if agent.endswith(at_home)]
        return [*players.by_domain.get(domain, ()), *away]

    def _add_dead_letter(self, message: Message, reason: str) -> None:
        self._service.container.dispatcher.add_dead_letter(message, reason, self.address)
