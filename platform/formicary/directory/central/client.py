"""A container's client of the directory's agent `df` in the platform's container.

The container's management agent sends requests on behalf of its agents. Their registrations are kept here,
to be sent again to a directory that has been out of reach.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from formicary.core.errors import (
    ContainerClosedError,
    DirectoryError,
    FormicaryError,
    MailboxFullError,
    MessageTooLargeError,
    MoveError,
    NoAnswerError,
    NotRegisteredError,
    UndeliveredError,
)
from formicary.core.logs import get_logger
from formicary.directory.central.claims import Claims, HostedAgents
from formicary.directory.central.remote_watch import RemoteWatch
from formicary.directory.interface import Backend
from formicary.directory.language import (
    SUBSCRIBE,
    Deregister,
    Modify,
    Register,
    Search,
    decode_error,
    decode_result,
    encode,
)
from formicary.directory.model.description import RESERVED
from formicary.directory.model.registrations import Registrations
from formicary.fipa.language import ONTOLOGY

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable
    from typing import Any

    from formicary.container.container import Container
    from formicary.core.message import Message
    from formicary.directory.central.agent import DirectoryAgent
    from formicary.directory.central.claims import Claim
    from formicary.directory.interface import Notice
    from formicary.directory.language import Request, Result
    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.query import Query
    from formicary.directory.model.registrations import Successor
    from formicary.fipa.management_agent import ManagementAgent

logger = get_logger("formicary.directory")

AGENT: Final = "df"
"""The name of the directory's agent."""

_RETRY = 5.0  # s until a failed update is retried


