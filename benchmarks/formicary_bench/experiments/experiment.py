"""The declaration of an experiment, and of the parts of it that a run measures.

An experiment is one module or one small package that declares an `Experiment`, and a line in `registry`.
Functions that need heavy imports (to plan, measure, summarise and show it) are named, and loaded when used.
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
"""Round trips in Alberola 2010."""

ALBEROLA, BURBECK, DIKAIAKOS = "Alberola 2010", "Burbeck 2004", "Dikaiakos 2001"
FRANTZ = "Frantz 2010"
PEREZ_CARRO = "Pérez-Carro 2013"


class Loaded(str):
    """A name in a module, such as `package.module:name`, imported on first use."""

    __slots__ = ()

    def load(self) -> Any:
        """Import the module, and return the object of that name."""
        module, _, name = self.partition(":")
        return getattr(import_module(module), name)


Derive = Callable[["HasParameters", Mapping[str, float]], float | None]

Sizes = Mapping[str, Any]
"""Values of an experiment's own parameters, by field: several for each, or one where only one is possible."""


@dataclass(frozen=True, kw_only=True)
class Take:
    """The part of an experiment that a preset or a selection measures; attributes as of `Experiment`.

    Attributes:
        subjects: names of the subjects that take part; all if empty.
        sizes: those that differ from the experiment's.
    """

    subjects: tuple[str, ...] = ()
    placements: tuple[str, ...] = (SAME, APART)
    carriers: tuple[Carrier, ...] = ()
    sizes: Sizes = field(default_factory=dict)

    def of(self, experiment: Experiment) -> Part:
        """Return this part of an experiment as a part of a run."""
        return Part(experiment, **vars(self))


@dataclass(frozen=True)
class Part(Take):
    """A part of a run: an experiment, and how much of it is measured."""

    experiment: Experiment


@dataclass(frozen=True, kw_only=True)
class Preset:
    """The settings that a preset changes in an experiment.

    Attributes:
        sizes: those that differ from the experiment's.
        repeat: how many times each configuration is measured; the default if None.
        placements: where it is measured when hosts take part.
        parts: which parts are measured, if not every combination of its sizes.
    """

    sizes: Sizes = field(default_factory=dict)
    repeat: int | None = None
    placements: tuple[str, ...] | None = None
    parts: tuple[Take, ...] = ()


@dataclass(frozen=True)
class Repeats:
    """The figures or tables of a paper that an experiment repeats.

    Attributes:
        paper: the paper.
        numbers: returns the numbers of the figures that rows of the experiment repeat, such as 9 or `5a`.
        kind: `Figure` or `Table`.
    """

    paper: str
    numbers: Callable[[Sequence[Any]], set[int] | set[str]]
    kind: str = "Figure"


