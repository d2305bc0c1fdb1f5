"""The measurement of `formicary profile`: a window on a running process, or on a program it starts."""

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
        pid: a running process.
        command: a program to start, as for `Program`.
        seconds: how long; None for until it ends.
        after: initial seconds to leave out.
        rate: samples per second of each thread.
        native: whether to include machine code.
        server: the folder of a server whose processes to include, or `local`.
        is_quiet: whether the program's output goes to standard error.
        by_agent: whether to account for agents instead of sampling.
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
    """Measure until the time is up, the program ends, or Ctrl-C is pressed.

    Returns:
        The profile, and the exit code: the program's, 0 for an existing process, or 130 after Ctrl-C.

    Raises:
        UsageError: not exactly one of process and program is given.
        TracingError: py-spy is missing, or not permitted. A started program is accounted for instead.
        ProfilingError: the process does not exist, or is not Python.
        ServerError: there is no such server, or it is not running.
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
    """Wait for the end of a window; return 0, or the exit code for Ctrl-C, which only ends the window."""
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
