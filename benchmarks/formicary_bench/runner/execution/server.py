"""The XMPP server of a run: started for it, private, and gone after it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from formicary.server import ServerAddress, status
from formicary_bench.subjects.registry import subject_of
from formicary_bench.subjects.subject import DOMAIN, HOLDERS, account
from formicary_bench.vocabulary.places import XMPP
from formicary_bench.worker.messages import Server

if TYPE_CHECKING:
    from formicary.server import ManagedServer
    from formicary_bench.vocabulary.configuration import Configuration


class RunServer:
    """What a run needs of its server."""

    def __init__(self, managed: ManagedServer) -> None:
        self._managed = managed
        self._password = secrets.token_urlsafe(24)
        self._accounts: set[str] = set()

    @property
    def version(self) -> str:
        """Prosody's version."""
        state = status(self._managed.folder.path).state
        return state.version if state else ""

    def prepare(self, configuration: Configuration) -> Server:
        """Make the accounts that a configuration needs, and return how workers reach the server.

        Raises:
            ServerError: it has ended and cannot be started again, or refuses.
        """
        if not self._managed.running:
            self._managed.restart()
        if subject_of(configuration.platform, configuration.kind).accounts:
            self._make_accounts(configuration.exchange.load)
        has_tls = configuration.tls and configuration.route == XMPP
        address = ServerAddress.load(self._managed.folder.path, tls=has_tls)
        return Server(
            host=address.host,
            port=address.port,
            client_port=self._managed.client_port,
            secret=address.secret,
            password=self._password,
            platform=address.platform,
            stanza_limit=address.stanza_limit,
            certificate=str(address.certificate or ""),
            pid=self._managed.pid,
        )

    def _make_accounts(self, count: int) -> None:
        for name in (account(holder, number) for holder in HOLDERS for number in range(count)):
            if name not in self._accounts:
                self._managed.create_account(name, self._password, DOMAIN)
                self._accounts.add(name)
