"""What to measure, and how much: what was asked for, filled in with what is usual."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from formicary_bench.experiments.presets import preset_of
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import QUICK
from formicary_bench.results.summary.warm_up import OPTION as WARM_UP
from formicary_bench.vocabulary.containers import MOST_ON_A_HOST
from formicary_bench.vocabulary.traffic import SAID

if TYPE_CHECKING:
    from formicary_bench.experiments.experiment import Experiment
    from formicary_bench.results.store.model import Option

MOST_PAIRS = 10_000
MOST_AGENTS = 1_000_000
MOST_SERVICES = 1_000_000
MOST_OTHERS = MOST_ON_A_HOST
MOST_BYTES = 10_000_000
MOST_TRIPS = 10_000_000
MOST_REPETITIONS = 10_000
MOST_SECONDS = 86_400
MOST_RATE = 1_000_000
MOST_SEED = 2**32 - 1
REPETITIONS = 3
"""How often each configuration is measured: with fewer, intervals are too wide to say anything."""

ON_OFF = {True: "on", False: "off"}


@dataclass(frozen=True)
class Options:
    """What to measure. None is what the experiment takes by itself.

    Attributes:
        experiment: its name, or that of a selection.
        pairs: how many pairs, or senders.
        payloads: bytes of a message's body.
        agents: how many agents to create, or to have come and go.
        services: how many services are registered before.
        containers: how many other containers are to learn of a registration.
        growth: for how many seconds pairs talk while memory is looked at.
        hosts: names of the hosts that containers may be on; none where all is on this machine.
        counts: how many hosts take part, where that varies.
        traffics: who talks to whom over many hosts.
        spreads: where services are, of two containers.
        placements: where the agents are.
        routes: what carries our agents' messages between two containers.
        tls: whether they are encrypted there, and a baseline's where it can do that.
        subjects: names of what is measured.
        rates: messages per second of all senders together, where they do not wait for answers.
        arrivals: how those follow each other.
        limit_us: within how many microseconds 99% are to be answered.
        rounds: round trips of each pair before, while and after it is measured.
        warm_up: what is left out as warm-up: `detect`, or how many round trips; as planned if None.
        profile: whether to see where the CPU time goes, in repetitions of their own.
        preset: whose sizes are taken where none are given; the experiment's own if empty.
        repeat: how often each configuration is measured.
        seed: for the order of the measurements, and for the agents' random generators.
    """

    experiment: str = QUICK.name
    pairs: tuple[int, ...] | None = None
    payloads: tuple[int, ...] | None = None
    agents: tuple[int, ...] | None = None
    services: tuple[int, ...] | None = None
    containers: tuple[int, ...] | None = None
    growth: int | None = None
    hosts: tuple[str, ...] = ()
    counts: tuple[int, ...] | None = None
    traffics: tuple[str, ...] | None = None
    spreads: tuple[str, ...] | None = None
    placements: tuple[str, ...] | None = None
    routes: tuple[str, ...] | None = None
    tls: tuple[bool, ...] | None = None
    subjects: tuple[str, ...] | None = None
    rates: tuple[int, ...] | None = None
    arrivals: tuple[str, ...] | None = None
    limit_us: int | None = None
    rounds: tuple[int, int, int] | None = None
    warm_up: int | str | None = None
    profile: bool = False
    preset: str = ""
    repeat: int = 1
    seed: int = 0

    def as_asked(self) -> dict[str, Option]:
        """Return them for the manifest, without what was not given."""
        given: dict[str, Option] = {"experiment": self.experiment}
        given |= {"preset": self.preset} if self.preset else {}
        lists = {
            "pairs": self.pairs,
            "payload": self.payloads,
            "agents": self.agents,
            "services": self.services,
            "containers": self.containers,
            "hosts": self.hosts or None,
            "count": self.counts,
            "traffic": self.traffics,
            "spread": None if self.spreads is None else [SAID[spread] for spread in self.spreads],
            "placement": self.placements,
            "route": self.routes,
            "tls": None if self.tls is None else [ON_OFF[value] for value in self.tls],
            "platform": self.subjects,
            "rate": self.rates,
            "arrivals": self.arrivals,
            "rounds": self.rounds,
        }
        given |= {name: list(values) for name, values in lists.items() if values is not None}
        given |= {"profile": True} if self.profile else {}
        given |= {} if self.warm_up is None else {WARM_UP: self.warm_up}
        given |= {} if self.limit_us is None else {"p99": f"{self.limit_us}us"}
        given |= {} if self.growth is None else {"growth": self.growth}
        given |= {"repeat": self.repeat} if self.repeat else {}
        return given | {"seed": self.seed}


def with_preset(options: Options) -> Options:
    """Fill in what a preset says of the experiment, where nothing else was asked for.

    Args:
        options: what was asked for; a `repeat` of 0 is that of the preset, or else the usual one. With a
            selection it stays 0, as its experiments may differ in it: see `repeat_of`.
    """
    experiment = EXPERIMENTS.get(options.experiment)
    if not options.preset:
        return replace(options, repeat=options.repeat or REPETITIONS)
    if experiment is None:
        return options
    preset = preset_of(experiment, options.preset)
    return replace(
        options,
        pairs=options.pairs or preset.loads,
        payloads=options.payloads or preset.payloads,
        agents=options.agents or preset.agents,
        services=options.services or preset.services,
        containers=options.containers or preset.containers,
        growth=options.growth or preset.seconds,
        rates=options.rates or preset.rates,
        rounds=options.rounds or preset.rounds,
        repeat=options.repeat or preset.repeat or REPETITIONS,
    )


def repeat_of(options: Options, experiment: str) -> int:
    """Return how often the configurations of an experiment are measured."""
    if options.repeat or not options.preset:
        return options.repeat or REPETITIONS
    return preset_of(EXPERIMENTS[experiment], options.preset).repeat or REPETITIONS


def places_of(options: Options, experiment: Experiment) -> tuple[str, ...] | None:
    """Return where an experiment is measured where hosts take part, if a preset says."""
    if not options.preset:
        return None
    return preset_of(EXPERIMENTS.get(options.experiment, experiment), options.preset).placements
