"""A managed server for the duration of a `with` block, for tests and measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from formicary.core.errors import ServerError
from formicary.core.scratch import ScratchFolder
from formicary.server import accounts, managed, process
from formicary.server.folder import StateFolder
from formicary.server.state import ServerState, read_state

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.server.address import ServerAddress


class ManagedServer:
    """A private Prosody in a temporary folder, both removed after the block.

    On Linux it also ends with the thread that started it, so start it from one that stays, such as the main
    one. If that is killed, only its private folder stays behind in the system's temporary folder, until the
    next server or container of this user starts there. Starting blocks for about 0.1 s, `create_account` for
    5 ms.

    Args:
        platform: the domain to serve.
        containers: names to register at the start; others can be added at any time.

    Raises:
        InvalidNameError: on entering, a name is invalid.
        ServerError: on entering, the server cannot be started.
    """

    def __init__(self, *, platform: str = managed.DEFAULT_PLATFORM, containers: Iterable[str] = ()) -> None:
        self._platform = platform
        self._containers = list(containers)
        self._scratch: ScratchFolder | None = None
        self._folder: StateFolder | None = None

    def __enter__(self) -> Self:
        self._scratch = ScratchFolder.make()
        self._folder = StateFolder(self._scratch.path / "server")
        try:
            self._start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self.running:
                self.kill()
        finally:
            self._remove()

    @property
    def folder(self) -> StateFolder:
        """The temporary folder."""
        if self._folder is None:
            raise ServerError("the server is not running; use it in a `with` block")
        return self._folder

    @property
    def address(self) -> ServerAddress:
        """The address for containers; stays valid over `restart`."""
        return self._state.address(self.folder)

    @property
    def tls_address(self) -> ServerAddress:
        """The address for containers that connect with TLS; `restart` may change its port."""
        return self._state.address(self.folder, tls=True)

    @property
    def client_port(self) -> int:
        """TCP port on which ordinary XMPP clients log in, without TLS."""
        return self._state.client_port

    @property
    def pid(self) -> int:
        """The server's process ID; changed by `restart`."""
        pid = self._state.pid
        if pid is None:
            raise ServerError("the server has stopped")
        return pid

    @property
    def running(self) -> bool:
        """Whether the process exists."""
        return process.is_prosody(self._state.pid, self.folder.config)

    def create_account(self, user: str, password: str, domain: str | None = None) -> str:
        """Create an account for an ordinary XMPP client and return its address.

        Args:
            user: the part before the `@`.
            password: its password.
            domain: the platform's if None, or `localhost`: SPADE connects to the host in an agent's address,
                and not every machine resolves a platform such as `lab.localhost`.

        Raises:
            InvalidNameError: the name is invalid.
            UsageError: the password is invalid.
            AccountError: the account already exists, or the server has no accounts in this domain.
            ServerError: the server is not running.
        """
        return accounts.add(user if domain is None else f"{user}@{domain}", password, self.folder.path)

    def kill(self) -> None:
        """Kill the server, as a crash would, and wait until it is gone."""
        process.end(self.pid, kill=True)

    def restart(self) -> None:
        """Restart the server, or start it, with the same ports, secret, containers and accounts.

        Raises:
            ServerError: it cannot be started, for example because its port is taken meanwhile.
        """
        managed.stop(self.folder.path)
        self._start(port=self._state.port)

    def _start(self, port: int | None = None) -> None:
        path = self.folder.path
        managed.start(path, self._platform, self._containers, port=port, die_with_parent=True)

    @property
    def _state(self) -> ServerState:
        state = read_state(self.folder)
        if state is None:
            raise ServerError("the server is not running; use it in a `with` block")
        return state

    def _remove(self) -> None:
        if self._scratch is not None:
            self._scratch.remove()
            self._scratch = self._folder = None
