"""What the keys of a plan may be: each has a function that returns its value, or says what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from formicary.errors import UsageError
from formicary_bench.files.toml_files import guess, shown
from formicary_bench.results.summary.warm_up import read_rule
from formicary_bench.runner.planning import options
from formicary_bench.runner.planning.readers import duration, read_subjects
from formicary_bench.vocabulary.arrivals import ARRIVALS
from formicary_bench.vocabulary.containers import MOST_HOSTS
from formicary_bench.vocabulary.placements import APART, HOSTED, SAME
from formicary_bench.vocabulary.presets import PRESETS
from formicary_bench.vocabulary.routes import ROUTES
from formicary_bench.vocabulary.traffic import SAID, TRAFFICS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

_PHASES = 3
_LOWEST_ROUNDS = (0, 1, 0)


class WrongError(ValueError):
    """A value is not what its key takes; says what is wrong, and what to write instead."""


@dataclass(frozen=True)
class Kind:
    """What a key takes.

    Attributes:
        field: the field of `Options` that it fills.
        check: returns the value as that has it.
        what: what it says, for the comment in a new plan.
        example: what one may write.
        always: whether all experiments have it; otherwise those that vary it.
    """

    field: str
    check: Callable[[Any], Any]
    what: str
    example: str
    always: bool = False

    def is_of(self, key: str, varies: Collection[str]) -> bool:
        """Say whether an experiment has it, under this key."""
        return self.always or key in varies


def whole(low: int, high: int) -> Callable[[Any], int]:
    """Return a check for one whole number from `low` to `high`."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise WrongError(f"{shown(value)} is none of the whole numbers from {low} to {high}; write one")
        return value

    return check


