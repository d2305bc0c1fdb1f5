"""What a profile holds: what was measured, nothing that is computed of it; kept as JSON with a version."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from formicary.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
"""Of the JSON below; a reader refuses others."""

BLOCKS = 16
"""Into how many blocks the samples of a thread are put, in their order, as many into each as possible."""

ROUGH_COST = 0.5
"""From such a `cost` on, times are what is left of two large numbers, and rough."""


class Method(StrEnum):
    """How the CPU time within a thread was split."""

    SAMPLED = "sampled"  # py-spy looked at the stacks many times a second
    ACCOUNTED = "accounted"  # the platform read the CPU clock at the borders between groups


class Role(StrEnum):
    """What a process is."""

    CONTAINER = "container"  # Python: looked into
    SERVER = "server"  # the XMPP server's: only its clock is read
    PROGRAM = "program"  # some other: as the server's


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """A function that was seen on a stack.

    Attributes:
        function: its qualified name; of native code, the symbol.
        file: where it is defined, as its code object says; of native code, the library.
        line: where its definition begins; 0 for native code.
        group: what its package declares; empty if nothing. Profiles of former versions do not have it.
    """

    function: str
    file: str
    line: int = 0
    group: str = ""


class Stack(msgspec.Struct, frozen=True, array_like=True):
    """A stack, and how often a thread was seen with it while it used the CPU.

    Attributes:
        tid: the thread.
        frames: places in the profile's table of frames, outermost first.
        count: how many samples.
        blocks: how many of them are in each block of the thread's samples that has some: the blocks, as
            `BLOCKS` says, follow each other in time. Profiles of former versions do not have it.
    """

    tid: int
    frames: tuple[int, ...]
    count: int
    blocks: tuple[tuple[int, int], ...] = ()


class Account(msgspec.Struct, frozen=True):
    """CPU time that was read off a clock, and not sampled.

    Attributes:
        tid: the thread.
        group: the group's name.
        cpu_s: seconds of CPU, with the cost of the accounting itself taken off.
        agent: `name/Behaviour`, or `name` of a micro-agent; empty if it is nobody's in particular.
        error_s: half the width of its 95% interval, in seconds.
    """

    tid: int
    group: str
    cpu_s: float
    agent: str = ""
    error_s: float = 0.0


class Collection(msgspec.Struct, frozen=True, array_like=True):
    """CPU time that the garbage collector took while a thread was at some place; read off a clock.

    Attributes:
        tid: the thread.
        frames: places in the table of frames, outermost first.
        cpu_s: seconds of CPU.
    """

    tid: int
    frames: tuple[int, ...]
    cpu_s: float


class Thread(msgspec.Struct, frozen=True):
    """A thread of a process.

    Attributes:
        tid: the operating system's number of it.
        name: as the program named it, else as the operating system does.
        kind: `loop`, `pool`, `executor`, `python` or `native`.
        cpu_s: seconds of CPU, user and system, within the window.
        waits: how many samples were left out, as they have the thread wait.
    """

    tid: int
    name: str
    kind: str
    cpu_s: float
    waits: int = 0


class Process(msgspec.Struct, frozen=True):
    """A process that was measured.

    Attributes:
        pid: the operating system's number of it.
        role: what it is.
        name: of the container where it is known, else the program's.
        user_s: seconds of CPU in the program, within the window.
        system_s: seconds of CPU in the kernel for it, within the window.
        threads: its threads; their seconds may sum to less than the process's, as some have ended.
        stacks: of `sampled` profiles.
        accounts: of `accounted` profiles.
        collections: of `sampled` profiles of programs that `formicary profile` has started: the garbage
            collector's time. The samples have it under whoever was running.
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
        """Seconds of CPU within the window."""
        return self.user_s + self.system_s


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Where the CPU time of some processes of one host went during a window of time.

    Attributes:
        method: how it was measured.
        host: the host's name.
        began: when the window began, in seconds since 1970.
        window_s: how long it was.
        rate_hz: samples per second of each thread that were asked for; 0 of `accounted` ones.
        processes: what was measured.
        frames: the table that stacks refer to.
        cost: of `accounted` profiles, what part of the CPU time the accounting itself took; it is taken off.
        warnings: sentences for whoever reads the figures.
        is_partial: whether something that should be there is missing; the warnings say what.
        version: of this format.
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
    """Return the profile that `encode` has written.

    Args:
        data: JSON.
        path: where it comes from, for the message.

    Raises:
        UsageError: it is no profile, or one of another version.
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