class CentralDirectory(Backend):
    """A `Backend` that asks the directory's agent."""

    channel = "central directory"

    def __init__(self, container: Container, agent: ManagementAgent) -> None:
        self._container = container
        self._agent = agent
        self._address = f"{AGENT}@{container.main_domain}"
        self._ontology = ONTOLOGY
        self._directory_agent: DirectoryAgent | None = None  # if it is in this container
        self.open_subscriptions = set()
        self._claims = Claims(self.ask)
        self._hosted = HostedAgents(self.ask)
        self._remote_watches: dict[RemoteWatch, None] = {}
        self._unsubscribed: dict[RemoteWatch, None] = {}  # which the directory may not know
        self._cancelled: dict[str, None] = {}  # conversations in which notifications may still come
        self._worker: asyncio.Task[None] | None = None
        self._is_closed = False
        self._complaint = ""

    async def open(self) -> None:
        """Start the directory's agent, if this is the platform's container."""
        if self._container.main_domain != self._container.domain:
            return
        served = self.make_agent()
        await served.open()
        self._directory_agent = served
        self._container.lifecycle.add_system_agent(served)

    def make_agent(self) -> DirectoryAgent:
        """Create the directory's agent, for the platform's container."""
        from pathlib import Path

        from formicary.directory.central.agent import DirectoryAgent

        file = self._container.service_options.directory_file
        return DirectoryAgent(AGENT, path=None if file is None else Path(file))

    async def close(self) -> None:
        """Stop asking; the directory learns from others that the container stops."""
        self._is_closed = True
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        if self._directory_agent is not None:
            await self._directory_agent.close()

    # -- agents of this container ---------------------------------------------------------------------------

    async def put(self, agent: str, service: ServiceDescription, *, is_new: bool) -> None:
        """Register a service, or replace it."""
        await self._settle(agent)
        claim = self._claims.of(agent)
        try:
            request = Register((service,)) if is_new else Modify((service,))
            await self._write(agent, claim, request, (service.name,))
            claim.services[service.name] = service
        finally:
            self._claims.tidy(agent, claim)

    async def remove(self, agent: str, name: str | None) -> None:
        """Remove a service, or all of an agent's."""
        await self._settle(agent)
        claim = self._claims.of(agent)
        try:
            kept = [each for each in claim.services if each.startswith(RESERVED)] if name is None else []
            names = [name] if name is not None else [each for each in claim.services if each not in kept]
            if kept and not names:
                raise NotRegisteredError(f"{agent} has not registered a service")
            request = Deregister(agent, tuple(names) if kept or name is not None else ())
            await self._write(agent, claim, request, names)
            for each in names:
                claim.services.pop(each, None)
        finally:
            self._claims.tidy(agent, claim)

    async def _write(self, agent: str, claim: Claim, request: Request, names: Iterable[str]) -> None:
        """Change the directory; if it does not answer, the services are in doubt."""
        claim.under_way += 1
        is_answered = False
        try:
            await self.ask(request)
            is_answered = True
        except DirectoryError as error:
            is_answered = error.__cause__ is None
            raise
        finally:
            claim.under_way -= 1
            if not (is_answered and self._claims.of(agent) is claim):
                self._claims.doubt(agent, claim, names)
                self._start_worker()
            elif claim.doubtful:
                self._start_worker()

    async def search(self, query: Query) -> tuple[ServiceDescription, ...]:
        """Return the services that match a query."""
        return (await self.ask(Search(query))).services

    async def watch(self, query: Query, notice: Notice) -> RemoteWatch:
        """Call `notice` with the services that match a query, then with each change."""
        watch = RemoteWatch(self._agent, query, notice, self._leave)
        self._remote_watches[watch] = None
        try:
            await watch.begin(self._subscribe)
        except BaseException:
            await watch.close()
            raise
        return watch

    def _leave(self, watch: RemoteWatch, conversation: str) -> None:
        """Cancel a subscription at the directory."""
        if watch.is_over:
            self._remote_watches.pop(watch, None)
            self._unsubscribed.pop(watch, None)
        if conversation:
            self._cancelled[conversation] = None
            self._agent.follow(conversation, lambda _: None)
            self._start_worker()

    def ask(self, request: Request) -> Coroutine[Any, Any, Result]:
        """Return the answer of the directory's agent; its refusals have no `__cause__`, other errors do."""
        return self._answer(self._agent.make_request(self._address, encode(request), self._ontology))

    def _subscribe(self, conversation: str, body: str) -> Coroutine[Any, Any, Result]:
        return self._converse("subscribe", conversation, body)

    def _converse(self, performative: str, conversation: str, body: str = "") -> Coroutine[Any, Any, Result]:
        return self._answer(
            self._agent.make_request(
                self._address,
                body,
                self._ontology,
                performative=performative,
                protocol=SUBSCRIBE,
                conversation_id=conversation,
            )
        )

    async def _answer(self, message: Message) -> Result:
        try:
            answer = await self._agent.ask(message)
        except (UndeliveredError, NoAnswerError, MessageTooLargeError, MailboxFullError) as error:
            raise DirectoryError(f"the directory cannot be reached: {error}") from error
        if answer.performative != "inform":
            raise decode_error(answer.body)
        return decode_result(answer.body)

    # -- agents that move -----------------------------------------------------------------------------------

    def hand_over(self, agent: str) -> Registrations | None:
        """Return what an agent has registered, how often it has moved, and what is in doubt."""
        claim = self._claims.peek(agent)
        if claim.under_way:
            raise MoveError(
                f"agent {agent.partition('@')[0]} cannot move: a request about its services is "
                "still pending in the directory; try again"
            )
        moves = self._hosted.moves.get(agent, 0)
        return Registrations(tuple(claim.services.values()), moves, tuple(claim.doubtful))

    def take_over(self, agent: str, registrations: Registrations) -> None:
        """Take over the registrations of an agent of another container, and report that it lives here."""
        services = registrations.services
        of_groups = [each for each in services if each.name.startswith(RESERVED)]  # name its container
        self._hosted.arrive(agent, registrations.moves + 1)
        doubtful = {*registrations.doubtful, *(each.name for each in of_groups)}
        self._claims.adopt(agent, services, doubtful)
        self._start_worker()

    def release(self, agent: str, successor: Successor | None) -> None:
        """Forget an agent that lives elsewhere now."""
        del successor
        self._claims.drop(agent)
        self._hosted.depart(agent)

    # -- events ---------------------------------------------------------------------------------------------

    def agent_gone(self, agent: str) -> None:
        """Remove all services of an agent that has ended."""
        is_stopping = self._container.dispatcher.is_closing  # then all services of its agents go at once
        had_services = self._claims.drop(agent)
        if self._hosted.end(agent):
            self._start_worker()
        elif had_services and not is_stopping:
            self._claims.doubt(agent, self._claims.of(agent), (None,))
            self._start_worker()

    def on_listed(self) -> None:
        """Record that the directory may have missed everything: this container was put on its list."""
        self._hosted.doubt_all()
        self._claims.doubt_all()
        self._unsubscribed.update(self._remote_watches)
        self._start_worker()

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member."""
        if self._directory_agent is not None:
            self._directory_agent.container_joined(domain, incarnation)

    def lost(self, domain: str) -> None:
        """Called when another container is no longer a member."""
        if self._directory_agent is not None:
            self._directory_agent.container_lost(domain)

    def on_control(self, domain: str, payload: bytes) -> None:
        """Refuse control messages: this directory is asked by agent messages."""
        raise ValueError(f"{domain} sent {len(payload)} bytes to a directory that is an agent")

    # -- pending updates to the directory -------------------------------------------------------------------

    def _start_worker(self) -> None:
        if self._worker is None and not self._is_closed:
            self._worker = asyncio.get_running_loop().create_task(self._settle_all(), name="directory's news")

    async def _settle_all(self) -> None:
        try:
            while self._has_news():
                try:
                    await self._settle_some()
                    self._complaint = ""
                except DirectoryError as error:
                    self._complain(str(error))
                    if isinstance(error.__cause__, UndeliveredError):
                        return  # `on_listed` is called when it is back
                    await asyncio.sleep(_RETRY)
        except ContainerClosedError:
            return
        except FormicaryError:
            logger.exception("cannot tell the directory what agents here offer; please report this")
        finally:
            self._worker = None

    def _has_news(self) -> bool:
        is_settled = self._claims.is_settled and self._hosted.is_settled
        return bool(self._cancelled or self._unsubscribed) or not is_settled

    async def _settle(self, agent: str) -> None:
        """Send the directory what it may not know of an agent, before anything else; errors as of `ask`."""
        await self._hosted.settle(agent)
        await self._claims.settle(agent)

    async def _settle_some(self) -> None:
        await self._hosted.settle_all()
        for conversation in tuple(self._cancelled):
            try:
                await self._converse("cancel", conversation)
            except DirectoryError as error:
                if error.__cause__ is not None:
                    raise
                # There was nothing to cancel.
            self._cancelled.pop(conversation, None)
            self._agent.unfollow(conversation)
        await self._claims.settle_all()
        while self._unsubscribed:
            watch = next(iter(self._unsubscribed))
            await watch.begin(self._subscribe)
            self._unsubscribed.pop(watch, None)

    def _complain(self, complaint: str) -> None:
        if complaint != self._complaint:
            self._complaint = complaint
            logger.warning("cannot tell the directory what agents here offer and watch: %s", complaint)
