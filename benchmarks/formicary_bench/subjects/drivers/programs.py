"""The programs that make drivers, pip and Maven: each runs to its end, or is ended when we are."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from typing import IO, TYPE_CHECKING

from formicary_bench.subjects.drivers.errors import DriverError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SECONDS = 900  # to fetch and build, over a slow line
_LONGEST_LINE = 300
_ADVICE = {
    (
        "No space left on device",
        "Disk quota exceeded",
    ): "free some space there, or set XDG_CACHE_HOME to another folder",
    (
        *("NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "UnknownHostException"),
        *("Unknown host", "Connection refused", "Name or service not known", "Network is unreachable"),
        *("Temporary failure in name resolution", "Could not transfer artifact"),
    ): "nothing could be downloaded: check the network, and the configured mirror or proxy",
}


def find(name: str) -> str:
    """Return the path of a program.

    Raises:
        DriverError: it is not there.
    """
    found = shutil.which(name)
    if found is None:
        raise DriverError(f"`{name}` was not found; install it and try again")
    return found


def run(command: Sequence[str], name: str, show: Callable[[str], None], seconds: float = SECONDS) -> None:
    """Run a program that makes a driver; it and all that it has started are gone afterwards.

    Args:
        command: the program and its arguments.
        name: the driver's, for sentences.
        show: called with each line that it says.
        seconds: how long it may take.

    Raises:
        DriverError: it fails, with what it has said, or takes longer.
    """
    program = os.path.basename(command[0])  # noqa: PTH119 -- no more than a word for a sentence
    with tempfile.TemporaryFile() as said:
        code, is_late = _watched(command, said, show, seconds)
        said.seek(0)
        output = said.read().decode(errors="replace")
    if is_late:
        raise DriverError(
            f"{name} cannot be installed: {program} took more than {seconds:g} s; is the network slow?"
        )
    if code:
        raise DriverError(f"{name} cannot be installed: {program} says: {_reason(output)}{_advice(output)}")


def _watched(
    command: Sequence[str], said: IO[bytes], show: Callable[[str], None], seconds: float
) -> tuple[int, bool]:
    """Return the program's exit code, and whether it had to be ended as it took too long."""
    process = subprocess.Popen(  # noqa: S603 -- a list of arguments of our own
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # Ctrl-C is for us, who end it with all that it has started
    )
    late = threading.Event()

    def end() -> None:
        late.set()
        _end(process.pid)

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        with process:
            assert process.stdout is not None
            for line in process.stdout:
                said.write(line)
                show(line.decode(errors="replace").strip())
            code = process.wait()
    finally:
        timer.cancel()
        timer.join()
        _end(process.pid)
    return code, late.is_set()


def _end(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _reason(output: str) -> str:
    """Return the first line that says what is wrong, or the last line that says anything."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    wrong = [line for line in lines if line.casefold().lstrip("[").startswith("error")]
    return (wrong or lines[-1:] or ["nothing"])[0][:_LONGEST_LINE].rstrip(".")


def _advice(output: str) -> str:
    return next(
        (f"; {advice}" for signs, advice in _ADVICE.items() if any(sign in output for sign in signs)), ""
    )
