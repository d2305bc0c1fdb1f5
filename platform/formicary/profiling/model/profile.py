"""A profile: the measurements, without anything derived; stored as versioned JSON."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from formicary.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
"""The version of the JSON below; readers refuse others."""

BLOCKS = 16
"""The number of equal blocks into which a thread's samples are divided, in order."""

ROUGH_COST = 0.5
"""The `cost` from which times are small differences of large numbers, and rough."""


class Method(StrEnum):
    """How the CPU time within a thread was split."""

    SAMPLED = "sampled"  # py-spy sampled the stacks many times a second
    ACCOUNTED = "accounted"  # the platform read the CPU clock at the borders between groups
    THREADS = "threads"  # not split: a thread belongs to one group, by its name


class Role(StrEnum):
    """The role of a process."""

    CONTAINER = "container"  # Python: sampled
    SERVER = "server"  # the XMPP server: only its clock is read
    PROGRAM = "program"  # any other: like the server


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """A function on a stack.

    Attributes:
        function: its qualified name; for native code, the symbol.
        file: the file of its code object; for native code, the library.
        line: the first line of its definition; 0 for native code.
        group: the group that its package declares; empty if none. Absent in profiles of earlier versions.
    """

    function: str
    file: str
    line: int = 0
    group: str = ""


class Stack(msgspec.Struct, frozen=True, array_like=True):
    """A stack, and how often a thread was sampled with it while it used the CPU.

    Attributes:
        tid: the thread.
        frames: indices into the profile's table of frames, outermost first.
        count: number of samples.
        blocks: number of them in each of the thread's successive blocks that has some; see `BLOCKS`. Absent
            in profiles of earlier versions.
    """

    tid: int
    frames: tuple[int, ...]
    count: int
    blocks: tuple[tuple[int, int], ...] = ()


class Account(msgspec.Struct, frozen=True):
    """CPU time read off a clock, not sampled.

    Attributes:
        tid: the thread.
        group: the group's name.
        cpu_s: CPU seconds, without the cost of the accounting.
        agent: `name/Behaviour`, or `name` of a micro-agent; empty if it belongs to no agent in particular.
        error_s: half the width of its 95% interval, in seconds.
    """

    tid: int
    group: str
    cpu_s: float
    agent: str = ""
    error_s: float = 0.0


class Collection(msgspec.Struct, frozen=True, array_like=True):
    """CPU time of the garbage collector in a thread with some stack; read off a clock.

    Attributes:
        tid: the thread.
        frames: indices into the table of frames, outermost first.
        cpu_s: seconds of CPU.
    """

    tid: int
    frames: tuple[int, ...]
    cpu_s: float


class Thread(msgspec.Struct, frozen=True):
    """A thread of a process.

    Attributes:
        tid: its ID in the operating system.
        name: its name in the program, or in the operating system.
        kind: `loop`, `pool`, `executor`, `python` or `native`.
        cpu_s: CPU seconds, user and system, within the window.
        waits: number of samples left out because the thread was waiting.
    """

    tid: int
    name: str
    kind: str
    cpu_s: float
    waits: int = 0


class Process(msgspec.Struct, frozen=True):
    """A measured process.

    Attributes:
        pid: its ID in the operating system.
        role: its role.
        name: the container's name if known, otherwise the program's.
        user_s: CPU seconds in user mode, within the window.
        system_s: CPU seconds in the kernel, within the window.
        threads: its threads; their seconds may sum to less than the process's, since some have ended.
        stacks: of `sampled` profiles.
        accounts: of `accounted` profiles, and those by `threads`.
        collections: of `sampled` profiles of programs that `formicary profile` started: the garbage
            collector's time, which samples attribute to the interrupted code.
    """

    pid: int
    role: Role
    name: str
    user_s: float
    system_s: float
    threads: tuple[Thread, ...] = ()
    stacks: tuple[Stack, ...] = ()
    accounts: tuple[Account, ...] = ()
    collections: tuple[Collection, ...] = ()

    @property
    def cpu_s(self) -> float:
        """CPU seconds within the window."""
        return self.user_s + self.system_s


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """The CPU time of some processes on one host during a window of time.

    Attributes:
        method: how it was measured.
        host: the host's name.
        began: start of the window, in seconds since 1970.
        window_s: length of the window.
        rate_hz: requested samples per second of each thread; 0 for `accounted` profiles.
        processes: the measured processes.
        frames: the table that stacks refer to.
        cost: of `accounted` profiles, the share of CPU time taken by the accounting, already subtracted.
        warnings: sentences for readers of the figures.
        is_partial: whether data is missing; the warnings say what.
        version: the version of this format.
    """

    method: Method
    host: str
    began: float
    window_s: float
    rate_hz: float = 0.0
    processes: tuple[Process, ...] = ()
    frames: tuple[Frame, ...] = ()
    cost: float | None = None
    warnings: tuple[str, ...] = ()
    is_partial: bool = False
    version: int = VERSION


def encode(profile: Profile) -> bytes:
    """Return the profile as JSON."""
    return msgspec.json.encode(profile)


def decode(data: bytes, path: Path | str = "the profile") -> Profile:
    """Return the profile in `encode`'s output.

    Args:
        data: JSON.
        path: its source, for error messages.

    Raises:
        UsageError: it is not a profile, or has another version.
    """
    try:
        profile = msgspec.json.decode(data, type=Profile)
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} is not a profile of `formicary profile`: {error}") from error
    if profile.version != VERSION:
        raise UsageError(
            f"{path} is a profile of version {profile.version}, and this Formicary reads version "
            f"{VERSION}; profile again, or use the Formicary that made it"
        )
    return profile
