"""py-spy, the sampling profiler, in its own process beside the measured ones."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from formicary.core.errors import ProfilingError, TracingError
from formicary.core.scratch import ScratchFolder
from formicary.processes.child import Child
from formicary.processes.words import signal_name
from formicary.profiling.model.profile import Frame

_SECONDS_TO_START = 20.0
_SECONDS_TO_WRITE = 30.0
_LAST_WORDS = 40  # lines of its output that are kept
_STARTED = re.compile(r"Sampling process")
_THREAD = re.compile(
    r"(?:Process (?P<pid>\d+) )?Thread (?P<tid>0[xX][0-9A-Fa-f]+|\d+)(?: \"(?P<name>.*)\")?", re.DOTALL
)
_ERRORS = re.compile(r"Errors: (\d+)")
_MANY_ERRORS = 0.02


@dataclass(frozen=True)
class SampledThread:
    """A thread as the sampler saw it.

    Attributes:
        pid: its process.
        tid: its ID in the operating system.
        name: its name in the program; empty if it has none.
        samples: its stacks while running or ready to run, outermost frame first, in order of time.
    """

    pid: int
    tid: int
    name: str
    samples: list[tuple[Frame, ...]]

    @property
    def stacks(self) -> Counter[tuple[Frame, ...]]:
        """How often it was sampled with each stack."""
        return Counter(self.samples)


@dataclass
class Samples:
    """The sampler's results.

    Attributes:
        threads: those seen using the CPU.
        errors: how many stacks it could not read.
        problem: a sentence, if it did not end properly.
    """

    threads: list[SampledThread] = field(default_factory=list)
    errors: int = 0
    problem: str = ""

    @property
    def count(self) -> int:
        """The number of samples."""
        return sum(len(seen.samples) for seen in self.threads)

    def warnings(self) -> list[str]:
        """Return warnings for readers of the figures."""
        said = [self.problem] if self.problem else []
        if self.errors > _MANY_ERRORS * max(1, self.count):
            said.append(
                f"py-spy could not read {self.errors} stacks and read {self.count}: short functions "
                "may be underrepresented"
            )
        return said


def find_program() -> str:
    """Return the path of py-spy, beside this Python or on the PATH.

    Raises:
        TracingError: it is not installed.
    """
    beside = str(Path(sys.executable).parent)
    places = os.pathsep.join([beside, os.environ.get("PATH", os.defpath)])
    if found := shutil.which("py-spy", path=places):
        return found
    raise TracingError('py-spy is not installed; install it with: pip install "formicary[lab]"')


class Sampler:
    """Samples a process and its children from entering until `stop`.

    Args:
        pid: the process.
        rate: samples per second of each thread.
        native: whether to include machine code, at several times the cost.

    Raises:
        TracingError: on entering: py-spy is missing, or not permitted.
        ProfilingError: on entering: the process does not exist, or is not Python.
    """

    def __init__(self, pid: int, *, rate: int, native: bool = False) -> None:
        self._pid = pid
        self._options = ["--rate", str(rate), *["--native"] * native]
        self._said: list[str] = []
        self._started = threading.Event()
        self._is_halted = False

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            program = find_program()
            self._folder = ScratchFolder.make()
            undo.callback(self._folder.remove)
            self._file = self._folder.path / "samples.json"
            self._process = _launch(program, self._pid, self._file, self._options)
            self._listener = threading.Thread(target=self._listen, name="py-spy's output", daemon=True)
            self._listener.start()
            undo.callback(self._end)
            self._started.wait(_SECONDS_TO_START)
            if not any(map(_STARTED.search, self._said)):
                self._end()
                raise why_not("\n".join([*_look_once(program, self._pid), *self._said]), self._pid)
            undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._folder.remove()

    def halt(self) -> None:
        """Stop taking samples."""
        if self._process.poll() is None and not self._is_halted:  # it ends by itself with the process
            self._is_halted = True  # interrupted twice, it would end without writing its samples
            self._process.send_signal(signal.SIGINT)

    def stop(self) -> Samples:
        """End the sampler and return its results, including any problem."""
        self.halt()
        try:
            code: int | None = self._process.wait(_SECONDS_TO_WRITE)
        except subprocess.TimeoutExpired:
            code = None
        self._end()
        samples = Samples()
        try:
            samples.threads = read_speedscope(json.loads(self._file.read_bytes()), self._pid)
        except (OSError, ValueError, LookupError, TypeError):
            samples.problem = self._how_it_ended(code)
        for line in self._said:
            if errors := _ERRORS.search(line):
                samples.errors = int(errors[1])
        return samples

    def _how_it_ended(self, code: int | None) -> str:
        if code is None:
            how = f"did not finish within {_SECONDS_TO_WRITE:g} s and was killed"
        elif code < 0:
            how = f"was ended by {signal_name(-code)}"
        else:
            last = next((line for line in reversed(self._said) if line.strip()), "nothing")
            how = f"ended with code {code} and said: {last.strip()}"
        return f"py-spy {how}, so there are no samples: only the CPU time of processes and threads is known"

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in (each.decode(errors="replace") for each in said):
                self._said = [*self._said[-_LAST_WORDS:], line]
                if _STARTED.search(line):
                    self._started.set()
        self._started.set()  # or it has ended

    def _end(self) -> None:
        self._process.end_within(0.0)
        self._listener.join()


def _launch(program: str, pid: int, file: Path, options: list[str]) -> Child:
    command = [program, "record", "--pid", str(pid), "--subprocesses", "--threads", "--full-filenames"]
    command += ["--function", "--format", "speedscope", "--output", str(file), *options]
    try:
        return Child(command, bufsize=-1, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        raise TracingError(f"{program} cannot be started ({error.strerror}); reinstall py-spy") from error


def _look_once(program: str, pid: int) -> list[str]:
    """Return py-spy's output for the process alone: with children, it does not report why it fails."""
    command = [program, "dump", "--pid", str(pid)]
    try:
        done = subprocess.run(  # noqa: S603 -- as above
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=_SECONDS_TO_START,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stderr.splitlines()


def why_not(said: str, pid: int) -> ProfilingError:
    """Return the error for py-spy's output when it did not start.

    Args:
        said: the whole output.
        pid: the process to sample.
    """
    lowered = said.lower()
    if "permission denied" in lowered or "operation not permitted" in lowered:
        return TracingError(
            f"inspecting process {pid} is not permitted; `formicary doctor` says how to permit it"
        )
    if "process executable name" in lowered or "no such process" in lowered:
        return ProfilingError(
            f"no process {pid}, or it has just ended; list processes with: formicary ps, or ps"
        )
    if "python version" in lowered or "no python processes" in lowered or "libpython" in lowered:
        return ProfilingError(
            f"process {pid} is not Python, or a version that py-spy does not support; choose another --pid"
        )
    last = next((line for line in said.splitlines() if line.strip()), "nothing")
    return ProfilingError(f"py-spy did not start on process {pid}; it said: {last.strip()}")


def read_speedscope(document: Any, pid: int) -> list[SampledThread]:
    """Return the threads of a file written by py-spy.

    Args:
        document: the JSON.
        pid: the process of threads for which it names none.

    Raises:
        LookupError, TypeError, ValueError: the file is malformed.
    """
    table = [Frame(f["name"], f["file"] or "", f["line"] or 0) for f in document["shared"]["frames"]]
    # The first frames are not functions: py-spy puts process and thread there.
    real = [bool(frame.file) for frame in table]
    found: dict[tuple[int, int], SampledThread] = {}
    for profile in document["profiles"]:
        named = _THREAD.fullmatch(profile["name"])
        if named is None:
            raise ValueError(f"{profile['name']!r} is not a thread")
        key = int(named["pid"] or pid), int(named["tid"], 0)
        seen = found.setdefault(key, SampledThread(*key, named["name"] or "", []))
        stacks: dict[tuple[int, ...], tuple[Frame, ...]] = {}
        for sample in map(tuple, profile["samples"]):
            if sample not in stacks:
                stacks[sample] = tuple(table[place] for place in sample if real[place])
            seen.samples.append(stacks[sample])
    return list(found.values())
