"""What was asked for on the command line: read, checked, and refused with what to do instead."""

from __future__ import annotations

import difflib
import re
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.drivers.recipes import RECIPES
from formicary_bench.experiments.catalogue import EXPERIMENTS
from formicary_bench.experiments.presets import EVERYTHING, PRESETS, sizes_of
from formicary_bench.experiments.quick import QUICK
from formicary_bench.experiments.selections import SELECTIONS
from formicary_bench.platforms.arrivals import ARRIVALS
from formicary_bench.platforms.catalogue import APART, HOSTED, ROUTES, SAME, subjects
from formicary_bench.platforms.containers import MOST_HOSTS, MOST_ON_A_HOST
from formicary_bench.platforms.traffic import SAID, TRAFFICS
from formicary_bench.results.warm_up import DETECT, read_rule
from formicary_bench.results.warm_up import OPTION as WARM_UP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.model import Option

MOST_PAIRS = 10_000
MOST_AGENTS = 1_000_000
MOST_SERVICES = 1_000_000
MOST_OTHERS = MOST_ON_A_HOST
MOST_BYTES = 10_000_000
MOST_TRIPS = 10_000_000
MOST_REPETITIONS = 10_000
MOST_SECONDS = 86_400
MOST_RATE = 1_000_000
_SEED_BITS = 32
_LISTS = {"experiment": "formicary bench list", "platform": "formicary bench platforms"}
_UNITS = {"us": 1, "ms": 1000, "s": 1_000_000}
MOST_SEED = 2**_SEED_BITS - 1
_KNOWN = {one.name: one for one in EXPERIMENTS}
_ON_OFF = {True: "on", False: "off"}
REPETITIONS = 3
"""How often each configuration is measured: with fewer, intervals are too wide to say anything."""


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
            "tls": None if self.tls is None else [_ON_OFF[value] for value in self.tls],
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
        return given | {"repeat": self.repeat, "seed": self.seed}


def parse(
    experiment: str = QUICK.name,
    *,
    pairs: str | None = None,
    payload: str | None = None,
    agents: str | None = None,
    services: str | None = None,
    containers: str | None = None,
    growth: str | None = None,
    hosts: Sequence[str] = (),
    count: str | None = None,
    traffic: str | None = None,
    spread: str | None = None,
    placement: str | None = None,
    route: str | None = None,
    tls: str | None = None,
    platform: str | None = None,
    rate: str | None = None,
    arrivals: str | None = None,
    p99: str | None = None,
    rounds: str | None = None,
    warm_up: str | None = None,
    profile: bool = False,
    preset: str | None = None,
    repeat: str | None = None,
    seed: str | None = None,
) -> Options:
    """Read the command line's words.

    Raises:
        UsageError: one of them is not understood, or does not fit the others.
    """
    known = _KNOWN
    if experiment not in {*known, *SELECTIONS}:
        raise UsageError(unknown("experiment", experiment, [*known, *SELECTIONS, EVERYTHING]))
    given = {
        "pairs": pairs,
        "payload": payload,
        "agents": agents,
        "services": services,
        "containers": containers,
        "growth": growth,
        "count": count,
        "traffic": traffic,
        "spread": spread,
        "route": route,
        "tls": tls,
        "rate": rate,
        "arrivals": arrivals,
        "p99": p99,
        "rounds": rounds,
    }
    if experiment in known:
        if warm_up is not None and "rounds" not in known[experiment].varies:
            raise UsageError(f"{experiment} has no warm-up that could be left out: leave --{WARM_UP} out")
        for name, value in given.items():
            if value is not None and name not in known[experiment].varies:
                raise UsageError(
                    f"{experiment} has no --{name}; it has {_options(known[experiment].varies)}: leave it out"
                )
    chosen = _preset(experiment, preset)
    options = Options(
        experiment=experiment,
        pairs=numbers("--pairs", pairs, 1, MOST_PAIRS),
        payloads=numbers("--payload", payload, 0, MOST_BYTES),
        agents=numbers("--agents", agents, 1, MOST_AGENTS),
        services=numbers("--services", services, 0, MOST_SERVICES),
        containers=numbers("--containers", containers, 1, MOST_OTHERS),
        growth=_one("--growth", growth, 1, MOST_SECONDS),
        hosts=tuple(hosts),
        counts=numbers("--count", count, 1, MOST_HOSTS),
        traffics=_names("traffic", traffic, TRAFFICS),
        spreads=_spreads(spread),
        placements=_names("placement", placement, [SAME, APART, *HOSTED]),
        routes=_names("route", route, ROUTES),
        tls=_switches("--tls", tls),
        subjects=read_subjects(platform),
        rates=numbers("--rate", rate, 1, MOST_RATE),
        arrivals=_names("arrivals", arrivals, ARRIVALS),
        limit_us=_duration("--p99", p99),
        rounds=_rounds(rounds),
        warm_up=_warm_up(warm_up, rounds),
        profile=profile,
        preset=chosen,
        repeat=_one("--repeat", repeat, 1, MOST_REPETITIONS) or 0,
        seed=read_seed(seed),
    )
    return with_preset(options)


def read_seed(text: str | None) -> int:
    """Read a seed; draw one if None.

    Raises:
        UsageError: it is no number, or too large.
    """
    if text is None:
        return secrets.randbits(_SEED_BITS)
    return _one("--seed", text, 0, MOST_SEED) or 0


