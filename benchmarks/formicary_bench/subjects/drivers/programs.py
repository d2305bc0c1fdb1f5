"""The programs that build drivers, pip and Maven, which end with us at the latest."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from typing import TYPE_CHECKING

from formicary.processes.child import Child
from formicary_bench.subjects.drivers import DriverError

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
        DriverError: it is not installed.
    """
    found = shutil.which(name)
    if found is None:
        raise DriverError(f"`{name}` was not found; install it and try again")
    return found


def run(command: Sequence[str], name: str, show: Callable[[str], None], seconds: float = SECONDS) -> None:
    """Run a program that builds a driver; it has ended afterwards with all that it has started.

    Raises:
        DriverError: it fails, with its own message, or takes longer.
    """
    program = os.path.basename(command[0])  # noqa: PTH119 -- no more than a word for a sentence
    late = threading.Event()
    output = []
    with Child(command, bufsize=-1, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                output.append(line.decode(errors="replace").strip())
                show(output[-1])
            code = process.wait()
        finally:
            timer.cancel()
            timer.join()
    if late.is_set():
        raise DriverError(
            f"{name} cannot be installed: {program} took more than {seconds:g} s; is the network slow?"
        )
    if code:
        raise DriverError(f"{name} cannot be installed: {program} says: {_reason(output)}{_advice(output)}")


def _reason(output: list[str]) -> str:
    """Return the first line with an error, or else the last non-empty line."""
    lines = [line for line in output if line]
    wrong = [line for line in lines if line.casefold().lstrip("[").startswith("error")]
    return (wrong or lines[-1:] or ["nothing"])[0][:_LONGEST_LINE].rstrip(".")


def _advice(output: list[str]) -> str:
    said = "\n".join(output)
    return next(
        (f"; {advice}" for signs, advice in _ADVICE.items() if any(sign in said for sign in signs)), ""
    )
