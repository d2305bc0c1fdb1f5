"""The state folder of a managed server and its files.

The folder belongs to its user alone (mode 0700): it contains the secret, the accounts and the administration
socket.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary.core.errors import ServerError
from formicary.core.files import user_state
from formicary.core.private import make_private_folder
from formicary.core.systems import lock, need_posix

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONGEST_SOCKET_PATH = 103
"""The longest socket path in bytes that every Unix accepts."""


@dataclass(frozen=True, slots=True)
class StateFolder:
    """The files of one managed server.

    Attributes:
        path: the folder itself, absolute.
    """

    path: Path

    @classmethod
    def at(cls, where: Path | None) -> StateFolder:
        """Return the folder at `where`, or the one in the user's home if `where` is None.

        Raises:
            UnsupportedError: managed servers are not supported on this system.
        """
        need_posix("managed servers")
        return cls((where or default_path()).expanduser().absolute())

    @property
    def state(self) -> Path:
        """The server's state between commands."""
        return self.path / "server.json"

    @property
    def config(self) -> Path:
        """Prosody's configuration."""
        return self.path / "prosody.cfg.lua"

    @property
    def log(self) -> Path:
        """Prosody's output, including standard error."""
        return self.path / "prosody.log"

    @property
    def data(self) -> Path:
        """Prosody's data: accounts and rosters."""
        return self.path / "data"

    @property
    def certificates(self) -> Path:
        """The folder with the server's certificates and their keys."""
        return self.path / "certificates"

    def certificate(self, platform: str) -> Path:
        """The certificate for ordinary XMPP clients, and for containers that connect with TLS."""
        return self.certificates / f"{platform}.crt"

    @property
    def socket(self) -> Path:
        """The Unix socket of Prosody's administration shell."""
        return self.path / "admin.sock"

    @property
    def process_file(self) -> Path:
        """The file with Prosody's process ID, for administrators."""
        return self.path / "prosody.pid"

    @property
    def federation(self) -> Path:
        """The file about the server's federation, if any."""
        return self.path / "federation.json"

    def containers(self, platform: str) -> Path:
        """The folder with one file for each registered container."""
        return self.path / "containers" / platform

    @property
    def option(self) -> str:
        """The command-line option for this folder; empty for the default."""
        return "" if self.path == default_path().absolute() else f" --folder {self.path}"


def default_path() -> Path:
    """Return the user's default state folder."""
    return user_state() / "server"


def prepare(folder: StateFolder) -> None:
    """Create the folder, or use an empty one, and make it private.

    Raises:
        ServerError: it cannot be created or written, contains other files, or its path is too long.
    """
    if len(os.fsencode(folder.socket)) > LONGEST_SOCKET_PATH:
        raise ServerError(
            f"the path {folder.path} is too long for the server's socket; choose a shorter one with --folder"
        )
    try:
        make_private_folder(folder.path)
        # A single listing: another command may be creating the same folder, and creates the lock first.
        found = {path.name for path in folder.path.iterdir()}
        if found and "lock" not in found:
            raise ServerError(
                f"{folder.path} contains other files and no server; choose a new or empty folder "
                "with --folder"
            )
        folder.path.chmod(0o700)
        (folder.path / "lock").touch(mode=0o600)
        folder.data.mkdir(mode=0o700, exist_ok=True)
        (folder.path / "containers").mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise ServerError(
            f"the state folder {folder.path} cannot be written ({error.strerror}); "
            "choose another one with --folder"
        ) from error


@contextlib.contextmanager
def locked(folder: StateFolder) -> Iterator[None]:
    """Lock the server against starts and stops by other commands.

    Raises:
        ServerError: the folder cannot be written.
    """
    try:
        descriptor = os.open(folder.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise ServerError(f"the state folder {folder.path} cannot be used ({error.strerror})") from error
    try:
        lock(descriptor)
        yield
    finally:
        os.close(descriptor)