def with_preset(options: Options) -> Options:
    """Fill in what a preset says of the experiment, where nothing else was asked for.

    Args:
        options: what was asked for; a `repeat` of 0 is that of the preset, or else the usual one.
    """
    experiment = _KNOWN.get(options.experiment)
    if not options.preset or experiment is None:
        return replace(options, repeat=options.repeat or REPETITIONS)
    sizes = sizes_of(experiment, options.preset)
    return replace(
        options,
        pairs=options.pairs or sizes.loads,
        payloads=options.payloads or sizes.payloads,
        agents=options.agents or sizes.agents,
        services=options.services or sizes.services,
        containers=options.containers or sizes.containers,
        growth=options.growth or sizes.seconds,
        rounds=options.rounds or sizes.rounds,
        repeat=options.repeat or sizes.repeat or REPETITIONS,
    )


def _preset(experiment: str, preset: str | None) -> str:
    if preset is None:
        return ""
    if preset not in PRESETS:
        raise UsageError(unknown("preset", preset, PRESETS))
    if experiment in SELECTIONS:
        raise UsageError(
            f"{experiment} has sizes of its own: leave --preset out, or take an experiment of "
            "`formicary bench list`, or everything"
        )
    return preset


def numbers(option: str, text: str | None, low: int, high: int) -> tuple[int, ...] | None:
    """Read numbers with commas between them, each only once; None is none.

    Raises:
        UsageError: one of them is none, or too small or too large.
    """
    if text is None:
        return None
    return tuple(dict.fromkeys(_number(option, word.strip(), low, high) for word in text.split(",")))


def _one(option: str, text: str | None, low: int, high: int) -> int | None:
    return None if text is None else _number(option, text.strip(), low, high)


def _number(option: str, word: str, low: int, high: int) -> int:
    # isdecimal also takes other scripts' digits, as int does; a plus sign or an underscore is a slip.
    if not word.isdecimal() or not low <= int(word[:20]) <= high:
        raise UsageError(
            f"{option} takes whole numbers from {low} to {high}, not {word[:40]!r}; "
            f"write {option} {max(low, 1)}, say"
        )
    return int(word)


def _duration(option: str, text: str | None) -> int | None:
    """Read a time with its unit as microseconds: `800us`, `5ms`, `1s`."""
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})(us|ms|s)", text.strip())
    time = int(found[1]) * _UNITS[found[2]] if found else 0
    if not 0 < time <= MOST_SECONDS * _UNITS["s"]:
        raise UsageError(
            f"{option} takes a time with its unit, us, ms or s, not {text[:40]!r}; write {option} 5ms, say"
        )
    return time


def _rounds(text: str | None) -> tuple[int, int, int] | None:
    if text is None:
        return None
    words = text.split(",")
    if len(words) != 3:  # noqa: PLR2004 -- the three phases
        raise UsageError(
            f"--rounds takes three numbers, for warm-up, measurement and cool-down, not {text!r}; "
            "write --rounds 500,1000,500, say"
        )
    lows = (0, 1, 0)
    first, second, third = (
        _number("--rounds", word.strip(), low, MOST_TRIPS) for word, low in zip(words, lows, strict=True)
    )
    return first, second, third


def _warm_up(text: str | None, rounds: str | None) -> int | str | None:
    rule = None if text is None else read_rule(text)
    if isinstance(rule, int) and rounds is not None:
        raise UsageError(
            f"--rounds {rounds} says already how long the warm-up is: leave --{WARM_UP} {text} out, or write "
            f"--{WARM_UP} {DETECT}"
        )
    return rule


def _switches(option: str, text: str | None) -> tuple[bool, ...] | None:
    """Read `on`, `off`, or both."""
    if text is None:
        return None
    known = {word: value for value, word in _ON_OFF.items()}
    words = dict.fromkeys(word.strip() for word in text.split(","))
    for word in words:
        if word not in known:
            raise UsageError(f"{option} is on, off, or on,off, not {word[:40]!r}; write {option} on, say")
    return tuple(known[word] for word in words)


def read_subjects(text: str | None) -> tuple[str, ...] | None:
    """Read names of platforms; `formicary` means both kinds of our agents."""
    if text is None:
        return None
    every = subjects()
    known = {subject.name: subject for subject in every}
    families = {subject.platform for subject in every} - set(known)
    names = _names("platform", text, [*families, *known, *RECIPES]) or ()
    for name in names:
        if name in RECIPES and name not in known:
            raise UsageError(
                f"{name} is not installed; install it with: formicary bench platforms install {name}"
            )
    chosen = [s for s in every if s.name in names or (s.platform in names and not s.hidden)]
    for subject in chosen:
        if not subject.is_installed():
            raise UsageError(
                f"{subject.name} is not installed; install it with: "
                f"pip install 'formicary[{subject.extra or subject.package}]'"
            )
    return tuple(subject.name for subject in chosen)


def _names(what: str, text: str | None, known: Sequence[str]) -> tuple[str, ...] | None:
    if text is None:
        return None
    names = tuple(dict.fromkeys(word.strip() for word in text.split(",")))
    for name in names:
        if name not in known:
            raise UsageError(unknown(what, name, known))
    return names


def _spreads(text: str | None) -> tuple[str, ...] | None:
    spreads = {word: spread for spread, word in SAID.items()}
    names = _names("spread", text, list(spreads))
    return None if names is None else tuple(spreads[name] for name in names)


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that there is none of a name, and which was perhaps meant."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    # `pairs` is as good a guess at messaging/pairs as any that difflib makes.
    close = close or [one for one in known if name and name in one]
    hint = f"did you mean {close[0]}?" if close else f"take one of: {', '.join(sorted(known))}"
    if not close and what in _LISTS:  # too many to name
        hint = f"look at all with: {_LISTS[what]}"
    return f"there is no {what} {name!r}; {hint}"


def _options(names: Iterable[str]) -> str:
    return ", ".join(f"--{name}" for name in names)
