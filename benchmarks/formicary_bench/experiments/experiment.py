"""What an experiment is, and what runs take of it: data that a module declares for each.

An experiment is one module or one small package that declares an `Experiment`, and a line in `registry`.
What needs heavy imports (how it is planned, measured, summarised and shown) is named, and loaded when used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from formicary_bench.vocabulary.metrics import CREATED, ROUND_TRIPS
from formicary_bench.vocabulary.names import PAPER, family_of, is_cpu
from formicary_bench.vocabulary.parameters.parameter import declared_by
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.vocabulary.places import APART, HOSTED, N_HOSTS, SAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.metrics import Metric
    from formicary_bench.vocabulary.parameters.parameter import HasParameters, Parameter, Parameters
    from formicary_bench.vocabulary.places import Carrier

PAPER_ROUNDS = (500, 1000, 500)
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


Derive = Callable[["HasParameters", Mapping[str, float]], float | None]

Sizes = Mapping[str, Any]
"""Values of parameters that are an experiment's own, by their fields: several of each, or one where there can
be no more."""


@dataclass(frozen=True, kw_only=True)
class Take:
    """What a preset or a selection takes of an experiment; its attributes are called as there.

    Attributes:
        subjects: names of the subjects that take part; all if empty.
        sizes: those that are not as the experiment has them.
    """

    subjects: tuple[str, ...] = ()
    placements: tuple[str, ...] = (SAME, APART)
    carriers: tuple[Carrier, ...] = ()
    sizes: Sizes = field(default_factory=dict)

    def of(self, experiment: Experiment) -> Part:
        """Return it as a part of a run."""
        return Part(experiment, **vars(self))


@dataclass(frozen=True)
class Part(Take):
    """A part of a run: an experiment, and what is taken of it."""

    experiment: Experiment


@dataclass(frozen=True, kw_only=True)
class Preset:
    """What a preset sets of an experiment.

    Attributes:
        sizes: those that are not as the experiment has them.
        repeat: how often each configuration is measured; as usual if None.
        placements: where it is measured, where hosts take part.
        parts: what is taken, where not all of it is measured, or not all of its sizes with each other.
    """

    sizes: Sizes = field(default_factory=dict)
    repeat: int | None = None
    placements: tuple[str, ...] | None = None
    parts: tuple[Take, ...] = ()


@dataclass(frozen=True)
class Repeats:
    """Which figures or tables of a paper an experiment repeats.

    Attributes:
        paper: whose.
        numbers: returns those that rows of the experiment repeat, as in 9 or `5a`.
        kind: `Figure` or `Table`.
    """

    paper: str
    numbers: Callable[[Sequence[Any]], set[int] | set[str]]
    kind: str = "Figure"


def cpu_tables(*tables: int) -> Repeats:
    """Return which tables of CPU time rows repeat: that of one host or that of two; there is none of more."""

    def numbers(rows: Sequence[Any]) -> set[int]:
        hosts = {row.hosts if row.placement == N_HOSTS else 1 + (row.placement != SAME) for row in rows}
        return {tables[many - 1] for many in hosts if 1 <= many <= len(tables)}

    return Repeats(ALBEROLA, numbers, "Table")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A chart of lines: how a metric goes with a parameter.

    Attributes:
        metric: Which metric.
        over: The field of the parameter.
        title: Its title; by these two if empty.
        caption: What to know of it.
        after: Which figure of the experiment's paper it is after, as in `Fig. 2`; those that the experiment
            repeats if empty.
    """

    metric: Metric
    over: str
    title: str = ""
    caption: str = ""
    after: str = ""


