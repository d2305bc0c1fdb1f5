"""The directory's agent (FIPA00023's DF), with which agents register and search services."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from formicary.core.errors import (
    DirectoryRequestError,
    FormicaryError,
    InvalidNameError,
    MessageTooLargeError,
    UnauthorisedError,
)
from formicary.core.micro import MicroAgent
from formicary.core.names import MANAGEMENT, check_receiver, is_container_of
from formicary.directory.central import draft as plans
from formicary.directory.central.draft import is_in
from formicary.directory.central.federation import Federation
from formicary.directory.central.leases import Leases
from formicary.directory.central.ledger import Ledger, Step
from formicary.directory.central.outgoing import Outgoing
from formicary.directory.central.store import Key, Member, Subscription
from formicary.directory.central.subscriptions import Subscriptions
from formicary.directory.language import (
    SUBSCRIBE,
    Deregister,
    Host,
    Modify,
    Register,
    Result,
    Search,
    Subscribe,
    encode,
    encode_error,
    read_request,
)
from formicary.directory.model.description import RESERVED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from pathlib import Path

    from formicary.core.message import Message
    from formicary.core.scheduler import Scheduler
    from formicary.directory.central.draft import Draft
    from formicary.directory.central.store import Record
    from formicary.directory.language import Renew, Request
    from formicary.directory.model.description import ServiceDescription

ABSENCE = 40.0
"""Seconds in which a container must rejoin after the directory restarts, or count as lost."""

_ANSWERS = frozenset({"inform", "agree", "refuse", "failure", "not-understood"})
_DONE = {
    action: encode(Result(action))
    for action in ("register", "modify", "renew", "deregister", "host", "subscribe", "cancel")
}


class DirectoryAgent(MicroAgent):
    """An agent with which others register, search and subscribe to services.

    If it has a file, `open` it before it starts in a container, and `close` it at the end. Its requests are
    described in `docs/directory.md`.

    Args:
        name: its name, unique in its container.
        path: the file with all its records; None to keep them in memory only.
        others: full names of other directories, to which searches are forwarded on request.
        may_write: called with the full names of a sender and of an agent; returns whether the sender may
            change the agent's services. An agent may always change its own, and the management agent of a
            container those of all agents that live there.

    Raises:
        InvalidNameError: a name is invalid.
    """

    def __init__(
        self,
        name: str = "df",
        *,
        path: Path | None = None,
        others: Sequence[str] = (),
        may_write: Callable[[str, str], bool] | None = None,
    ) -> None:
        super().__init__(name)
        self.ledger = Ledger(path, self._registered, self._removed)
        """All records."""
        self._may_write = may_write
        self._outgoing = Outgoing(self, self._lost)
        self._federation = Federation(
            map(_check_full, others), self._outgoing.send, self.ledger.index.search, self._found
        )
        self._subscriptions = Subscriptions(self.ledger.index, self._outgoing.send, self._at_turn_end)
        self._absent: Leases[str] | None = None  # absent containers with records
        self._knows_members = False  # whether it is notified of containers

    # -- life -----------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Load the file, if any; StoreError if it cannot be used."""
        await self.ledger.open()

    async def close(self) -> None:
        """Answer requests that wait for the disk or for other directories, and close the file."""
        self._rest()
        await self.ledger.close()
        await self._outgoing.close()

    def become_active(self, scheduler: Scheduler, limit: int) -> None:
        """Start with the records of the file."""
        super().become_active(scheduler, limit)
        own = self.container.domain
        self.ledger.drop(own)
        self._absent = Leases(self._stayed_away)
        kept = {self._container_of(key.agent) for key in (*self.ledger.index, *self.ledger.others)}
        for domain in filter(self.is_of_platform, kept - {own}):
            self._absent.grant(domain, ABSENCE)
        for record in self.ledger.others.values():
            if isinstance(record, Subscription):
                # It may not have been notified of the last changes. Containers of the platform cannot be
                # reached yet, and ask by themselves.
                if self.is_of_platform(_domain(record.agent)):
                    self._subscriptions.resume(record)
                else:
                    self._subscriptions.begin(record)

    def become_gone(self) -> None:
        """End, and stop all timers."""
        self._rest()
        self.ledger.rest()
        super().become_gone()

    def _rest(self) -> None:
        if self._absent is not None:
            self._absent.close()
        self._federation.close()

    # -- containers -----------------------------------------------------------------------------------------

    def container_joined(self, domain: str, incarnation: int) -> None:
        """Record a container, and remove the records of an earlier one of this domain."""
        self._knows_members = True
        if self._absent is not None:
            self._absent.cancel(domain)
        plan = partial(plans.join, member=Member(domain, incarnation))
        self.ledger.take(Step(plan, is_forced=True))

    def container_lost(self, domain: str) -> None:
        """Remove the records of a lost container's agents."""
        if self._absent is not None:
            self._absent.cancel(domain)
        self.ledger.take(Step(partial(plans.leave, domain=domain), is_forced=True))

    def _stayed_away(self, domains: list[str]) -> None:
        for domain in domains:
            self.container_lost(domain)

    def _expect(self, domain: str) -> None:
        """Remove the records of an absent container, unless it joins soon."""
        if self._absent is None or Key(domain, "member", "") in self.ledger.others:
            return
        if domain != self.container.domain and self.is_of_platform(domain) and domain not in self._absent:
            self._absent.grant(domain, ABSENCE)

    def _container_of(self, agent: str) -> str:
        """Return the domain of the container in which an agent lives."""
        return self.ledger.visitors.get(agent) or _domain(agent)

    def is_of_platform(self, domain: str) -> bool:
        """Return whether a domain is that of one of the platform's containers, which are trusted."""
        return is_container_of(domain, self.container.platform)

    # -- requests -------------------------------------------------------------------------------------------

    def handle(self, message: Message) -> Awaitable[None] | None:
        """Handle a request; never answer an answer, or two agents could loop forever."""
        try:
            performative = message.performative
            if performative in _ANSWERS:
                self._take_answer(message)
            elif performative == "cancel":
                self.cancel(message)
            else:
                request = read_request(message)
                if isinstance(request, Search):
                    self.search(request, message)
                else:
                    self.change(request, message)
        except FormicaryError as error:
            self._refuse(message, error)
        return None

    def search(self, request: Search, message: Message) -> None:
        """Answer a search."""
        if request.max_depth or request.search_id is not None:
            self._federation.search(message, request)
        else:
            self._found(message, self.ledger.index.search(request.query))

    def change(self, request: Request, message: Message) -> None:
        """Perform any other request, and answer it."""
        if isinstance(request, Subscribe):
            self._subscribe(request, message)
        elif isinstance(request, Deregister):
            self._check_writer(message, (request.agent,))
            self._take(message, "deregister", partial(plans.deregister, request=request))
        elif isinstance(request, Host):
            self._host(request, message)
        else:
            assert not isinstance(request, Search)
            self._check_writer(message, {service.agent for service in request.services})
            self._check_types(message, request.services)
            self._take(message, *self.plan(request))

    def plan(self, request: Register | Modify | Renew) -> tuple[str, Callable[[Draft], None]]:
        """Return the name of a request's action, and its plan."""
        if isinstance(request, Register):
            return "register", partial(plans.register, request=request)
        if isinstance(request, Modify):
            return "modify", partial(plans.modify, request=request)
        return "renew", partial(plans.put, services=request.services, lease=request.lease)

    def _host(self, request: Host, message: Message) -> None:
        writer, _, domain = (message.sender or "").partition("@")
        if writer != MANAGEMENT or not self.is_of_platform(domain):
            raise UnauthorisedError(
                f"{message.sender} cannot report which agents live in a container: only its ams can"
            )
        if others := [each for each in request.agents if not self.is_of_platform(_domain(each))]:
            raise UnauthorisedError(f"{others[0]} is not an agent of the platform")
        self._take(message, "host", partial(plans.host, agents=request.agents, domain=domain))
        if self._knows_members:
            self._expect(domain)

    def _take(self, message: Message, action: str, plan: Callable[[Draft], None]) -> None:
        self.ledger.take(Step(plan, partial(self._done, message, action)))

    def _done(self, message: Message, action: str, error: FormicaryError | None) -> None:
        if error is None:
            self._answer(message, _DONE[action])
        else:
            self._refuse(message, error)

    def _registered(self, key: Key) -> None:
        if self._knows_members:
            self._expect(self._container_of(key.agent))

    # -- permissions ----------------------------------------------------------------------------------------

    def _check_writer(self, message: Message, agents: Iterable[str]) -> None:
        sender = message.sender or ""
        for agent in agents:
            if agent != sender and not self._is_writer(sender, agent):
                raise UnauthorisedError(f"{sender} may not change services of {agent}; only that agent can")

    def _check_types(self, message: Message, services: Iterable[ServiceDescription]) -> None:
        """Refuse the platform's own entries to all but its containers, which vouch for them."""
        writer, _, host = (message.sender or "").partition("@")
        if writer == MANAGEMENT and self.is_of_platform(host):
            return
        for service in services:
            if service.type.startswith(RESERVED) or service.name.startswith(RESERVED):
                raise UnauthorisedError(
                    f"types and names that begin with {RESERVED!r} are reserved; choose another"
                )

    def _is_writer(self, sender: str, agent: str) -> bool:
        local, _, domain = agent.partition("/")[0].partition("@")
        writer, _, host = sender.partition("/")[0].partition("@")
        if host == domain and writer == local:
            return True
        if writer == MANAGEMENT and self.is_of_platform(host) and self.lives_in(agent, host):
            return True
        return self._may_write is not None and self._may_write(sender, agent)

    def lives_in(self, agent: str, domain: str) -> bool:
        """Return whether an agent lives in a container, which then may write for it."""
        return is_in(agent.partition("/")[0], domain, self.ledger.visitors)

    # -- subscriptions --------------------------------------------------------------------------------------

    def _subscribe(self, request: Subscribe, message: Message) -> None:
        subscription = Subscription(
            _sender(message), _conversation(message), request.query, _text(message.reply_with)
        )
        plan = partial(plans.subscribe, subscription=subscription)
        self.ledger.take(Step(plan, partial(self._subscribed, message, subscription)))

    def _subscribed(self, message: Message, subscription: Subscription, error: FormicaryError | None) -> None:
        if error is not None:
            self._refuse(message, error)
            return
        self._answer(message, "", "agree")
        if self.ledger.others.get(subscription.key) is subscription:  # it may be cancelled by now
            self._subscriptions.begin(subscription)

    def cancel(self, message: Message) -> None:
        """Cancel a subscription."""
        key = Key(_sender(message), "subscription", _conversation(message))
        plan = partial(plans.cancel, key=key)
        if message.reply_with is None:  # the sender has closed the conversation and needs no answer
            self.ledger.take(Step(plan))
        else:
            self._take(message, "cancel", plan)

    def _end_subscription(self, agent: str, conversation_id: str) -> None:
        key = Key(agent, "subscription", conversation_id)
        if key in self.ledger.others:
            self.ledger.take(Step(lambda draft: draft.remove([key]), is_forced=True))

    def _at_turn_end(self, callback: Callable[[], None]) -> None:
        self.container.scheduler.at_turn_end(callback)

    def _removed(self, record: Record) -> None:
        if isinstance(record, Subscription):
            self._subscriptions.end(record)

    # -- messages -------------------------------------------------------------------------------------------

    def _take_answer(self, message: Message) -> None:
        self._federation.take_answer(message)
        receiver = (message.metadata or {}).get("receiver")
        if message.performative == "failure" and receiver and message.conversation_id:
            speaker, _, domain = (message.sender or "").partition("@")
            known = {self.container.domain, _domain(receiver), self._container_of(receiver)}
            if speaker == MANAGEMENT and domain in known:
                self._end_subscription(receiver, message.conversation_id)

    def _lost(self, message: Message, error: FormicaryError) -> None:
        if message.protocol == SUBSCRIBE and message.conversation_id:
            self._end_subscription(str(message.to), message.conversation_id)
        elif isinstance(error, MessageTooLargeError) and message.performative == "inform":
            sentence = (
                f"the answer is too large ({error}); ask for fewer services with max_results and offset"
            )
            performative, body = encode_error(DirectoryRequestError(sentence, "unrecognised-parameter-value"))
            self._outgoing.send(message.replace(performative=performative, body=body))

    def _found(self, message: Message, services: tuple[ServiceDescription, ...]) -> None:
        self._answer(message, encode(Result("search", services)))

    def _refuse(self, message: Message, error: FormicaryError) -> None:
        performative, body = encode_error(error)
        self._answer(message, body, performative)

    def _answer(self, message: Message, body: str, performative: str = "inform") -> None:
        try:
            reply = message.make_reply(body=body, performative=performative)
        except InvalidNameError:  # an invalid reply_to: report it to the sender
            reply = message.replace(reply_to=None).make_reply(body=body, performative=performative)
        self._outgoing.send(reply)


def _domain(agent: str) -> str:
    return agent.partition("/")[0].rpartition("@")[2]


def _check_full(name: str) -> str:
    check_receiver(name)
    if "." not in name.partition("@")[2]:
        raise InvalidNameError(
            f"another directory must be given by its full name, such as 'df@c1.lab.localhost', not {name!r}"
        )
    return name


def _sender(message: Message) -> str:
    """Return the name of the subscriber; agents can only subscribe for themselves."""
    sender = message.sender or ""
    if message.reply_to not in {None, sender}:
        raise UnauthorisedError(f"{sender} cannot subscribe for another agent; omit reply_to")
    return sender


def _conversation(message: Message) -> str:
    """Return the conversation that identifies a subscription."""
    conversation_id = _text(message.conversation_id)
    if not conversation_id:
        raise DirectoryRequestError("a subscription needs a conversation_id", "missing-parameter")
    return conversation_id


def _text(value: str | None) -> str | None:
    """Return a text; DirectoryRequestError if it cannot be written to a file."""
    try:
        if value is not None:
            value.encode()
    except (AttributeError, UnicodeError):
        raise DirectoryRequestError(
            "conversation_id and reply_with must be encodable as UTF-8", "unrecognised-parameter-value"
        ) from None
    return value
