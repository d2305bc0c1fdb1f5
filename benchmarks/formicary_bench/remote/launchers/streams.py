"""A host agent that is spoken with over a pair of asyncio's streams: pipes of a process, or a connection."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from formicary_bench.remote.errors import HostError
from formicary_bench.remote.host_agent.handshake import HandshakeReader
from formicary_bench.worker.processes import ended_how

if TYPE_CHECKING:
    from formicary_bench.remote.inventory import Host

_READ = 1 << 18  # bytes at once
_SECONDS_TO_EXIT = 1.0
_LAST_WORDS = 4000  # bytes of standard error that are kept


class StreamProgram:
    """A host agent's program; see `HostProgram`.

    Args:
        host: where it runs.
        reader: what it says.
        writer: what it reads.
        process: the program, where it is one of this process's own.
    """

    def __init__(
        self,
        host: Host,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        process: asyncio.subprocess.Process | None = None,
    ) -> None:
        self._host = host
        self._reader = reader
        self._writer = writer
        self._process = process
        self._said = b""
        self._listening = asyncio.create_task(self._keep_last_words()) if process else None

    async def greet(self, advice: str) -> bytes:
        """Hear that it is there and that its code is ours; return what it has said behind that.

        Args:
            advice: what to do where it is not.

        Raises:
            HostError: it is not; it is let go of.
        """
        greeting = HandshakeReader(self._host, advice)
        try:
            _, rest = await greeting.hear(self._reader)
        except (EOFError, OSError) as error:
            why = await self.how_it_ended()
            self.close()
            raise HostError(f"host {self._host.name}: {why} before it said anything; {advice}") from error
        except BaseException:
            self.close()
            raise
        return rest

    def write(self, data: bytes) -> None:
        """Give it something to read."""
        with suppress(OSError):
            self._writer.write(data)

    async def read(self) -> bytes:
        """Return what it says next."""
        try:
            return await self._reader.read(_READ)
        except OSError as error:
            raise HostError(error.strerror or type(error).__name__) from error

    async def how_it_ended(self) -> str:
        """Say why there is nothing more to read."""
        if self._process is None:
            return "it was closed by the other side"
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_EXIT):
                await self._process.wait()
        code = self._process.returncode
        words = f"; its last words: {self._last_words}" if self._last_words else ""
        return f"its host agent {'ended' if code is None else ended_how(code)}{words}"

    async def end(self, seconds: float) -> None:
        """Wait for its end; one on another host ends by itself when the connection does."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                if self._process is not None:
                    await self._process.wait()
                else:
                    with suppress(OSError):
                        while await self._reader.read(_READ):
                            pass
        await self.kill()
        self.close()

    async def kill(self) -> None:
        """End the process, where it is one of our own."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()

    def close(self) -> None:
        """Let go of it."""
        self._writer.close()
        if self._listening is not None:
            self._listening.cancel()

    async def closed(self) -> None:
        """Let go of it, and wait until its process has ended, and its pipes have."""
        self.close()
        if self._process is None:
            return
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(_SECONDS_TO_EXIT):
                await self._process.communicate()  # what nobody wants to know any more

    @property
    def _last_words(self) -> str:
        lines = self._said.decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    async def _keep_last_words(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        with suppress(OSError):
            while data := await self._process.stderr.read(_LAST_WORDS):
                self._said = (self._said + data)[-_LAST_WORDS:]
