"""Profiles a program that accounts for its own CPU time: by agent, or where py-spy is not permitted."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.core.errors import ProfilingError
from formicary.core.scratch import scratch_folder
from formicary.profiling.model.profile import decode
from formicary.profiling.sampling.program import check_command, end, exit_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.errors import TracingError
    from formicary.profiling.model.profile import Profile

_SECONDS_TO_STOP = 10.0


def profile_accounted(
    command: Sequence[str], why: TracingError | None, *, seconds: float | None, is_quiet: bool
) -> tuple[Profile, int]:
    """Run a program to its end, or for some seconds; return its profile and exit code.

    Args:
        command: the program, as of `Program`.
        why: why it could not be sampled, the profile's first warning; None if accounting was asked for.
        seconds: how long; None for until it ends.
        is_quiet: whether its output goes to standard error.

    Raises:
        UsageError: there is no such script.
        ProfilingError: the program opened no container, so nothing was accounted.
    """
    check_command(command)
    with scratch_folder() as folder:
        file = Path(folder, "profile.json")
        python = [sys.executable, "-m", "formicary.profiling.accounted", str(file)]
        with subprocess.Popen([*python, *command], stdout=sys.stderr if is_quiet else None) as process:  # noqa: S603 -- as asked
            was_ended = _wait(process, seconds)
        if not file.exists():
            because = "" if why is None else f"{why}; and "
            raise ProfilingError(f"{because}the program opened no container that could do its own accounting")
        profile = decode(file.read_bytes(), file)
    if why is not None:
        warning = f"{why}; so the platform did its own accounting while a container was open"
        profile = replace(profile, warnings=(warning, *profile.warnings))
    return profile, 0 if was_ended else exit_code(process)


def _wait(process: subprocess.Popen[bytes], seconds: float | None) -> bool:
    """Wait for the end; return whether the program was ended because its time was over."""
    over = None if seconds is None else time.monotonic() + seconds
    while True:
        try:
            process.wait(None if over is None else max(0.0, over - time.monotonic()))
        except subprocess.TimeoutExpired:
            break
        except KeyboardInterrupt:  # the program got it, too, and writes its profile
            over = time.monotonic() + _SECONDS_TO_STOP
        else:
            return False
    end(process)
    return True
