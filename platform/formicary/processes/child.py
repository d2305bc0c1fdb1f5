"""A subprocess as its parent sees it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Final

from formicary.core.systems import is_posix
from formicary.processes.lines import LONGEST, Line
from formicary.processes.words import last_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOKS: Final = 0.002  # s between checks whether a process has ended


def ended_with_us(command: Sequence[str], by: str = "KILL") -> list[str]:
    """Return a command that ends with the thread that starts it, however that ends; Linux only.

    Args:
        command: the program and its arguments.
        by: the signal that ends it.
    """
    setpriv = shutil.which("setpriv")
    return [*([setpriv, "--pdeathsig", by, "--"] if setpriv else ()), *command]


class Child(subprocess.Popen[bytes]):
    """A subprocess; as a context manager, it is gone after the block.

    Args:
        command: the program and its arguments.
        is_piped: whether its standard input and output are pipes.
        keeps_words: whether to keep `last_words` instead of sharing our standard error.
        is_apart: whether it has its own session: then it gets no Ctrl-C, and all that it started ends with
            it.
        options: further options of `subprocess.Popen`.

    Raises:
        OSError, ValueError: it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        is_piped: bool = False,
        keeps_words: bool = False,
        is_apart: bool = True,
        **options: Any,
    ) -> None:
        self._is_apart = is_apart
        # A file, not a pipe: a process with endless output must not block.
        self._errors: IO[bytes] | None = tempfile.TemporaryFile() if keeps_words else None  # noqa: SIM115 -- closed below
        streams = {"stdin": subprocess.PIPE if is_piped else subprocess.DEVNULL}
        if is_piped:
            streams["stdout"] = subprocess.PIPE
        if self._errors is not None:
            options["stderr"] = self._errors
        try:
            super().__init__(command, start_new_session=is_apart, **{"bufsize": 0} | streams | options)
        except BaseException:
            self._close()
            raise

    def __exit__(self, *exception: object) -> None:
        self.kill()
        for pipe in (self.stdin, self.stdout):
            if pipe is not None:
                pipe.close()
        self.wait()
        self._close()

    def _close(self) -> None:
        if self._errors is not None:
            self._errors.close()

    async def line(self, kind: Any, longest: int = LONGEST) -> Line[Any]:
        """Return our end of its pipes, for an event loop; the caller closes it. Arguments as of `Line`."""
        assert self.stdin is not None
        assert self.stdout is not None
        incoming, outgoing = self.stdout, self.stdin
        self.stdin = self.stdout = None
        return await Line.over_pipes(incoming, outgoing, kind, longest)

    def kill(self) -> None:
        """Kill it, with the rest of its session, even if it has ended itself."""
        if self._is_apart and is_posix():
            with suppress(ProcessLookupError, PermissionError):  # the latter on macOS, for an ended process
                os.killpg(self.pid, signal.SIGKILL)
        else:
            super().kill()

    def end_within(self, seconds: float) -> int:
        """Wait until it has ended, and return its exit code; kill it after `seconds`."""
        try:
            return self.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.wait()

    async def ended(self) -> int:
        """Wait until it has ended, and return its exit code, negative for a signal."""
        while (code := self.poll()) is None:  # noqa: ASYNC110 -- no loop tells of this in all threads
            await asyncio.sleep(_LOOKS)
        return code

    def last_words(self) -> str:
        """Return the last line of its standard error, if kept."""
        return last_line(self._errors) if self._errors is not None else ""
