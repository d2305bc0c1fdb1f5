"""The parameters that many experiments share: pairs, message sizes, round trips."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from formicary_bench.vocabulary import kinds
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.parameters.parameter import Parameter, Parameters
from formicary_bench.vocabulary.places import MOST_CORES

if TYPE_CHECKING:
    from formicary_bench.vocabulary.parameters.parameter import HasParameters

Rounds = tuple[int, int, int]
"""Round trips, or uses of the directory, before, while and after it is measured."""

PAIRS = Parameter(
    name="pairs",
    kind=whole(1, 10_000),
    unit="pairs",
    help="Number of pairs, senders, receivers or bidders.",
    example=[1, 10, 100],
    few=10,
)
PAYLOAD = Parameter(
    name="payload",
    kind=whole(0, 10_000_000),
    unit="bytes",
    column="body",
    metavar="BYTES,...",
    help="Size of a message body.",
    comment="bytes of a message body",
    example=[100, 10_000],
    few=10_000,
)
ROUNDS = Parameter(
    name="rounds",
    kind=kinds.phases(),
    metavar="T1,T2,T3",
    help="Round trips of each pair, or directory operations: warm-up, measured, cool-down.",
    default="500,1000,500; directory: 50,100,0; quick: by load",
    example=[500, 1000, 500],
)


class Exchange(Parameters, frozen=True, kw_only=True):
    """What agents send each other, and how often; 0 for what does not apply.

    Attributes:
        pairs: the number of pairs that exchange messages at once.
        senders: the number of sending agents, if not one of each pair: as many as pairs if all send to the
            same agent, one if it sends to all others; else 0.
        echoes: the number of answering agents, if not one of each pair; else 0.
        payload_bytes: the size of a message's body.
        rounds: round trips of each pair, or uses of the directory, in the warm-up (T1), the measurement (T2)
            and the cool-down (T3).
    """

    pairs: int = 0
    senders: int = 0
    echoes: int = 0
    payload_bytes: int = 0
    rounds: Rounds = (0, 0, 0)

    @property
    def load(self) -> int:
        """The number of agents that send at once."""
        return self.senders or self.pairs

    @property
    def receivers(self) -> int:
        """The number of agents that answer."""
        return self.echoes or (self.pairs // self.senders if self.senders else self.pairs)

    @property
    def warm_up(self) -> int:
        """The round trips of the warm-up."""
        return self.rounds[0]

    @property
    def measured(self) -> int:
        """The measured round trips."""
        return self.rounds[1]

    @property
    def trips(self) -> int:
        """All round trips of a pair."""
        return sum(self.rounds)


class Talk(Exchange, frozen=True, kw_only=True):
    """An exchange whose sizes can all be requested."""

    pairs: Annotated[int, PAIRS] = 0
    payload_bytes: Annotated[int, PAYLOAD] = 0
    rounds: Annotated[Rounds, ROUNDS] = (0, 0, 0)


SENDERS, RECEIVERS = (replace(PAIRS, unit=unit) for unit in ("senders", "receivers"))
CLIENTS, AGENTS_AT_ONCE = (replace(PAIRS, unit=unit) for unit in ("clients", "agents"))
"""Variants of `pairs` for experiments whose load is not in pairs."""


class FromMany(Talk, frozen=True, kw_only=True):
    """An exchange of many senders with one receiver."""

    pairs: Annotated[int, SENDERS] = 0


class ToMany(Talk, frozen=True, kw_only=True):
    """An exchange of one sender with many receivers."""

    pairs: Annotated[int, RECEIVERS] = 0


def paced_rate(configuration: HasParameters) -> int:
    """Return the messages per second that are sent regardless of answers; 0 if senders wait for these."""
    rate = configuration.parameters.get("rate", 0) if configuration.parameters.get("rounds") else 0
    assert isinstance(rate, int)
    return rate


CORES = Parameter(
    name="cores",
    kind=whole(1, MOST_CORES),
    unit="cores",
    in_label=True,
    panel="Placement",
    help="Number of cores that the processes may use.",
    default="messaging/pairs: all; others: 1, 2, 4 and so on up to all",
    example=[1],
)
AGENTS = Parameter(
    name="agents",
    kind=whole(1, 1_000_000),
    unit="agents",
    help="Number of agents to create, to register and end, or to compute.",
    example=[1000],
    few=1000,
)


class Agents(Parameters, frozen=True, kw_only=True):
    """A number of agents that are created, come and go, or compute."""

    agents: Annotated[int, AGENTS] = 0


class OnCores(Parameters, frozen=True, kw_only=True):
    """The number of cores for the processes; 0 leaves it to the system."""

    cores: Annotated[int, CORES] = 0
