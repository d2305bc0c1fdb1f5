"""The host agent's program on a host, as SSH runs it: started, greeted, read and written, and ended."""

from __future__ import annotations

import asyncio
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING

from formicary_bench.remote.errors import HostError
from formicary_bench.remote.folders import interpreter
from formicary_bench.remote.host_agent.handshake import HandshakeReader
from formicary_bench.worker.processes import ended_how

if TYPE_CHECKING:
    import asyncssh

    from formicary_bench.remote.ssh.connection import Connection

_READ = 1 << 18  # bytes at once
_SECONDS_TO_EXIT = 1.0
_SECONDS_TO_KILL = 3.0
_LAST_WORDS = 4000  # bytes of standard error that are kept


class Program:
    """A host agent's program.

    Args:
        connection: to its host.
        process: the program, which runs or has ended by now.
    """

    def __init__(self, connection: Connection, process: asyncssh.SSHClientProcess[bytes]) -> None:
        self._connection = connection
        self._process = process
        self._pid = 0
        self._said = b""
        self._listening = asyncio.create_task(self._keep_last_words())

    @classmethod
    async def start(cls, connection: Connection) -> tuple[Program, bytes]:
        """Start a host agent; return it, and what it has said behind its greeting.

        Raises:
            HostError: it cannot be started, or its code is not ours; says what to do.
        """
        import asyncssh

        host = connection.host
        command = [
            interpreter(host),
            "-P",
            "-m",
            "formicary_bench.remote.host_agent.agent",
            "--folder",
            host.folder,
        ]
        command += ["--interface", host.interface, "--listen", host.listen]
        try:
            process = await connection.ssh.create_process(shlex.join(command), encoding=None)
        except (asyncssh.Error, OSError) as error:
            raise connection.error(f"its host agent cannot be started ({error}); try again") from error
        program = cls(connection, process)
        try:
            return program, await program._greet()
        except BaseException:
            program.close()
            raise

    async def _greet(self) -> bytes:
        import asyncssh

        greeting = HandshakeReader(self._connection.host)
        try:
            handshake, rest = await greeting.hear(self._process.stdout)
        except EOFError as error:
            raise greeting.failure(await self._exit_code(), self.last_words) from error
        except (asyncssh.Error, OSError) as error:
            sentence = f"the connection was lost before its host agent was there ({error}); try again"
            raise self._connection.error(sentence) from error
        self._pid = handshake.pid
        return rest

    def write(self, data: bytes) -> None:
        """Give it something to read; if it has ended, that is noticed by `read`."""
        with suppress(OSError):
            self._process.stdin.write(data)

    async def read(self) -> bytes:
        """Return what it says next; nothing if it has ended.

        Raises:
            HostError: the connection is lost; says only why.
        """
        import asyncssh

        try:
            return await self._process.stdout.read(_READ)
        except (asyncssh.Error, OSError) as error:
            raise HostError(f"{getattr(error, 'reason', '') or error}") from error

    async def how_it_ended(self) -> str:
        """Say why there is nothing more to read."""
        code = await self._exit_code()
        if code is None:
            return "it was closed by the other side"
        words = f"; its last words: {self.last_words}" if self.last_words else ""
        return f"its host agent {ended_how(code)}{words}"

    async def end(self, seconds: float) -> None:
        """Wait for its end; end it if that takes longer than these seconds, whatever it is doing."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait_closed()
        await self.kill()
        self.close()

    async def kill(self) -> None:
        """End it by another command if it may still be there: SSH's own signals are not for root."""
        if self._process.returncode is None and self._pid > 1:
            with suppress(HostError):
                await self._connection.run(["kill", "-KILL", str(self._pid)], timeout=_SECONDS_TO_KILL)

    def close(self) -> None:
        """Let go of it: its standard input ends, and so does it."""
        self._process.close()
        self._listening.cancel()

    @property
    def last_words(self) -> str:
        """The last line that it wrote to standard error."""
        lines = self._said.decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    async def _exit_code(self) -> int | None:
        """Wait for the exit code, and the last words, which come soon or not at all."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_EXIT):
                await self._process.wait_closed()
        return self._process.returncode

    async def _keep_last_words(self) -> None:
        import asyncssh

        with suppress(asyncssh.Error, OSError):
            while data := await self._process.stderr.read(_LAST_WORDS):
                self._said = (self._said + data)[-_LAST_WORDS:]
