"""The directory's agent (FIPA00023's DF): agents register with it what they offer, and search there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from formicary.core.errors import DirectoryRequestError, InvalidNameError, UnauthorisedError
from formicary.core.names import MANAGEMENT, check_receiver
from formicary.directory.central import draft as plans
from formicary.directory.central.answering import AnsweringAgent
from formicary.directory.central.federation import Federation
from formicary.directory.central.leases import Leases
from formicary.directory.central.ledger import Step
from formicary.directory.central.store import Key, Member, Subscription
from formicary.directory.central.subscriptions import Subscriptions
from formicary.directory.language import SUBSCRIBE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from formicary.core.errors import FormicaryError
    from formicary.core.message import Message
    from formicary.core.scheduler import Scheduler
    from formicary.directory.central.store import Record
    from formicary.directory.language import Host, Search, Subscribe
    from formicary.directory.model.description import ServiceDescription

ABSENCE = 40.0
"""Seconds that a container has to join again after a directory has started anew, before it counts as lost."""


class DirectoryAgent(AnsweringAgent):
    """An agent that other agents register their services with, search them at, and subscribe to.

    `open` it before it is started in a container if it has a file, and `close` it in the end. How to talk
    with it is in `docs/directory.md`.

    Args:
        name: its own name, unique in its container.
        path: the file in which it keeps everything; None to keep all in memory only.
        others: full names of other directories, which are asked as well when a search wants it.
        may_write: called with the full names of a sender and of an agent: whether the sender may change the
            services of that agent. An agent may always change its own, and the management agent of a
            container those of all that live there.

    Raises:
        InvalidNameError: a name cannot be one.
    """

    def __init__(
        self,
        name: str = "df",
        *,
        path: Path | None = None,
        others: Sequence[str] = (),
        may_write: Callable[[str, str], bool] | None = None,
    ) -> None:
        super().__init__(name, path, may_write)
        self._federation = Federation(
            map(_check_full, others), self._outgoing.send, self.ledger.index.search, self._found
        )
        self._subscriptions = Subscriptions(self._outgoing.send, self._at_turn_end)
        self._absent: Leases[str] | None = None  # containers that something is kept of, but away
        self._knows_members = False  # whether it is told which containers are there

    # -- life -----------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Answer what waits, for the disk or for other directories, and close the file."""
        self._rest()
        await super().close()

    def container_joined(self, domain: str, incarnation: int) -> None:  # noqa: D102 -- as of AnsweringAgent
        self._knows_members = True
        if self._absent is not None:
            self._absent.cancel(domain)
        plan = partial(plans.join, member=Member(domain, incarnation))
        self.ledger.take(Step(plan, is_forced=True))

    def container_lost(self, domain: str) -> None:  # noqa: D102 -- as of AnsweringAgent
        if self._absent is not None:
            self._absent.cancel(domain)
        self.ledger.take(Step(partial(plans.leave, domain=domain), is_forced=True))

    def become_active(self, scheduler: Scheduler, limit: int) -> None:
        """Start, and go on with what the directory's file holds."""
        super().become_active(scheduler, limit)
        own = self.container.domain
        self.ledger.drop(own)
        self._absent = Leases(self._stayed_away)
        for domain in self._domains() - {own}:
            self._absent.grant(domain, ABSENCE)
        for record in self.ledger.others.values():
            if isinstance(record, Subscription):
                # Something may have changed that it was not told before the end. Containers of the platform
                # cannot be reached yet, and ask by themselves.
                if self._is_of_platform(_domain(record.agent)):
                    self._subscriptions.resume(record)
                else:
                    self._begin(record)

    def _domains(self) -> set[str]:
        """Return the domains of the platform's containers of which there are records."""
        kept = {self._container_of(key.agent) for key in (*self.ledger.index, *self.ledger.others)}
        return {domain for domain in kept if self._is_of_platform(domain)}

    def _stayed_away(self, domains: list[str]) -> None:
        for domain in domains:
            self.container_lost(domain)

    def become_gone(self) -> None:
        """Stop all timers, and be gone."""
        self._rest()
        super().become_gone()

    def _rest(self) -> None:
        """Stop all timers."""
        if self._absent is not None:
            self._absent.close()
        self._federation.close()

    # -- agents that move -----------------------------------------------------------------------------------

    def _host(self, request: Host, message: Message) -> None:
        writer, _, domain = (message.sender or "").partition("@")
        if writer != MANAGEMENT or not self._is_of_platform(domain):
            raise UnauthorisedError(
                f"{message.sender} cannot report which agents live in a container: only its ams can"
            )
        if others := [each for each in request.agents if not self._is_of_platform(_domain(each))]:
            raise UnauthorisedError(f"{others[0]} is not an agent of the platform")
        self._take(message, "host", partial(plans.host, agents=request.agents, domain=domain))
        if self._knows_members:
            self._expect(domain)

    def _container_of(self, agent: str) -> str:
        """Return the domain of the container in which an agent lives."""
        return self.ledger.visitors.get(agent) or _domain(agent)

    # -- searches -------------------------------------------------------------------------------------------

    def _search(self, request: Search, message: Message) -> None:
        if request.max_depth or request.search_id is not None:
            self._federation.search(message, request)
        else:
            super()._search(request, message)

    def _take_answer(self, message: Message) -> None:
        self._federation.take_answer(message)
        receiver = (message.metadata or {}).get("receiver")
        if message.performative == "failure" and receiver and message.conversation_id:
            speaker, _, domain = (message.sender or "").partition("@")
            known = {self.container.domain, _domain(receiver), self._container_of(receiver)}
            if speaker == MANAGEMENT and domain in known:
                self._end_subscription(receiver, message.conversation_id)

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
            self._begin(subscription)

    def _begin(self, subscription: Subscription) -> None:
        self._subscriptions.begin(subscription, tuple(self.ledger.index.matches(subscription.query)))

    def _cancel(self, message: Message) -> None:
        key = Key(_sender(message), "subscription", _conversation(message))
        plan = partial(plans.cancel, key=key)
        if message.reply_with is None:  # whoever has closed a conversation need not be told that it is
            self.ledger.take(Step(plan))
        else:
            self._take(message, "cancel", plan)

    def _end_subscription(self, agent: str, conversation_id: str) -> None:
        key = Key(agent, "subscription", conversation_id)
        if key in self.ledger.others:
            self.ledger.take(Step(lambda draft: draft.remove([key]), is_forced=True))

    def _lost(self, message: Message, error: FormicaryError) -> None:
        if message.protocol == SUBSCRIBE and message.conversation_id:
            self._end_subscription(str(message.to), message.conversation_id)
        else:
            super()._lost(message, error)

    def _changed(self, key: Key, before: ServiceDescription | None, after: ServiceDescription | None) -> None:
        self._subscriptions.changed(key, before, after)
        if self._knows_members and after is not None:
            self._expect(self._container_of(key.agent))

    def _expect(self, domain: str) -> None:
        """Have the records of a container that is not there removed, unless it joins soon."""
        if self._absent is None or Key(domain, "member", "") in self.ledger.others:
            return
        if domain != self.container.domain and self._is_of_platform(domain) and domain not in self._absent:
            self._absent.grant(domain, ABSENCE)

    def _removed(self, record: Record) -> None:
        if isinstance(record, Subscription):
            self._subscriptions.end(record)

    def _at_turn_end(self, callback: Callable[[], None]) -> None:
        self.container.scheduler.at_turn_end(callback)