def _each(one: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a check for one value or a list of them; of equal ones the first is taken."""

    def check(value: Any) -> tuple[Any, ...]:
        items = value if isinstance(value, list) else [value]
        if not items:
            raise WrongError("the list is empty; write a value into it, or leave the key out")
        return tuple(dict.fromkeys(one(item) for item in items))

    return check


def word(what: str, known: Sequence[str]) -> Callable[[Any], str]:
    """Return a check for one of some words."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in known:
            near = guess(value, known) if isinstance(value, str) else ""
            raise WrongError(f"{shown(value)} is no {what}{near or '; there are ' + ', '.join(known)}")
        return value

    return check


def switch(value: Any) -> bool:
    """Return what is true or false."""
    if not isinstance(value, bool):
        raise WrongError(f"{shown(value)} is neither true nor false; write one of them, without quotes")
    return value


def _rounds(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != _PHASES:
        raise WrongError(
            f"{shown(value)} is no list of three numbers, for warm-up, measurement and cool-down; write "
            "[500, 1000, 500], say"
        )
    return tuple(whole(low, options.MOST_TRIPS)(one) for low, one in zip(_LOWEST_ROUNDS, value, strict=True))


def subjects(value: Any) -> tuple[str, ...]:
    """Return names of subjects; that of a platform stands for all of its kinds."""
    items = value if isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, str):
            raise WrongError(f'{shown(item)} is no text; write it in quotes, such as "formicary"')
    if not items:
        raise WrongError("the list is empty; write a platform into it, or leave the key out")
    try:
        return read_subjects(",".join(items)) or ()
    except UsageError as error:
        raise WrongError(str(error)) from None


def _read(reader: Callable[[str], Any], example: str) -> Callable[[Any], Any]:
    """Return a check for a text that is written as on the command line."""

    def check(value: Any) -> Any:
        if not isinstance(value, str):
            raise WrongError(f"{shown(value)} is no text; write {example}, with its quotes")
        try:
            return reader(value)
        except UsageError as error:
            raise WrongError(str(error)) from None

    return check


def _warm_up(value: Any) -> int | str:
    if isinstance(value, int):
        return whole(0, options.MOST_TRIPS)(value)
    found: int | str = _read(read_rule, '"detect"')(value)
    return found


def _spreads(value: Any) -> tuple[str, ...]:
    known = {said: spread for spread, said in SAID.items()}
    return tuple(known[one] for one in _each(word("spread", list(known)))(value))


def _numbers(low: int, high: int) -> Callable[[Any], tuple[Any, ...]]:
    return _each(whole(low, high))


SHARED = {
    "preset": Kind("preset", word("preset", PRESETS), "sizes that are not named: quick or paper", '"quick"'),
    "platform": Kind("subjects", subjects, "what is measured", '["formicary", "tcp"]'),
    "repeat": Kind(
        "repeat", whole(1, options.MOST_REPETITIONS), "how often, each time in fresh processes", "3"
    ),
}
"""Keys of the whole plan, which are those of each of its tables where that has no others."""

HOSTING = {
    "hosts": Kind("hosts", _read(str, '"hosts.toml"'), "file with hosts to measure over", '"hosts.toml"'),
    "on": Kind("on", _each(_read(str, '"a"')), "which of them take part, by names", '["a", "b"]'),
    "servers": Kind("servers", word("number of servers", ["each", "one"]), "XMPP servers", '"each"'),
}
"""Keys of the whole plan that say over which hosts; `--hosts`, `--on` and `--servers` say so instead."""

WHOLE = {
    "seed": Kind("seed", whole(0, options.MOST_SEED), "of order and agents; drawn if left out", "1"),
    "warm-up": Kind(
        "warm_up",
        _warm_up,
        "what is left out: detect, paper, or a number",
        '"detect"',
    ),
}
"""Keys of the whole plan alone."""

KINDS = {
    **{name: Kind(one.field, one.check, one.what, one.example, always=True) for name, one in SHARED.items()},
    "pairs": Kind("pairs", _numbers(1, options.MOST_PAIRS), "how many pairs, or senders", "[1, 10, 100]"),
    "payload": Kind("payloads", _numbers(0, options.MOST_BYTES), "bytes of a body", "[100, 10000]"),
    "agents": Kind(
        "agents", _numbers(1, options.MOST_AGENTS), "how many agents are made, or come and go", "[1000]"
    ),
    "services": Kind(
        "services",
        _numbers(0, options.MOST_SERVICES),
        "how many services are registered before",
        "[0, 1000]",
    ),
    "containers": Kind(
        "containers",
        _numbers(1, options.MOST_OTHERS),
        "how many other containers are to learn of something",
        "[3]",
    ),
    "growth": Kind("growth", whole(1, options.MOST_SECONDS), "for how many seconds pairs talk", "20"),
    "count": Kind("counts", _numbers(1, MOST_HOSTS), "how many hosts", "[1, 2]"),
    "traffic": Kind(
        "traffics", _each(word("traffic", TRAFFICS)), "who talks to whom over many hosts", '["all-to-all"]'
    ),
    "spread": Kind("spreads", _spreads, "where services are, of two containers", '["apart", "split"]'),
    "placement": Kind(
        "placements",
        _each(word("placement", [SAME, APART, *HOSTED])),
        "where the agents are; two-hosts and n-hosts with --hosts",
        '["same-container", "two-containers"]',
        always=True,
    ),
    "route": Kind(
        "routes", _each(word("route", ROUTES)), "what carries messages between containers", '["direct"]'
    ),
    "tls": Kind("tls", _each(switch), "whether that is encrypted", "[false, true]"),
    "rate": Kind(
        "rates", _numbers(1, options.MOST_RATE), "messages per second of all senders together", "[1000, 5000]"
    ),
    "arrivals": Kind(
        "arrivals", _each(word("kind of arrivals", ARRIVALS)), "how they follow each other", '["constant"]'
    ),
    "p99": Kind(
        "limit_us",
        _read(lambda text: duration("p99", text), '"5ms"'),
        "within what time 99% are to be answered",
        '"5ms"',
    ),
    "rounds": Kind(
        "rounds", _rounds, "round trips, or uses: warm-up, measured, cool-down", "[500, 1000, 500]"
    ),
    "profile": Kind("profile", switch, "whether to see where the CPU time goes as well", "true", always=True),
}
"""All keys of a table."""
