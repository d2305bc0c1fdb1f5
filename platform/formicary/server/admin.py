"""A client of Prosody's administration shell: one line, one answer.

Prosody 0.12 and later offer the shell on a Unix socket, as a small XML stream (`util/adminstream.lua`). A
request takes a third of a millisecond; `prosodyctl shell` starts a process for it and takes 80 ms.
"""

from __future__ import annotations

import html
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from formicary.core.errors import ServerError

if TYPE_CHECKING:
    from pathlib import Path

_NAMESPACE = "xmpp:prosody.im/admin"
_OPENING = f"<stream:stream xmlns='{_NAMESPACE}' xmlns:stream='http://etherx.jabber.org/streams'>"
_CHUNK = 65536


@dataclass(frozen=True, slots=True)
class Answer:
    """The shell's answer to one line.

    Attributes:
        ok: whether it succeeded.
        text: the text, without the leading `OK:` or `Error:`.
    """

    ok: bool
    text: str


class AdminShell:
    """A blocking connection to the administration shell, as a context manager.

    Args:
        path: the Unix socket.
        timeout: seconds to wait for an answer.

    Raises:
        OSError: on entering, nothing listens there.
    """

    def __init__(self, path: Path, *, timeout: float = 5.0) -> None:
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        self._parser: XMLPullParser[Element] = XMLPullParser(["end"])

    def __enter__(self) -> Self:
        try:
            self._socket.connect(str(self._path))
            self._socket.sendall(_OPENING.encode())
        except BaseException:
            self._socket.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ask(self, line: str) -> Answer:
        """Send a line and return the answer.

        Raises:
            ServerError: the server closed the connection or did not answer in time.
        """
        try:
            self._socket.sendall(f"<repl-input>{html.escape(line, quote=False)}</repl-input>".encode())
            return self._read_answer()
        except (OSError, ParseError) as error:
            raise ServerError(
                f"the server behind {self._path} does not answer ({error}); see its log, "
                f"{self._path.with_name('prosody.log')}"
            ) from error

    def do(self, line: str) -> str:
        """Send a line that must succeed, and return the answer's text.

        Raises:
            ServerError: with the server's answer if it refuses.
        """
        answer = self.ask(line)
        if not answer.ok:
            raise ServerError(f"the server refuses {line.partition('(')[0]}: {answer.text}")
        return answer.text

    def _read_answer(self) -> Answer:
        lines: list[str] = []
        while True:
            for event in self._parser.read_events():
                element = event[-1]
                if not isinstance(element, Element):
                    continue
                if element.tag == f"{{{_NAMESPACE}}}repl-output":
                    lines.append(element.text or "")
                elif element.tag == f"{{{_NAMESPACE}}}repl-result":
                    verdict = (element.text or "").removeprefix("OK: ").removeprefix("Error: ")
                    return Answer(element.get("type") != "error", "\n".join([*lines, verdict]))
            received = self._socket.recv(_CHUNK)
            if not received:
                raise ConnectionResetError("it closed the connection")
            self._parser.feed(received)
