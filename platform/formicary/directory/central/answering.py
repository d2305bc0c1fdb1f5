"""What the agents of both kinds of directory have in common: how they read requests and answer them."""

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
from formicary.core.logs import get_logger
from formicary.core.micro import MicroAgent
from formicary.core.names import MANAGEMENT, is_container_of
from formicary.directory.central import draft as plans
from formicary.directory.central.draft import is_in
from formicary.directory.central.ledger import Ledger, Step
from formicary.directory.central.outgoing import Outgoing
from formicary.directory.language import (
    Deregister,
    Host,
    Modify,
    Register,
    Result,
    Search,
    Subscribe,
    encode_error,
    read_request,
)
from formicary.directory.language import encode as encode_content
from formicary.directory.model.description import RESERVED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path

    from formicary.core.message import Message
    from formicary.directory.central.draft import Draft
    from formicary.directory.central.store import Key, Record
    from formicary.directory.language import Renew, Request
    from formicary.directory.model.description import ServiceDescription

logger = get_logger("formicary.directory")

_ANSWERS = frozenset({"inform", "agree", "refuse", "failure", "not-understood"})


class AnsweringAgent(MicroAgent):
    """An agent that has the records of a directory, and does what is asked of it in the directory's language.

    Args:
        name: its own name.
        path: the file; None to keep all in memory only.
        may_write: called with the full names of a sender and of an agent: whether the sender may change the
            services of that agent. An agent may always change its own, and its container's management
            agent those of all that live there.

    Raises:
        InvalidNameError: the name cannot be an agent's.
    """

    def __init__(
        self, name: str, path: Path | None, may_write: Callable[[str, str], bool] | None = None
    ) -> None:
        super().__init__(name)
        self.ledger = Ledger(path, self._changed, self._removed)
        """What it keeps."""
        self._may_write = may_write
        self._outgoing = Outgoing(self, self._lost)

    async def open(self) -> None:
        """Load the file, if there is one.

        Raises:
            StoreError: it cannot be used; with why and what to do.
        """
        await self.ledger.open()

    async def close(self) -> None:
        """Do and answer what waits for the disk, and close the file; from then on nothing can be changed."""
        await self.ledger.close()
        await self._outgoing.close()

    def become_gone(self) -> None:
        """Stop all leases, and be gone."""
        self.ledger.rest()
        super().become_gone()

    def container_joined(self, domain: str, incarnation: int) -> None:
        """Called when a container of the platform is there.

        If it is not the one that was there before, what the earlier one's agents had is removed, where
        entries do not expire by themselves.

        Args:
            domain: its full domain.
            incarnation: tells it from others of this domain.
        """

    def container_lost(self, domain: str) -> None:
        """Called when a container of the platform is not there any more.

        What its agents had is removed, where entries do not expire by themselves.

        Args:
            domain: its full domain.
        """

    def handle(self, message: Message) -> Awaitable[None] | None:
        """Do what a message asks for; an answer gets none, or two agents could go on for ever."""
        try:
            performative = message.performative
            if performative in _ANSWERS:
                self._take_answer(message)
            elif performative == "cancel":
                self._cancel(message)
            else:
                request = read_request(message)
                if isinstance(request, Search):
                    self._search(request, message)
                else:
                    self._change(request, message)
        except FormicaryError as error:
            self._refuse(message, error)
        return None

    # -- requests -------------------------------------------------------------------------------------------

    def _search(self, request: Search, message: Message) -> None:
        self._found(message, self.ledger.index.search(request.query))

    def _change(self, request: Request, message: Message) -> None:
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
            action, plan = self._plan(request)
            self._take(message, action, plan)

    def _host(self, request: Host, message: Message) -> None:
        del request, message
        raise DirectoryRequestError(
            "this directory keeps services where their agents live", "unsupported-function"
        )

    def _take(self, message: Message, action: str, plan: Callable[[Draft], None]) -> None:
        self.ledger.take(Step(plan, partial(self._done, message, action)))

    def _done(self, message: Message, action: str, error: FormicaryError | None) -> None:
        if error is None:
            self._answer(message, _DONE[action])
        else:
            self._refuse(message, error)

    def _plan(self, request: Register | Modify | Renew) -> tuple[str, Callable[[Draft], None]]:
        """Return the name of a request's action, and its plan."""
        if isinstance(request, Register):
            return "register", partial(plans.register, request=request)
        if isinstance(request, Modify):
            return "modify", partial(plans.modify, request=request)
        return "renew", partial(plans.put, services=request.services, lease=request.lease)

    def _subscribe(self, request: Subscribe, message: Message) -> None:
        del request, message
        raise DirectoryRequestError(
            "this directory has no subscriptions; search again", "unsupported-function"
        )

    def _cancel(self, message: Message) -> None:
        del message
        raise DirectoryRequestError("this directory has no subscriptions to cancel", "unsupported-function")

    def _take_answer(self, message: Message) -> None:
        """Take an answer."""

    def _changed(self, key: Key, before: ServiceDescription | None, after: ServiceDescription | None) -> None:
        """Called when a service has come, changed or gone."""

    def _removed(self, record: Record) -> None:
        """Called when a record that is no service has been removed."""

    def _lost(self, message: Message, error: FormicaryError) -> None:
        """Called when a message could not be sent, with why."""
        if isinstance(error, MessageTooLargeError) and message.performative == "inform":
            sentence = (
                f"the answer is too large ({error}); ask for fewer services with max_results and offset"
            )
            performative, body = encode_error(DirectoryRequestError(sentence, "unrecognised-parameter-value"))
            self._outgoing.send(message.replace(performative=performative, body=body))

    # -- who may --------------------------------------------------------------------------------------------

    def _check_writer(self, message: Message, agents: Iterable[str]) -> None:
        sender = message.sender or ""
        for agent in agents:
            if agent != sender and not self._is_writer(sender, agent):
                raise UnauthorisedError(f"{sender} may not change services of {agent}; only that agent can")

    def _check_types(self, message: Message, services: Iterable[ServiceDescription]) -> None:
        """Refuse the platform's own entries to all but its containers, which see to it that they are true."""
        writer, _, host = (message.sender or "").partition("@")
        if writer == MANAGEMENT and self._is_of_platform(host):
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
        if writer == MANAGEMENT and self._is_of_platform(host) and self._lives_in(agent, host):
            return True
        return self._may_write is not None and self._may_write(sender, agent)

    def _lives_in(self, agent: str, domain: str) -> bool:
        """Tell whether an agent lives in a container, which then writes for it."""
        return is_in(agent.partition("/")[0], domain, self.ledger.visitors)

    def _is_of_platform(self, domain: str) -> bool:
        """Tell whether a domain is a container's of this platform; behind all others may be anybody."""
        return is_container_of(domain, self.container.platform)

    # -- answers --------------------------------------------------------------------------------------------

    def _found(self, message: Message, services: tuple[ServiceDescription, ...]) -> None:
        self._answer(message, encode_content(Result("search", services)))

    def _refuse(self, message: Message, error: FormicaryError) -> None:
        performative, body = encode_error(error)
        self._answer(message, body, performative)

    def _answer(self, message: Message, body: str, performative: str = "inform") -> None:
        try:
            reply = message.make_reply(body=body, performative=performative)
        except InvalidNameError:  # an address to reply to that is none: who has written it shall know
            reply = message.replace(reply_to=None).make_reply(body=body, performative=performative)
        self._outgoing.send(reply)


_DONE = {
    action: encode_content(Result(action))
    for action in ("register", "modify", "renew", "deregister", "host", "subscribe", "cancel")
}
