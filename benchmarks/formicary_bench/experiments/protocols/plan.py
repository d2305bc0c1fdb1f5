"""The number of conversations by the number of partners, and how long they take."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from formicary_bench.runner.forecast.default_durations import DefaultDuration, of_agents
from formicary_bench.runner.planning.hosts import is_short
from formicary_bench.runner.planning.profiles import longer_exchange, with_agents
from formicary_bench.vocabulary.names import BARE_MESSAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.parameters.shared import Rounds

_PARTNERS, _QUICK, _FEWEST = 40_000, 2_000, 20  # measured, of all conversations together; conversations
_UNEVEN = 3
_LONG = 10  # the time of a conversation, in round trips
# Per second with one partner each: conversations, and the same as bare messages.
_HERE, _APART = (20_000, 120_000), (8_000, 30_000)

profiling = partial(longer_exchange, times=_LONG)
profiling_memory = partial(with_agents, enough=40_000)
duration_of_memory = partial(of_agents, created=15_000)


def with_conversations(draft: Draft) -> Iterator[Draft]:
    senders = draft.experiment.senders(draft.sizes["pairs"])
    known = draft.sized(senders=senders) if senders else draft
    yield known.sized(rounds=draft.asked_rounds or _rounds(known))


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of a repetition."""
    talking, bare = _HERE if one.route == "in-process" else _APART
    exchange = one.exchange
    rate = bare if one.platform == BARE_MESSAGES else talking
    return DefaultDuration(begin, exchange.trips * exchange.pairs / rate)


def _rounds(draft: Draft) -> Rounds:
    """Return the numbers of conversations; a single initiator needs no cool-down.

    Threads of other platforms run unevenly, and need more.
    """
    pairs = draft.sizes["pairs"]
    measured = max((_QUICK if is_short(draft.part, draft.options) else _PARTNERS) // pairs, _FEWEST)
    is_alone = draft.sizes.get("senders") == 1 or pairs == 1
    after = _UNEVEN * measured if draft.subject.exchanges else measured
    return measured // 2, measured, 0 if is_alone else after
