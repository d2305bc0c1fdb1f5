"""A process as the one sees it that has started it: how it ends, in words, and how it is ended."""

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

_LOOKS: Final = 0.002  # s between looks whether a process has ended


def ended_with_us(command: Sequence[str], by: str = "KILL") -> list[str]:
    """Return a command that is ended when the thread that starts it is, however that ends; on Linux alone.

    Args:
        command: the program and its arguments.
        by: the signal that ends it.
    """
    setpriv = shutil.which("setpriv")
    return [*([setpriv, "--pdeathsig", by, "--"] if setpriv else ()), *command]


class Child(subprocess.Popen[bytes]):
    """A process that we start; as a context, it is gone after the block, whatever it is doing.

    Args:
        command: the program and its arguments.
        is_piped: whether it is talked with over its standard input and output.
        keeps_words: whether its `last_words` are kept, instead of shown where ours are.
        is_apart: whether it has a session of its own: then Ctrl-C is for us, and all that it has started is
            ended with it.
        options: more of what `subprocess.Popen` takes.

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
        # A file, not a pipe: a process that complains without end must not block.
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
        """Return our end of its pipes, for an event loop; who has it closes it. Arguments as of `Line`."""
        assert self.stdin is not None
        assert self.stdout is not None
        incoming, outgoing = self.stdout, self.stdin
        self.stdin = self.stdout = None
        return await Line.over_pipes(incoming, outgoing, kind, longest)

    def kill(self) -> None:
        """End it at once, with all of its session that is left, even where it has ended itself."""
        if self._is_apart and is_posix():
            with suppress(ProcessLookupError, PermissionError):  # the latter on macOS, of what has ended
                os.killpg(self.pid, signal.SIGKILL)
        else:
            super().kill()

    def end_within(self, seconds: float) -> int:
        """Wait until it has ended, and return its exit code; kill it after this time."""
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
        """Return the last line that it wrote to standard error, where that is kept."""
        return last_line(self._errors) if self._errors is not None else ""
