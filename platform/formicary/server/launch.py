"""Starts Prosody from a configuration, or explains in one sentence why it cannot."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary.core.errors import ServerError, UsageError
from formicary.core.files import write_private
from formicary.core.private import make_private_folder
from formicary.core.systems import random_port
from formicary.server import process
from formicary.server.address import LOOPBACK
from formicary.server.admin import AdminShell
from formicary.server.certificate import ensure_certificate
from formicary.server.configuration import ServerConfiguration, render

if TYPE_CHECKING:
    from pathlib import Path

    from formicary.server.folder import StateFolder

_OLDEST = (0, 12)  # first version with an administration shell on a socket
_SECONDS_TO_START = 30.0
_SECONDS_BETWEEN_LOOKS = 0.003
_GREETING = re.compile(r"welcome to Prosody version (\S+)")
_HIGHEST_PORT = 65535


@dataclass(frozen=True, slots=True)
class Launched:
    """A running Prosody.

    Attributes:
        pid: its process ID.
        version: its version, as reported.
        listening: its listening addresses and ports.
    """

    pid: int
    version: str
    listening: frozenset[tuple[str, int]]


def launch(configuration: ServerConfiguration, *, die_with_parent: bool) -> Launched:
    """Write the configuration, start Prosody and wait until it answers, usually 0.1 s, at most 10 s.

    If this raises, no process is left behind.

    Raises:
        ServerError: Prosody is missing or too old, exited, or did not answer in time.
    """
    folder = configuration.folder
    program = process.find_program("prosody")
    try:
        make_private_folder(folder.containers(configuration.platform))
        ensure_certificate(folder.certificates, configuration.platform)
        write_private(folder.config, render(configuration))
        if folder.log.exists():  # the last run's, kept to explain why it ended
            folder.log.replace(folder.log.with_suffix(".log.1"))
        pid = process.launch(program, folder.config, folder.log, die_with_parent=die_with_parent)
    except OSError as error:
        raise ServerError(f"{program} cannot be started in {folder.path} ({error})") from error
    try:
        return _wait_until_ready(pid, folder)
    except BaseException:
        process.end(pid, kill=True)
        raise


def _wait_until_ready(pid: int, folder: StateFolder) -> Launched:
    deadline = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < deadline:
        if process.is_gone(pid):
            raise ServerError(
                f"Prosody exited immediately: {last_words(folder.log)} (its log is {folder.log})"
            )
        if (version := _version(folder.log)) and (listening := _listening(folder.socket)) is not None:
            for made in (folder.socket, folder.process_file):  # Prosody may create them before its umask
                with contextlib.suppress(FileNotFoundError):
                    made.chmod(0o600)
            return Launched(pid, version, listening)
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    raise ServerError(
        f"Prosody did not answer within {_SECONDS_TO_START:.0f} s: {last_words(folder.log)} "
        f"(its log is {folder.log})"
    )


def _version(log: Path) -> str | None:
    """Return Prosody's version from its log, None if not there yet; refuse one that is too old.

    The log starts with the version; `prosodyctl about` would take as long as the start.
    """
    greeting = _GREETING.search(log.read_text(errors="replace"))
    if not greeting:
        return None
    number = re.match(r"(\d+)\.(\d+)", greeting[1])
    # A version without a number is a development build, newer than any release that is too old.
    if number and (int(number[1]), int(number[2])) < _OLDEST:
        raise ServerError(
            f"Prosody {greeting[1]} is too old; install 0.12 or later (included in Debian 12 and "
            "Ubuntu 24.04; otherwise see https://prosody.im/download)"
        )
    return greeting[1]


def _listening(shell: Path) -> frozenset[tuple[str, int]] | None:
    """Return the server's listening addresses and ports; None until it answers."""
    try:
        with AdminShell(shell) as admin:
            places = re.findall(r"\[([^\]]+)\]:(\d+)", admin.do("port:list()"))
    except (FileNotFoundError, ConnectionError):
        return None
    return frozenset((address, int(port)) for address, port in places)


def last_words(log: Path) -> str:
    """Return the log line that best explains the failure."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip(" *\t")]
    errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
    return re.sub(r"\s+", " ", (errors or lines or ["it printed nothing"])[-1])


def free_port() -> int:
    """Return a TCP port of the loopback interface that is currently free."""
    while not is_free(port := random_port()):
        pass
    return port


def is_free(port: int) -> bool:
    """Return whether a TCP port of the loopback interface can be listened on."""
    try:
        check_port(port)
    except ServerError:
        return False
    return True


def check_port(port: int) -> None:
    """Check that a TCP port of the loopback interface can be listened on.

    Raises:
        UsageError: it is not a port.
        ServerError: it is in use, or not permitted.
    """
    if not 1 <= port <= _HIGHEST_PORT:
        raise UsageError(f"{port} is not a TCP port; choose one from 1024 to {_HIGHEST_PORT}")
    try:
        socket.create_server((LOOPBACK, port)).close()
    except OSError as error:
        raise ServerError(
            f"port {port} of {LOOPBACK} cannot be used ({os.strerror(error.errno or 0)}); choose "
            "another one with --port, or omit it to use a free one"
        ) from error
