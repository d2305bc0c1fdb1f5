"""The manifest of a run.

It is JSON with these classes as its schema. Folders come from other people, too: every field is checked when
a manifest is read. Fields that a later version of the same format adds are ignored.
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
    """One measurement of a configuration, in processes of its own.

    Attributes:
        configuration: the configuration's key.
        number: 1 for its first repetition, and so on.
        seed: the seed of the random generators.
        raw: the name of its file of raw values in the folder `raw`, given by the run folder.
        full_load: whether every pair was still sending while any other was measured.
        started: when it began, with its time zone.
        ended: when it ended.
        elapsed_s: from the first pair's start of T2 to the last pair's end of it; in `create`, the time to
            create all agents.
        round_trips: the number of round trips in T2 (0 in `create` and `memory`).
        lost: messages that were never answered.
        window_s: how long all pairs were in T2 together.
        round_trips_in_window: the number of round trips that ended in that window.
        counters: further counters while all pairs were in T2 together.
        profiles: the names of its profiles in the folder `profiles` by the processes' roles, given by the run
            folder.
        notes: further sentences for readers.
        invalid: sentences without full stop about why it is not valid; empty if nothing is known to have
            disturbed it.
        members: the pairs of each measuring process, if there are several: pairs are numbered across
            processes, and each process has its own clock.
        others_cores: the average number of cores of this machine used by processes outside the run; None if
            not measured, or over hosts.
        stolen: the share of CPU time taken by other virtual machines; None as before.
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
        """Round trips per second at full load; None if there was none."""
        return self.round_trips_in_window / self.window_s if self.window_s else None


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """The machine of a run; unknown fields are empty, zero or None.

    Attributes:
        host: the computer's name.
        cpu: the processor's model.
        cores: physical cores.
        threads: logical cores.
        usable: logical cores that this process may use.
        memory_bytes: main memory.
        system: operating system and its version.
        kernel: the kernel's version.
        python: implementation and version.
        python_build: compiler, and anything unusual about the build (debug, free-threaded).
        loop: the event loop, with its own version if any.
        prosody: Prosody's version; empty if it took no part.
        libraries: versions of the libraries that take part.
        governor: the governor of the processor's frequency.
        frequency_mhz: the processor's frequency at the start of the run.
        container: a hint of a container or virtual machine.
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
        offset_ns: the difference.
        uncertainty_ns: its possible error, either way.
    """

    offset_ns: int
    uncertainty_ns: Count


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Everything known of a run except its raw values.

    Attributes:
        format_version: the format of the folder.
        formicary: the version that made it.
        options: the options of the run.
        configurations: the planned configurations, in order.
        repeats: the number of repetitions of each of them, in that order; those of the options if empty.
        machine: the machine.
        git: the checkout that ran; None for an installed package.
        load_before: load averages (1, 5, 15 minutes) before the first repetition.
        load_after: likewise after the last one.
        started: when the run began, with its time zone.
        finished: when it ended; None while it runs, or if it was interrupted.
        complete: whether everything planned was measured; False marks a partial run.
        left_out: a sentence about what was left out because it cannot be measured here.
        repetitions: the repetitions in the order of measurement.
        hosts: the hosts that took part, by name; empty if `machine` was the only one.
        roles: their roles, of `containers` and `server`.
        clocks: how far their clocks were ahead of that of `machine` at the end of the run.
        servers: whether `each` host had an XMPP server, or `one` had it for all; empty without any.
        resumed: the times at which it was resumed after an interruption.
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
        key = configuration.key
        return [repetition for repetition in self.repetitions if repetition.configuration == key]
