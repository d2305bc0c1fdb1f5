"""What an experiment is, and what runs take of it: data that a module declares for each.

An experiment is one module or one small package that declares an `Experiment`, and a line in `registry`.
What needs heavy imports (how it is planned, measured, summarised and shown) is named, and loaded when used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from formicary_bench.vocabulary.names import family_of
from formicary_bench.vocabulary.placements import APART, HOSTED, N_HOSTS, SAME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.routes import Carrier

Rounds = tuple[int, int, int]
"""Round trips, or uses of the directory, before, while and after it is measured."""

PAPER_ROUNDS: Rounds = (500, 1000, 500)
"""As in Alberola 2010."""

ALBEROLA, BURBECK, DIKAIAKOS = "Alberola 2010", "Burbeck 2004", "Dikaiakos 2001"
FRANTZ = "Frantz 2010"
PEREZ_CARRO = "Pérez-Carro 2013"


class Loaded(str):
    """A name in a module, as in `package.module:name`, which is imported when it is used."""

    __slots__ = ()

    def load(self) -> Any:
        """Import the module, and return what has the name there."""
        module, _, name = self.partition(":")
        return getattr(import_module(module), name)


@dataclass(frozen=True, kw_only=True)
class Take:
    """What a preset or a selection takes of an experiment; its attributes are called as there.

    Attributes:
        subjects: names of the subjects that take part; all if empty.
        rounds: the experiment's if None.
    """

    subjects: tuple[str, ...] = ()
    pairs: tuple[int, ...] = ()
    payloads: tuple[int, ...] = (100,)
    agents: tuple[int, ...] = ()
    services: tuple[int, ...] = ()
    containers: tuple[int, ...] = ()
    placements: tuple[str, ...] = (SAME, APART)
    carriers: tuple[Carrier, ...] = ()
    requests: tuple[int, ...] = ()
    mixes: tuple[str, ...] = ()
    rounds: Rounds | None = None
    loops: tuple[int, ...] = ()
    dimensions: tuple[int, ...] = ()
    swaps: tuple[int, ...] = ()

    def of(self, experiment: Experiment) -> Part:
        """Return it as a part of a run."""
        return Part(experiment, **vars(self))


@dataclass(frozen=True)
class Part(Take):
    """A part of a run: an experiment, and what is taken of it."""

    experiment: Experiment


@dataclass(frozen=True, kw_only=True)
class Preset:
    """What a preset sets of an experiment, whose attributes are called as there. None is what it has itself.

    Attributes:
        repeat: how often each configuration is measured.
        growth: for how many seconds pairs talk while memory is looked at.
        placements: where it is measured, where hosts take part.
        parts: what is taken, where not all of it is measured, or not all of its sizes with each other.
    """

    pairs: tuple[int, ...] | None = None
    payloads: tuple[int, ...] | None = None
    agents: tuple[int, ...] | None = None
    services: tuple[int, ...] | None = None
    containers: tuple[int, ...] | None = None
    rates: tuple[int, ...] | None = None
    requests: tuple[int, ...] | None = None
    loops: tuple[int, ...] | None = None
    dimensions: tuple[int, ...] | None = None
    swaps: tuple[int, ...] | None = None
    rounds: Rounds | None = None
    repeat: int | None = None
    growth: int | None = None
    placements: tuple[str, ...] | None = None
    parts: tuple[Take, ...] = ()


@dataclass(frozen=True)
class Repeats:
    """Which figures or tables of a paper an experiment repeats.

    Attributes:
        paper: whose.
        numbers: returns those that rows of the experiment repeat.
        kind: `Figure` or `Table`.
    """

    paper: str
    numbers: Callable[[Sequence[Any]], set[int]]
    kind: str = "Figure"


def cpu_tables(*tables: int) -> Repeats:
    """Return which tables of CPU time rows repeat: that of one host or that of two; there is none of more."""

    def numbers(rows: Sequence[Any]) -> set[int]:
        hosts = {row.hosts if row.placement == N_HOSTS else 1 + (row.placement != SAME) for row in rows}
        return {tables[many - 1] for many in hosts if 1 <= many <= len(tables)}

    return Repeats(ALBEROLA, numbers, "Table")


PLAN_MESSAGES = Loaded("formicary_bench.experiments.messaging.plan:plan_messages")
MEASURE = Loaded("formicary_bench.runner.execution.repetition:measure")


def _pairs(_: int) -> int:
    return 0


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Something that can be measured.

    Attributes:
        name: as on the command line and in run folders.
        title: as a reader says it.
        what: what is measured, in a few words.
        source: the paper that it is from, and where in it.
        repeats: which figures or tables of it; none if None.
        varies: the options of the command line that it has.
        pairs: how many pairs, or senders.
        payloads: bytes of a message's body.
        agents: how many agents are created.
        services: how many services are registered before.
        containers: how many other containers are to see a registration, or over how many a grid is.
        placements: where the agents are.
        carriers: what carries the messages between two containers; what is usual if empty.
        kinds: which of ours can take part; all that do such experiments if empty.
        rates: messages per second, where senders do not wait for answers.
        arrivals: how those follow each other.
        limit_us: within how many microseconds 99% are to be answered, where the highest such rate is found.
        requests: how many requests an agent makes at each visit.
        mixes: which ones, as TPC-W mixes them.
        databases: where the data is that they are about.
        loops: how many operations the largest loop has.
        ways: how these follow each other, where there is a choice.
        dimensions: how many cells each side of a grid has.
        swaps: how many swaps the first agent there makes until all end.
        tls: whether messages are encrypted, where both are measured; as is usual if empty.
        subjects: names of the only subjects that take part, also of those that do no other such experiment;
            all if empty. Other platforms take part besides, where there is an exchange.
        traffics: who talks to whom over many hosts, where there is a choice.
        spreads: where services are over two hosts; nowhere is a choice if empty.
        rounds: how many round trips come before, while and after it is measured.
        has_fixed_rounds: whether presets and selections leave these as they are.
        senders: how many agents send where there are so many pairs; 0 for one of each pair.
        exchange: which exchange of the drivers' protocol it makes; drivers do not take part if empty.
        quick: what the preset `quick` takes of it, besides few of its sizes.
        paper: what the preset `paper` takes of it; what is usual if None, as it is of none.
        takes: `options -> takes`, where not all of its sizes are combined with each other; those of the
            preset, or all of the experiment if None.
        beside: `(experiment, options) -> parts` of other experiments that are measured in the
            same run; none if None.
        plan: `(part, options, subjects) -> configurations`.
        roles: the roles of its workers; by the placement if empty.
        played_by: the module that plays the workers' parts, for all platforms; each platform's own if empty.
        measure: `(task, watcher) -> (repetition, raw values)`.
        summarise: how a row is made of repetitions; as is usual in its family if None.
        report: what reports show of it; as is usual in its family if None.
    """

    name: str
    title: str
    what: str
    source: str = "our own"
    repeats: Repeats | None = None
    varies: tuple[str, ...]
    pairs: tuple[int, ...] = ()
    payloads: tuple[int, ...] = ()
    agents: tuple[int, ...] = ()
    services: tuple[int, ...] = ()
    containers: tuple[int, ...] = ()
    placements: tuple[str, ...] = (SAME, APART, *HOSTED)
    carriers: tuple[Carrier, ...] = ()
    kinds: tuple[str, ...] = ()
    rates: tuple[int, ...] = ()
    arrivals: tuple[str, ...] = ()
    limit_us: int = 0
    requests: tuple[int, ...] = ()
    mixes: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    loops: tuple[int, ...] = ()
    ways: tuple[str, ...] = ()
    dimensions: tuple[int, ...] = ()
    swaps: tuple[int, ...] = ()
    tls: tuple[bool, ...] = ()
    subjects: tuple[str, ...] = ()
    traffics: tuple[str, ...] = ()
    spreads: tuple[str, ...] = ()
    rounds: Rounds = PAPER_ROUNDS
    has_fixed_rounds: bool = False
    senders: Callable[[int], int] = _pairs
    exchange: str = ""
    quick: Preset = field(default=Preset())
    paper: Preset | None = None
    takes: Loaded | None = None
    beside: Loaded | None = None
    plan: Loaded = PLAN_MESSAGES
    roles: tuple[str, ...] = ()
    played_by: str = ""
    measure: Loaded = MEASURE
    summarise: Loaded | None = None
    report: Loaded | None = None

    @property
    def family(self) -> str:
        """Of what kind it is: what stands before the stroke of its name."""
        return family_of(self.name)

    def has(self, subject: Subject) -> bool:
        """Say whether a subject can take part."""
        if subject.exchanges:
            return self.exchange in subject.exchanges
        if self.subjects:
            return subject.name in self.subjects
        return self.family in subject.families and (not self.kinds or subject.kind in self.kinds)


@dataclass(frozen=True)
class Point:
    """How much of an experiment is measured at once, and where.

    Attributes:
        placement: where the agents are.
        carrier: what carries the messages.
        load: pairs or senders.
        payload: bytes.
    """

    placement: str
    carrier: Carrier
    load: int
    payload: int


@dataclass(frozen=True)
class Selection:
    """Parts of several experiments in one run.

    Attributes:
        name: as on the command line.
        what: what it is for, in a few words.
        parts: the parts.
        rounds: how many round trips each pair makes before, while and after it is measured.
    """

    name: str
    what: str
    parts: tuple[Part, ...]
    rounds: Callable[[Subject, Point], Rounds]