PROFILING = Loaded("formicary_bench.runner.planning.profiles:longer_exchange")
AS_IT_IS = Loaded("formicary_bench.runner.planning.profiles:as_it_is")
DURATION = Loaded("formicary_bench.runner.forecast.default_durations:of_exchange")
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
        parameters: the class of its own parameters.
        sizes: what it measures of them by itself.
        varies: the other options of the command line that it has.
        placements: where the agents are.
        carriers: what carries the messages between two containers; what is usual if empty.
        kinds: which of ours can take part; all that do such experiments if empty.
        tls: whether messages are encrypted, where both are measured; as is usual if empty.
        subjects: names of the only subjects that take part, also of those that do no other such experiment,
            in their order; all if empty. Other platforms take part besides, where there is an exchange.
        traffics: who talks to whom over many hosts, where there is a choice.
        spreads: where services are over two hosts; nowhere is a choice if empty.
        has_fixed_rounds: whether presets and selections leave its round trips as they are.
        senders: how many agents send where there are so many pairs; 0 for one of each pair.
        exchange: which exchange of the drivers' protocol it makes; drivers do not take part if empty.
        quick: what the preset `quick` takes of it, besides few of its sizes.
        paper: what the preset `paper` takes of it; what is usual if None, as it is of none.
        selected: what selections take of it, by their names.
        takes: `options -> takes`, where not all of its sizes are combined with each other; those of the
            preset, or all of the experiment if None.
        beside: `(experiment, options) -> parts` of other experiments that are measured in the
            same run; none if None.
        fit: `draft -> parameters`, several of them, where not all sizes go with each other, or some follow
            from others; see `runner.planning.drafts`.
        profiling: how much of it is measured where it is profiled; it cannot be if None.
        why_unprofiled: what it is about instead.
        duration: about how long a repetition takes; see `runner.forecast`.
        roles: the roles of its workers; by the placement if empty.
        played_by: the module that plays the workers' parts, for all platforms; each platform's own if empty.
        measure: `(task, watcher) -> (repetition, raw values)`.
        metrics: what is measured, as tables have it; what is usual if empty.
        unshown: what is measured besides.
        derived: metrics that follow from those of a repetition: `(configuration, values by name) -> value`.
        main: what its platforms are held against each other by; the first of which more is better if None.
        over: the field of the parameter along which it grows.
        figures: its charts of lines; that of the main metric at the most of `over` comes with them.
        says: what the row with the most of `over` has found, as a sentence with the names of metrics, fields
            of parameters, `where`, `who` and `beside` (what it is held against) in braces; a part in brackets
            is left out where a metric in it is not known.
        summarise: how a row is made of repetitions; as is usual in its family if None.
        published: which of `published.TABLES` are shown beside it; none if empty.
        benchmark: which lines of that table are its own, where it has those of several.
        report: what reports show of it; made of the above if None.
    """

    name: str
    title: str
    what: str
    source: str = "our own"
    repeats: Repeats | None = None
    parameters: type[Parameters]
    sizes: Sizes = field(default_factory=dict)
    varies: tuple[str, ...] = ()
    placements: tuple[str, ...] = (SAME, APART, *HOSTED)
    carriers: tuple[Carrier, ...] = ()
    kinds: tuple[str, ...] = ()
    tls: tuple[bool, ...] = ()
    subjects: tuple[str, ...] = ()
    traffics: tuple[str, ...] = ()
    spreads: tuple[str, ...] = ()
    has_fixed_rounds: bool = False
    senders: Callable[[int], int] = _pairs
    exchange: str = ""
    quick: Preset = field(default=Preset())
    paper: Preset | None = None
    selected: Mapping[str, tuple[Take, ...]] = field(default_factory=dict)
    takes: Loaded | None = None
    beside: Loaded | None = None
    fit: Loaded | None = None
    profiling: Loaded | None = PROFILING
    why_unprofiled: str = ""
    duration: Loaded = DURATION
    roles: tuple[str, ...] = ()
    played_by: str = ""
    measure: Loaded = MEASURE
    metrics: tuple[Metric, ...] = ()
    unshown: tuple[Metric, ...] = ()
    derived: Mapping[Metric, Derive] = field(default_factory=dict)
    main: Metric | None = None
    over: str = ""
    figures: tuple[Figure, ...] = ()
    says: str = ""
    summarise: Loaded | None = None
    published: str = ""
    benchmark: str = ""
    report: Loaded | None = None

    @property
    def family(self) -> str:
        """Of what kind it is: what stands before the stroke of its name."""
        return family_of(self.name)

    @cached_property
    def own(self) -> tuple[Parameter, ...]:
        """The parameters that are its own, of which it has sizes or can be asked for."""
        return declared_by(self.parameters)

    @cached_property
    def shown(self) -> tuple[Metric, ...]:
        """The metrics that tables have."""
        return self.metrics or (CREATED if issubclass(self.parameters, Agents) else ROUND_TRIPS)

    @cached_property
    def main_metric(self) -> Metric:
        """What its platforms are held against each other by."""
        return self.main or next((one for one in self.shown if one.more_is_better), self.shown[0])

    @cached_property
    def grows_by(self) -> Parameter | None:
        """The parameter along which it grows."""
        return next((one for one in self.own if one.attribute == self.over), None)

    @property
    def options(self) -> tuple[str, ...]:
        """The names of all options of the command line that it has."""
        return (*(one.name for one in self.own), *self.varies)

    @property
    def is_of_paper(self) -> bool:
        """Whether it is one of a paper."""
        return not self.source.startswith("our own")

    @property
    def again(self) -> str:
        """The command that repeats it as its paper had it; empty where it is of none."""
        if not self.is_of_paper:
            return ""
        placements = (self.paper and self.paper.placements) or ()
        hosts = " --hosts hosts.toml" if {*placements} & {*HOSTED} else ""
        return f"formicary bench run {self.name} --preset {PAPER}{hosts}"

    def has(self, subject: Subject) -> bool:
        """Return whether a subject can take part."""
        if subject.exchanges:
            return self.exchange in subject.exchanges and (subject.groups_threads or not is_cpu(self.name))
        if self.subjects:
            return subject.name in self.subjects
        return self.family in subject.families and (not self.kinds or subject.kind in self.kinds)