def cpu_tables(*tables: int) -> Repeats:
    """Return the tables of CPU time that rows repeat: one for a single host, one for two, none for more."""

    def numbers(rows: Sequence[Any]) -> set[int]:
        hosts = {row.hosts if row.placement == N_HOSTS else 1 + (row.placement != SAME) for row in rows}
        return {tables[many - 1] for many in hosts if 1 <= many <= len(tables)}

    return Repeats(ALBEROLA, numbers, "Table")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A line chart of a metric over a parameter.

    Attributes:
        metric: the metric.
        over: the field of the parameter.
        title: its title; made from these two if empty.
        caption: what readers should know about it.
        after: the figure of the paper that it follows, such as `Fig. 2`; those that the experiment repeats if
            empty.
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
        name: its name on the command line and in run folders.
        title: its title for readers.
        what: what is measured, in a few words.
        source: the paper that it comes from, with the section.
        repeats: the figures or tables of that paper; none if None.
        parameters: the class of its own parameters.
        sizes: the values of these that it measures by default.
        varies: its other command-line options.
        placements: where the agents are.
        carriers: what carries messages between two containers; the default carriers if empty.
        kinds: the kinds of our own subjects that can take part; all of its family if empty.
        tls: whether messages are encrypted, if both are measured; the default if empty.
        subjects: names of the only subjects that take part, in their order, even if they are in no other
            experiment of the family; all if empty. With an exchange, other platforms take part as well.
        traffics: who talks to whom over many hosts, where there is a choice.
        spreads: how services are distributed over two hosts; no choice if empty.
        has_fixed_rounds: whether presets and selections leave its number of round trips alone.
        senders: returns the number of sending agents for a number of pairs; 0 for one of each pair.
        exchange: its exchange in the drivers' protocol; drivers do not take part if empty.
        quick: what the preset `quick` measures, besides a few of its sizes.
        paper: what the preset `paper` measures; the default if None.
        selected: what selections measure, by their names.
        takes: `options -> takes`, if not all of its sizes are combined with each other; those of the
            preset, or the whole experiment, if None.
        beside: `(experiment, options) -> parts` of other experiments to measure in the same run; none if
            None.
        fit: `draft -> drafts`, if some sizes cannot be combined or follow from others; see
            `runner.planning.drafts`.
        profiling: how much of it is measured when it is profiled; it cannot be profiled if None.
        why_unprofiled: what it is about instead of CPU time.
        duration: estimates how long a repetition takes; see `runner.forecast`.
        roles: the roles of its workers; given by the placement if empty.
        played_by: the module that plays the workers' parts for all platforms; each platform's own if empty.
        measure: `(task, watcher) -> (repetition, raw values)`.
        metrics: what tables show; the default metrics if empty.
        unshown: what is measured in addition.
        derived: metrics that follow from those of a repetition: `(configuration, values by name) -> value`.
        main: the metric that platforms are compared by; the first of which more is better if None.
        over: the field of the parameter along which it grows.
        figures: its line charts; one of the main metric at the largest `over` is added.
        says: the finding of the row with the largest `over`, as a sentence with the names of metrics, fields
            of parameters, `where`, `who` and `beside` (what it is compared with) in braces; a part in
            brackets is left out if a metric in it is unknown.
        summarise: makes a row of repetitions; the default of its family if None.
        published: which of `published.TABLES` are shown beside it; none if empty.
        benchmark: its own lines of that table, if the table covers several experiments.
        report: what reports show; made from the above if None.
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
        """Its family: the part of its name before the slash."""
        return family_of(self.name)

    @cached_property
    def own(self) -> tuple[Parameter, ...]:
        return declared_by(self.parameters)

    @cached_property
    def shown(self) -> tuple[Metric, ...]:
        """The metrics that tables show."""
        return self.metrics or (CREATED if issubclass(self.parameters, Agents) else ROUND_TRIPS)

    @cached_property
    def main_metric(self) -> Metric:
        """The metric that its platforms are compared by."""
        return self.main or next((one for one in self.shown if one.more_is_better), self.shown[0])

    @cached_property
    def grows_by(self) -> Parameter | None:
        """The parameter along which it grows."""
        return next((one for one in self.own if one.attribute == self.over), None)

    @property
    def options(self) -> tuple[str, ...]:
        return (*(one.name for one in self.own), *self.varies)

    @property
    def is_of_paper(self) -> bool:
        return not self.source.startswith("our own")

    @property
    def again(self) -> str:
        """The command that repeats it as in its paper; empty without a paper."""
        if not self.is_of_paper:
            return ""
        placements = (self.paper and self.paper.placements) or ()
        hosts = " --hosts hosts.toml" if {*placements} & {*HOSTED} else ""
        return f"formicary bench run {self.name} --preset {PAPER}{hosts}"

    def has(self, subject: Subject) -> bool:
        if subject.exchanges:
            return self.exchange in subject.exchanges and (subject.groups_threads or not is_cpu(self.name))
        if self.subjects:
            return subject.name in self.subjects
        return self.family in subject.families and (not self.kinds or subject.kind in self.kinds)
