"""Who talks to whom where agents are on many hosts: the placement `n-hosts`; and who has the services. Pure.

A host's worker is a member, numbered from 0; its container is `c1`, `c2` and so on. Every member that has
senders measures, all at once. Who has none, says so here: the runner waits for no figures of theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.vocabulary.names import DIRECTORY, MANY_TO_ONE
from formicary_bench.vocabulary.placements import N_HOSTS
from formicary_bench.vocabulary.roles import BOTH, ECHO
from formicary_bench.vocabulary.traffic import AWAY, BESIDE, RING, SPLIT

if TYPE_CHECKING:
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.worker.messages import Job

CPU_GROUP = "agents"


class Receiver(NamedTuple):
    """An agent that answers: the number of its member, and its own number there."""

    member: int
    number: int


def receiver_of(configuration: Configuration, member: int, sender: int) -> Receiver:
    """Return whom a sender of a member talks to.

    With one host, where nobody else is, that is one of its own receivers. With more it is never on the
    sender's host, and, but with many to one, every receiver has exactly one sender.

    Args:
        configuration: how many hosts there are, and how they talk.
        member: the sender's member.
        sender: the sender's number there.
    """
    hosts = configuration.hosts
    if configuration.experiment == MANY_TO_ONE:
        return Receiver(0, 0)
    if hosts == 1:
        return Receiver(0, sender)
    # The distance depends on the sender's number alone: so those of one number meet at no receiver.
    distance = 1 if configuration.traffic == RING else 1 + sender % (hosts - 1)
    return Receiver((member + distance) % hosts, sender)


def senders_of(configuration: Configuration, member: int) -> int:
    """Return how many agents of a member measure.

    With many to one they are on all hosts but that of the receiver; what uses the directory is on the last.
    """
    last = configuration.hosts - 1
    if configuration.family == DIRECTORY:
        return configuration.exchange.load if member == last else 0
    if configuration.experiment == MANY_TO_ONE and member == 0 and last:
        return 0
    return configuration.exchange.load


def receivers_of(configuration: Configuration, member: int) -> int:
    """Return how many agents of a member answer."""
    if configuration.experiment == MANY_TO_ONE:
        return 0 if member else 1
    return configuration.exchange.load


def partners_of(configuration: Configuration, member: int) -> set[int]:
    """Return the members whom the senders of a member talk to."""
    senders = range(senders_of(configuration, member))
    return {receiver_of(configuration, member, sender).member for sender in senders}


def services_of(job: Job) -> range:
    """Return the numbers of the services that a worker's agents register, before anything is measured.

    Of the members, all but the last, which uses the directory, have about as many; of two workers, one has
    all or each has half, as the configuration's `spread` says.
    """
    configuration = job.configuration
    place = 0 if job.role == ECHO else 1
    if configuration.placement == N_HOSTS:
        place, shares = job.member, [1] * max(configuration.hosts - 1, 1) + [0]
    elif job.role == BOTH:
        place, shares = 0, [1]
    else:
        shares = {AWAY: [1, 0], BESIDE: [0, 1], SPLIT: [1, 1]}[configuration.spread]
    services = configuration.parameters.get("services", 0)
    assert isinstance(services, int)
    first, last = (services * sum(shares[:edge]) // sum(shares) for edge in (place, place + 1))
    return range(first, last)
