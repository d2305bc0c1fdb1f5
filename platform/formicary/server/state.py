"""The state of a managed server between commands: a JSON file in its state folder."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from formicary.core import names
from formicary.core.errors import InvalidNameError, ServerError
from formicary.core.files import write_private
from formicary.core.private import read_private
from formicary.server.address import LOOPBACK, ServerAddress

if TYPE_CHECKING:
    from formicary.server.folder import StateFolder

_FORMAT = 1
_LONGEST = 1 << 16  # bytes of the file


@dataclass(frozen=True, slots=True)
class ServerState:
    """A managed server as last started.

    Ports and secret survive a stop, so that containers find the server again after the next start.

    Attributes:
        platform: the domain that it serves.
        port: TCP port for containers.
        client_port: TCP port for ordinary XMPP clients.
        secret: the secret of all its containers.
        stanza_limit: bytes of the largest stanza.
        version: Prosody's version.
        pid: its process ID; None after a stop.
        format: version of this file's format.
        tls_port: TCP port for containers that connect with TLS; 0 if there is none.
    """

    platform: str
    port: int
    client_port: int
    secret: str = field(repr=False)
    stanza_limit: int
    version: str
    pid: int | None
    format: int = _FORMAT
    tls_port: int = 0

    def address(self, folder: StateFolder, *, tls: bool = False) -> ServerAddress:
        """Return this server's address.

        Args:
            folder: the server's state folder.
            tls: whether the container connects with TLS.

        Raises:
            ServerError: with `tls`, the server has no TLS port.
        """
        plain = ServerAddress(LOOPBACK, self.port, self.secret, self.platform, self.stanza_limit, folder.path)
        if not tls:
            return plain
        if not self.tls_port:
            raise ServerError(
                f"the server in {folder.path} has no TLS port; stop it with formicary server "
                f"stop{folder.option}, start it again, and if that does not help, see {folder.log}"
            )
        return replace(plain, port=self.tls_port, certificate=folder.certificate(self.platform))


def read_state(folder: StateFolder) -> ServerState | None:
    """Return the folder's state; None if there never was a server.

    Raises:
        ServerError: the file cannot be read or is invalid.
    """
    try:
        state = msgspec.json.decode(read_private(folder.state, _LONGEST), type=ServerState)
        names.check_platform(state.platform)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ServerError(f"the state file {folder.state} cannot be read ({error.strerror})") from error
    except (msgspec.DecodeError, UnicodeDecodeError, InvalidNameError) as error:
        raise ServerError(
            f"the state file {folder.state} is damaged ({error}); end the server if it is still "
            "running, delete the file and start the server again"
        ) from error
    if state.format != _FORMAT:
        raise ServerError(
            f"the state file {folder.state} is from another version of Formicary; "
            "stop the server with that version, then delete the file"
        )
    return state


def write_state(folder: StateFolder, state: ServerState) -> None:
    """Save a server's state.

    Raises:
        OSError: the file cannot be written.
    """
    write_private(folder.state, msgspec.json.format(msgspec.json.encode(state)).decode() + "\n")
