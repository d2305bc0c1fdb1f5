"""Measures two versions in turn, each with its own Python, for `formicary bench compare --interleave`."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from formicary.cli.output import say
from formicary.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from formicary_bench.results.store.folder import RunFolder

_SIDES = ("run", "base")


def measure_in_turn(
    environments: tuple[Path, Path], words: Sequence[str], many: int, output: Path | None
) -> tuple[list[RunFolder], list[RunFolder], bool]:
    """Measure with two environments in turn, one run after the other; Ctrl-C ends it early.

    Args:
        environments: Two Pythons, or the folders of two virtual environments.
        words: What to measure, as arguments of `formicary bench run`.
        many: The number of runs of each.
        output: The folder to make for the runs; None for a new one.

    Returns:
        The runs of both, equally many, and whether Ctrl-C ended it.

    Raises:
        UsageError: An environment lacks the laboratory, or cannot measure this.
    """
    from rich.console import Console
    from rich.progress import track

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.worker.interruption import end_on_interrupt

    pythons = [python_of(environment) for environment in environments]
    folder = _make_folder(output)
    found: tuple[list[RunFolder], list[RunFolder]] = ([], [])
    console = Console(stderr=True)
    turns = [(number, side) for number in range(1, many + 1) for side in (0, 1)]
    said = f"Measuring {many} times each"
    is_interrupted = False
    try:
        with end_on_interrupt():
            for number, side in track(
                turns, said, console=console, transient=True, disable=not console.is_terminal
            ):
                path = folder / f"{_SIDES[side]}-{number}"
                _run([pythons[side], "-P", "-m", "formicary", "bench", "run", *words], path)
                found[side].append(RunFolder.open(path))
                if len(found[0]) == 1 and not side:
                    _warn_if_busy(found[0][0])
    except KeyboardInterrupt:
        is_interrupted = True
    finally:
        with suppress(OSError):
            folder.rmdir()  # if it is empty
    say(f"The runs are in {folder}", err=True)
    whole = len(found[1])
    return found[0][:whole], found[1], is_interrupted


def _warn_if_busy(run: RunFolder) -> None:
    """Warn at once if other programs make the comparison worthless."""
    from formicary_bench.results.verdicts.trust import BUSY, lost_in

    lost = lost_in(run.manifest, run.manifest.repetitions)
    if lost > BUSY:
        say(
            f"! other processes use {lost:.0%} of the machine: close them, or results will be inconclusive",
            err=True,
        )


def python_of(environment: Path) -> str:
    """Return the Python of an environment with the laboratory.

    Raises:
        UsageError: There is none, or it lacks the laboratory.
    """
    place = environment / "bin" / "python" if environment.is_dir() else environment
    python = str(place.absolute())  # not resolved: by its path it knows its environment
    if not os.access(place, os.X_OK):
        raise UsageError(
            f"{environment} is not a Python: specify a virtual environment, or the path of its python"
        )
    try:
        done = subprocess.run(  # noqa: S603 -- what the user has named, with a list of arguments
            [python, "-P", "-c", "import formicary_bench"], capture_output=True, check=False
        )
    except OSError as error:
        raise UsageError(
            f"{environment} cannot be started ({error.strerror}): specify a Python or a virtual environment"
        ) from error
    if done.returncode:
        raise UsageError(
            f"{environment} has no formicary_bench: install it there: "
            f"{python} -m pip install 'formicary[bench]'"
        )
    return python


def _make_folder(output: Path | None) -> Path:
    from formicary_bench.results.store.folder import RUNS

    folder = output or RUNS / f"{datetime.now():%Y-%m-%dT%H-%M-%S}-in-turn"  # noqa: DTZ005 -- a name, for here
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(
            f"{folder} already exists and is not overwritten: choose another folder, or remove it"
        ) from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be created ({error.strerror}): choose another --output") from error
    return folder


def _run(command: Sequence[str], path: Path) -> None:
    """Measure once, into a folder; Ctrl-C ends the measurement first."""
    from formicary_bench.worker.interruption import allow_interrupts

    process = subprocess.Popen(  # noqa: S603 -- as above
        [*command, "--repeat", "1", "--output", str(path), "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    try:
        with allow_interrupts():
            _, said = process.communicate()
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)  # it ends its workers and keeps what it has
            process.communicate()
    if process.returncode:
        why = next((line for line in reversed(said.splitlines()) if line.strip()), "nothing")
        raise UsageError(f"{command[0]} could not measure that: {why.strip().removeprefix('formicary: ')}")
