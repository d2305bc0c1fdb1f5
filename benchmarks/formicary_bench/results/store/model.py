"""What a run's manifest holds.

The manifest is JSON; these classes are its schema. Folders come from other people, too: every field is
checked when a manifest is read. Fields that a later version of the same format adds are passed over.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - msgspec resolves the annotations
from typing import Annotated

import msgspec

from formicary_bench.vocabulary.configuration import Configuration, Count, Name  # noqa: TC001 - msgspec resolves the annotations

FORMAT_VERSION = 2
"""The format that this version writes and reads."""

Seconds = Annotated[float, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Counter = Annotated[float, msgspec.Meta(ge=-(2.0**60), le=2.0**60)]
Line = Annotated[str, msgspec.Meta(max_length=2000)]
Option = str | int | float | bool | list[str | int | float] | None


class Repetition(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement of a configuration, by processes of its own.

    Attributes:
        configuration: The configuration's key.
        number: 1 for its first repetition, and so on.
        seed: What the random generators were seeded with.
        raw: The name of its file of raw values, in the run's folder `raw`; the run folder gives it.
        full_load: Whether every pair was still sending while any other was measured.
        started: When it began, with its time zone.
        ended: When it ended.
        elapsed_s: From the first pair's begin of T2 to the last pair's end of it; the time to create all
            agents in `create`.
        round_trips: How many round trips of T2 there are in all (0 in `create` and `memory`).
        lost: Messages that were never answered.
        window_s: How long all pairs were in T2 together.
        round_trips_in_window: How many round trips ended in that window.
        counters: What was counted beside the raw values, while all pairs were in T2 together.
        profiles: The names of the files, in the run's folder `profiles`, that say where the CPU time of its
            processes went, by the processes' roles; the run folder gives them.
        notes: What else a reader should know, in sentences.
        invalid: Why it says nothing about what was to be measured, in sentences without full stop; empty if
            nothing is known to have disturbed it.
        members: How many pairs each of its measuring processes has, where there are several: the pairs of the
            raw values are numbered through, and times are each process's own.
        others_cores: How many cores of this machine processes that are no part of the run used meanwhile, on
            average; None where that was not looked at, or other hosts took part.
        stolen: What part of its CPU time other virtual machines took meanwhile; None as before.
    """

    configuration: Line
    number: Annotated[int, msgspec.Meta(ge=1)]
    seed: int
    started: datetime
    ended: datetime
    raw: Line = ""
    full_load: bool = True
    elapsed_s: Seconds = 0.0
    round_trips: Count = 0
    lost: Count = 0
    window_s: Seconds = 0.0
    round_trips_in_window: Count = 0
    counters: dict[Name, Counter] = {}
    profiles: dict[Name, Line] = {}
    notes: tuple[Line, ...] = ()
    invalid: tuple[Line, ...] = ()
    members: tuple[Count, ...] = ()
    others_cores: Seconds | None = None
    stolen: Share | None = None

    @property
    def rate(self) -> float | None:
        """Round trips per second at full load, or None where there was no such time."""
        return self.round_trips_in_window / self.window_s if self.window_s else None


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run took place. What could not be found out is empty, zero or None.

    Attributes:
        host: The computer's name.
        cpu: The processor's model.
        cores: Physical cores.
        threads: Logical cores.
        usable: Logical cores that this process may use.
        memory_bytes: Main memory.
        system: Operating system and its version.
        kernel: The kernel's version.
        python: Implementation and version.
        python_build: Compiler, and what is unusual about the build (debug, free-threaded).
        loop: The event loop, with its version where it has one of its own.
        prosody: Prosody's version; empty where it took no part.
        libraries: Versions of the libraries that take part.
        governor: What decides about the processor's frequency.
        frequency_mhz: The processor's frequency when the run began.
        container: What hint there is of a container or a virtual machine.
    """

    host: Name = ""
    cpu: Name = ""
    cores: Count = 0
    threads: Count = 0
    usable: Count = 0
    memory_bytes: Count = 0
    system: Name = ""
    kernel: Name = ""
    python: Name = ""
    python_build: Name = ""
    loop: Name = ""
    prosody: Name = ""
    libraries: dict[Name, Name] = {}
    governor: Name = ""
    frequency_mhz: Seconds | None = None
    container: Name = ""


class Git(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the checkout that ran: its commit, and whether files differed from it."""

    commit: Name
    dirty: bool


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """How far a host's clock is ahead of the controller's.

    Attributes:
        offset_ns: What it says more.
        uncertainty_ns: By how much that may be wrong, either way.
    """

    offset_ns: int
    uncertainty_ns: Count


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a run but its raw values.

    Attributes:
        format_version: The format of the folder.
        formicary: The version that made it.
        options: What the command line asked for.
        configurations: What was planned, in the order of the plan.
        repeats: How often each of them is to be measured, in that order; all as often as the options say if
            empty.
        machine: Where it ran.
        git: The checkout that ran; None where it was an installed package.
        load_before: Load averages (1, 5, 15 minutes) before the first repetition.
        load_after: The same after the last one.
        started: When the run began, with its time zone.
        finished: When it ended; None while it runs, and for ever where it was interrupted.
        complete: Whether all that was planned was measured. False marks a partial run.
        left_out: What was left out of the plan because it cannot be measured here, in a sentence.
        repetitions: What was measured, in the order in which it was.
        hosts: What the hosts are that took part, by name; none where `machine` was all.
        roles: What they are for, of `containers` and `server`.
        clocks: How far their clocks were ahead of that of `machine` at the end of the run.
        servers: Whether `each` host had an XMPP server, or `one` had it for all; empty where none took part.
        resumed: When it was gone on with after an interruption, each time.
    """

    format_version: Annotated[int, msgspec.Meta(ge=1)] = FORMAT_VERSION
    formicary: Name
    options: dict[Name, Option] = {}
    configurations: tuple[Configuration, ...] = ()
    repeats: tuple[Annotated[int, msgspec.Meta(ge=1, le=10_000)], ...] = ()
    machine: Machine = Machine()
    git: Git | None = None
    load_before: tuple[float, float, float] | None = None
    load_after: tuple[float, float, float] | None = None
    started: datetime
    finished: datetime | None = None
    complete: bool = False
    left_out: Line = ""
    repetitions: tuple[Repetition, ...] = ()
    hosts: dict[Name, Machine] = {}
    roles: dict[Name, tuple[Name, ...]] = {}
    clocks: dict[Name, Clock] = {}
    servers: Name = ""
    resumed: tuple[datetime, ...] = ()

    def repetitions_of(self, configuration: Configuration) -> list[Repetition]:
        """Return what was measured of a configuration."""
        key = configuration.key
        return [repetition for repetition in self.repetitions if repetition.configuration == key]