def _domain(agent: str) -> str:
    return agent.partition("/")[0].rpartition("@")[2]


def _check_full(name: str) -> str:
    check_receiver(name)
    domain = name.partition("@")[2]
    if "." not in domain:
        raise InvalidNameError(
            f"another directory must be given by its full name, such as 'df@c1.lab.localhost', not {name!r}"
        )
    return name


def _sender(message: Message) -> str:
    """Return the name of the agent that subscribes.

    Raises:
        UnauthorisedError: it subscribes for another agent.
    """
    sender = message.sender or ""
    if message.reply_to not in {None, sender}:
        raise UnauthorisedError(f"{sender} cannot subscribe for another agent; omit reply_to")
    return sender


def _conversation(message: Message) -> str:
    """Return the conversation of a subscription, by which it is known.

    Raises:
        DirectoryRequestError: there is none.
    """
    conversation_id = _text(message.conversation_id)
    if not conversation_id:
        raise DirectoryRequestError("a subscription needs a conversation_id", "missing-parameter")
    return conversation_id


def _text(value: str | None) -> str | None:
    """Return a text that can be written to a file.

    Raises:
        DirectoryRequestError: it is none.
    """
    try:
        if value is not None:
            value.encode()
    except (AttributeError, UnicodeError):
        raise DirectoryRequestError(
            "conversation_id and reply_with must be encodable as UTF-8", "unrecognised-parameter-value"
        ) from None
    return value
