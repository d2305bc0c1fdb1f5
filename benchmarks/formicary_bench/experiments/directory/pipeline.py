"""Experiments with the directory in the pipeline: what is measured, the duration, and rows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.directory import SEEN, SEEN_COUNTER, Uses
from formicary_bench.experiments.directory.hosts import changes
from formicary_bench.experiments.experiment import PAPER_ROUNDS
from formicary_bench.experiments.messaging import A_MESSAGE, declared
from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.runner.forecast.default_durations import DefaultDuration, of_agents
from formicary_bench.runner.planning.profiles import lasting, with_agents
from formicary_bench.subjects.registry import has_driver
from formicary_bench.vocabulary.names import REGISTER
from formicary_bench.vocabulary.places import AWAY, N_HOSTS, SAME
from formicary_bench.vocabulary.values import CENTRAL, LOOKUP, REPLICA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.experiments.experiment import Experiment, Part
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric


# Uses that take some seconds, in the user's process and elsewhere.
_SAMPLED = {REPLICA: 120_000, CENTRAL: 40_000, LOOKUP: 40_000}
_FAR = {"direct": 16_000, "auto": 16_000, "xmpp": 6_000}
_DRIVEN = 4_000  # of other platforms, whose clocks need no samples
_SEARCHES = 3  # that take as long as a registration; elsewhere the way dominates
_REGISTERED = 30_000  # services per second
_USES = {"in-process": 30_000, "direct": 4_000, "auto": 4_000, "xmpp": 1_500}  # per second
_PACED = 700  # uses per second, a millisecond after each other
_SEARCHED = {REPLICA: 200_000, CENTRAL: 10_000}  # by many clients, per second
_IN_ALL = {REPLICA: 100_000, CENTRAL: 5_000}  # measured searches of all clients
_FEWEST = 100  # measured searches of a client
_CHURNED = 8_000  # agents per second

profiling_churn = partial(with_agents, enough=40_000)
duration_of_churn = partial(of_agents, created=_CHURNED)


def a_message_and_its_answer(experiment: Experiment, _: Options) -> Iterator[Part]:
    """Yield the round trips that are measured beside an experiment, at the same placements."""
    places = tuple(one for one in experiment.placements if one != N_HOSTS)
    yield replace(A_MESSAGE, placements=places).of(declared.PAIRS)


def of_one_agent(draft: Draft) -> Iterator[Draft]:
    """Yield a draft with the uses of one agent; without services there is no choice of where they are."""
    rounds = draft.asked_rounds or draft.experiment.sizes.get("rounds") or PAPER_ROUNDS
    known = draft.sized(pairs=1, rounds=rounds)
    yield known if draft.sizes["services"] else replace(known, layout=draft.layout._replace(spread=AWAY))


def profiling(one: Configuration, options: Options, times: float = 1) -> Configuration:
    """Return a configuration with uses for some seconds, `times` as many in the user's process."""
    if has_driver(one):
        return lasting(one, options, _DRIVEN)
    if one.placement != SAME and not _is_local(one):
        return lasting(one, options, _FAR.get(one.route, _FAR["xmpp"]))
    return lasting(one, options, _SAMPLED.get(one.kind, _SAMPLED[CENTRAL]) * times)


profiling_search = partial(profiling, times=_SEARCHES)


def _is_local(one: Configuration) -> bool:
    """Return whether a use stays in its user's process, as with a replica."""
    return one.route == "in-process" or (one.kind == REPLICA and one.experiment != REGISTER)


def duration(one: Configuration, begin: float, times: int = 1) -> DefaultDuration:
    """Estimate the duration of a repetition; uses in the user's process are faster."""
    uses = Uses.of(one)
    per_second = _USES["in-process"] * times if _is_local(one) else _USES.get(one.route, _USES["xmpp"])
    return DefaultDuration(begin, uses.services / _REGISTERED + uses.trips / per_second)


duration_of_search = partial(duration, times=_SEARCHES)


def of_clients(draft: Draft) -> Iterator[Draft]:
    """Yield a draft with the searches of all clients, which take some tenths of a second."""
    measured = max(_IN_ALL.get(draft.subject.kind, _IN_ALL[CENTRAL]) // draft.sizes["pairs"], _FEWEST)
    yield draft.sized(rounds=draft.asked_rounds or (measured // 4, measured, measured // 2))


def duration_of_clients(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of a repetition with many clients."""
    uses = Uses.of(one)
    at_once = _SEARCHED.get(one.kind, _SEARCHED[CENTRAL])
    return DefaultDuration(begin, uses.services / _REGISTERED + uses.trips * uses.load / at_once)


def duration_of_visits(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of a repetition while containers come and go."""
    return DefaultDuration(begin, one.exchange.trips / _PACED)


def _seen(_: Any, repetition: Repetition, __: Any) -> dict[Metric, float | None]:
    return {SEEN: repetition.counters.get(SEEN_COUNTER)}


SUMMARY = exchanges(has_rate=False)
REGISTRATIONS = exchanges(_seen, has_rate=False)
VISITS = exchanges(changes, has_rate=False)
