"""What `formicary profile` does: a window on a process that runs, or on a program that it starts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.core.errors import ServerError, TracingError, UsageError
from formicary.profiling.accounting.program import profile_accounted
from formicary.profiling.sampling.program import Program
from formicary.profiling.sampling.window import RATE, Window

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.profiling.model.profile import Profile

_INTERRUPTED = 130
_SECONDS_BETWEEN_LOOKS = 0.05


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to measure: either `pid` or `command`.

    Attributes:
        pid: a process that runs.
        command: a program to start, as of `Program`.
        seconds: how long; None until it ends.
        after: how many seconds of it to leave out first.
        rate: samples per second of each thread.
        native: whether to look into machine code too.
        server: the folder of a server whose processes count too, or `local`.
        is_quiet: whether what the program prints goes to standard error.
        by_agent: whether the program is to account for its agents, and is not sampled.
    """

    pid: int | None = None
    command: tuple[str, ...] = ()
    seconds: float | None = None
    after: float = 0.0
    rate: int = RATE
    native: bool = False
    server: str | None = None
    is_quiet: bool = False
    by_agent: bool = False


def measure(request: Request) -> tuple[Profile, int]:
    """Measure until the time is over, the program ends, or Ctrl-C is pressed.

    Returns:
        The profile, and the exit code: the program's, 0 of one that was there before, or 130 after Ctrl-C.

    Raises:
        UsageError: there is neither a process nor a program, or both.
        TracingError: there is no py-spy, or it may not look into the process. A program that is started is
            accounted for instead.
        ProfilingError: the process is not Python, or it is not there.
        ServerError: there is no such server, or it does not run.
    """
    if (request.pid is None) == (not request.command):
        raise UsageError(
            "specify either --pid or a program after --, as in: formicary profile -- run echo.py"
        )
    servers = () if request.server is None else (_server_pid(request.server),)
    if request.pid is not None:
        return _of_process(request.pid, request, servers)
    why = None
    if not request.by_agent:
        try:
            return _of_program(request, servers)
        except TracingError as error:
            why = error
    return profile_accounted(request.command, why, seconds=request.seconds, is_quiet=request.is_quiet)


def _of_process(pid: int, request: Request, servers: tuple[int, ...]) -> tuple[Profile, int]:
    time.sleep(request.after)
    with Window(pid, rate=request.rate, native=request.native, servers=servers) as window:
        code = _wait(window, request.seconds)
        return window.end(), code


def _of_program(request: Request, servers: tuple[int, ...]) -> tuple[Profile, int]:
    with Program(request.command, is_quiet=request.is_quiet) as program:
        if request.after:
            program.start()
            _wait_after_start(program, request.after)
        with Window(program.pid, rate=request.rate, native=request.native, servers=servers) as window:
            program.begin_window()
            if not request.after:
                program.start()
            code = _wait(window, request.seconds, program.is_at_its_end)
            is_over = program.is_at_its_end()
            profile = window.end(program.end_window)
    return profile, code or (program.exit_code if is_over else 0)


def _wait(window: Window, seconds: float | None, is_over: Callable[[], bool] = lambda: False) -> int:
    """Wait for the end of a window; return 0, or the exit code of Ctrl-C, which only ends the window."""
    try:
        window.wait(seconds, is_over)
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def _wait_after_start(program: Program, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if program.is_at_its_end():
            raise UsageError(f"the program ended within the {seconds:g} s of --after; use a smaller --after")
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def _server_pid(where: str) -> int:
    from formicary.server.folder import StateFolder, default_path
    from formicary.server.state import read_state

    path = default_path() if where == "local" else Path(where)
    state = read_state(StateFolder(path.absolute()))
    if state is None or state.pid is None:
        raise ServerError(f"no server is running in {path}; start one with: formicary server start")
    return state.pid
