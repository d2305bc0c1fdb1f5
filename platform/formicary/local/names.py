"""Short names for agents of the other containers of a local platform."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from typing import TYPE_CHECKING, Final

import msgspec

from formicary.core.errors import FormicaryError
from formicary.core.names import MANAGEMENT
from formicary.delivery.control_outbox import ControlOutbox
from formicary.local.search import Forgotten, Found, NameSearch, Note
from formicary.management.services import PlatformServices

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from formicary.container.container import Container
    from formicary.core.message import Message

CHANNEL: Final = "names"
"""The channel of control messages about names."""

_HELD: Final = 10_000  # messages that may wait here; more are dead letters
_REMEMBERED: Final = 1000  # names that were not found

_decode = msgspec.msgpack.Decoder(list[Note]).decode
_encode = msgspec.msgpack.Encoder().encode


class LocalNames:
    """Finds agents of the other containers of a local platform by their short names.

    It answers the others from the start, and asks them once it has met them.

    Args:
        container: the container, which is open.
        on_gone: called with the names of agents of this container that have ended.
    """

    channel = CHANNEL

    def __init__(self, container: Container, on_gone: Callable[[list[str]], None] | None = None) -> None:
        self._container = container
        self._dispatcher = container.dispatcher
        self._at_domain = f"@{container.domain}"
        self._search = NameSearch()
        self._others: frozenset[str] = frozenset()
        self._open: set[str] = set()
        self._met: asyncio.Future[None] | None = None
        self._waiting: dict[str, asyncio.Future[None]] = {}  # by the name searched for
        self._held: deque[tuple[Message, tuple[str, ...]]] = deque()  # with their short names
        self._held_for: Counter[str] = Counter()  # number of these by short name
        self._holding: asyncio.Future[None] | None = None  # while anything is held
        self._missed: dict[str, None] = {}
        self._gone: list[str] = []
        self._on_gone = on_gone
        self._flush: asyncio.Handle | None = None
        transport = container.dispatcher.transport
        assert transport is not None  # a local platform has several containers
        self._outbox = ControlOutbox(transport, CHANNEL, self._write)
        self._gone_before = container.lifecycle.on_gone
        container.lifecycle.on_gone = self._agent_gone
        container.lifecycle.on_not_away = self._agent_not_away
        services = container.platform_services
        assert isinstance(services, PlatformServices)  # guests use no short names
        services.listen(self)

    async def meet(self, domains: Iterable[str]) -> None:
        """Wait until links to the local platform's other containers are open, and ask them from then on.

        Args:
            domains: of all of them; may include its own.
        """
        self._others = frozenset(domains) - {self._container.domain}
        self._met = asyncio.get_running_loop().create_future()
        for domain in self._others & self._open:
            self.joined(domain, 0)
        self._look_whether_all_are_met()
        await self._met
        self._dispatcher.names.finder = self

    def _look_whether_all_are_met(self) -> None:
        if self._met is not None and not self._met.done() and self._search.peers >= self._others:
            self._met.set_result(None)

    def close(self) -> None:
        """Stop searching; messages that wait for agents to be found are not delivered."""
        self._dispatcher.names.finder = None
        self._container.lifecycle.on_gone = self._gone_before
        self._container.lifecycle.on_not_away = None
        if self._flush is not None:
            self._flush.cancel()
        self._outbox.close()
        for message, names in self._held:
            reason = f"container {self._container.name} stopped before it had found {', '.join(names)}"
            self._dispatcher.add_dead_letter(message, reason)
        self._held.clear()
        self._let_go()

    # -- called by the dispatcher ---------------------------------------------------------------------------

    def known(self, name: str) -> str | None:
        """Return the full name of an agent elsewhere that has been found by its short name."""
        domain = self._search.known.get(name)
        return None if domain is None else f"{name}@{domain}"

    def search(self, message: Message) -> Awaitable[object] | None:
        """Search for a message's unknown receivers; return an awaitable if there are any."""
        unknown = self._unknown(message)
        if not unknown:
            return None
        loop = asyncio.get_running_loop()
        futures = [self._waiting.setdefault(name, loop.create_future()) for name in unknown]
        self._ask(unknown)
        return asyncio.wait(futures)  # which does not cancel them with their waiter

    def hold(self, message: Message) -> bool:
        """Hold a message until its receivers are known, then send it; return False if they are known."""
        unknown = self._unknown(message)
        names = tuple(name for name in message.receivers if "@" not in name)
        if not unknown and not any(self._held_for[name] for name in names):
            return False
        if len(self._held) >= _HELD:
            reason = (
                f"{_HELD} messages are already waiting for their receivers to be found on the local platform"
            )
            self._dispatcher.add_dead_letter(self._dispatcher.names.complete(message), reason)
            return True
        if not self._held:
            self._holding = asyncio.get_running_loop().create_future()
            self._container.scheduler.keep(self._holding, lambda: f"others to locate {names[0]}")
        self._held.append((message, names))
        self._held_for.update(names)
        self._ask(unknown)
        return True

    def was_missed(self, address: str) -> bool:
        """Return whether the last search for a name found nobody."""
        return address in self._missed

    def _unknown(self, message: Message) -> list[str]:
        return [name for name in message.receivers if "@" not in name and not self._is_known(name)]

    def _is_known(self, name: str) -> bool:
        address = f"{name}{self._at_domain}"
        return name in self._search.known or name == MANAGEMENT or self._dispatcher.has(address)

    def _has_home_here(self, address: str) -> bool:
        """Return whether an agent with this home exists, here or elsewhere, awake, waking or asleep."""
        dispatcher = self._dispatcher
        if address in dispatcher.agents or address in dispatcher.held:
            return True
        if dispatcher.domain_of(address) is not None:
            return True
        return dispatcher.sleepers is not None and dispatcher.sleepers.is_asleep(address)

    def _ask(self, names: Iterable[str]) -> None:
        for name in names:
            self._search.ask(name)
        self._perform()

    # -- events ---------------------------------------------------------------------------------------------

    def joined(self, domain: str, incarnation: int) -> None:
        """Record that another container is a member and has a link to this one."""
        del incarnation
        self._open.add(domain)
        self._outbox.forget(domain)
        if domain in self._others:
            self._search.joined(domain)
            self._perform()
            self._look_whether_all_are_met()

    def lost(self, domain: str) -> None:
        """Record that a container is no longer a member."""
        self._open.discard(domain)
        self._outbox.forget(domain)
        self._search.lost(domain)
        self._perform()

    def on_control(self, domain: str, payload: bytes) -> None:
        """Handle a control message; ValueError if it is not about names."""
        try:
            notes = _decode(payload)
        except msgspec.MsgspecError as error:
            raise ValueError(f"it is not a message about names: {error}") from error
        for note in notes:
            self._search.receive(domain, note, lambda name: self._has_home_here(f"{name}{self._at_domain}"))
        self._perform()

    def _agent_gone(self, address: str) -> None:
        if self._gone_before is not None:
            self._gone_before(address)
        self._has_ended(address)

    def _agent_not_away(self, address: str) -> None:
        if not self._has_home_here(address):
            self._has_ended(address)

    def _has_ended(self, address: str) -> None:
        name = address.removesuffix(self._at_domain)
        if self._dispatcher.is_closing or name == address:
            return
        self._search.ended(name)
        if self._on_gone is not None:
            self._gone.append(name)
            self._flush_soon()
        if self._search.receivers:
            self._flush_soon()

    # -- actions --------------------------------------------------------------------------------------------

    def _perform(self) -> None:
        while self._search.instructions:
            instructions, self._search.instructions = self._search.instructions, []
            for instruction in instructions:
                name = instruction.name
                address = f"{name}{self._at_domain}"
                if isinstance(instruction, Forgotten):
                    self._dispatcher.routes.pop(name, None)
                    continue
                if isinstance(instruction, Found):
                    self._missed.pop(address, None)
                else:
                    self._remember_missed(address)
                if (future := self._waiting.pop(name, None)) is not None and not future.done():
                    future.set_result(None)
        self._release()
        if self._search.receivers:
            self._flush_soon()

    def _remember_missed(self, address: str) -> None:
        if len(self._missed) >= _REMEMBERED:
            self._missed.clear()
        self._missed[address] = None

    def _release(self) -> None:
        """Send held messages in order, up to one whose receivers are still being searched for."""
        while self._held and not any(name in self._search.waiting for name in self._held[0][1]):
            message, names = self._held.popleft()
            self._held_for.subtract(names)
            if not self._held:
                self._held_for.clear()
                self._let_go()
            try:
                completed, full, _ = self._dispatcher.dispatch(message)
            except FormicaryError as error:
                self._dispatcher.add_dead_letter(message, str(error))
                continue
            for sink in full:  # no sender is left to wait
                self._dispatcher.add_dead_letter(completed, f"{sink} is full", sink.address)

    def _let_go(self) -> None:
        if self._holding is not None:
            self._container.scheduler.let_go(self._holding)
            self._holding = None

    def _flush_soon(self) -> None:
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_soon(self._flush_now)

    def _flush_now(self) -> None:
        self._flush = None
        if self._gone and self._on_gone is not None:
            gone, self._gone = self._gone, []
            self._on_gone(gone)
        receivers = self._search.receivers
        self._outbox.send(*receivers)
        for domain in receivers:
            if domain not in self._open:
                self._outbox.forget(domain)

    def _write(self, domain: str) -> list[bytes]:
        notes = self._search.take_notes(domain)
        return [_encode(notes)] if notes else []
