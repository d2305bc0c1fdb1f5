"""Who talks to whom over many hosts: every sender to one receiver elsewhere, and evenly to all."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.places import ALL_TO_ALL, AWAY, BESIDE, N_HOSTS, RING, SPLIT, TRAFFICS
from formicary_bench.worker.messages import Job
from formicary_bench.worker.workload import (
    Receiver,
    Workload,
    partners_of,
    receiver_of,
    receivers_of,
    senders_of,
    services_of,
)

HOSTS = st.integers(2, 40)
PAIRS = st.integers(1, 200)


def many(hosts, pairs=0, traffic=ALL_TO_ALL, experiment="messaging/pairs", **sizes):
    return Configuration(
        experiment=experiment,
        platform="formicary",
        placement=N_HOSTS,
        parameters={"pairs": pairs, **sizes},
        hosts=hosts,
        traffic=traffic,
    )


def talks(configuration):
    """Return all pairs: the sender's member and number, and its receiver."""
    return {
        (member, sender): receiver_of(configuration, member, sender)
        for member in range(configuration.hosts)
        for sender in range(senders_of(configuration, member))
    }


@given(HOSTS, PAIRS, st.sampled_from(TRAFFICS))
def test_every_sender_has_a_receiver_of_its_own_on_another_host(hosts, pairs, traffic):
    configuration = many(hosts, pairs, traffic)
    found = talks(configuration)
    assert len(found) == hosts * pairs
    assert all(receiver.member != member for (member, _), receiver in found.items())
    there = {Receiver(m, n) for m in range(hosts) for n in range(receivers_of(configuration, m))}
    assert sorted(found.values()) == sorted(there)


@given(HOSTS, PAIRS)
def test_senders_of_a_host_are_spread_evenly_over_all_others(hosts, pairs):
    configuration = many(hosts, pairs)
    for member in range(hosts):
        to = Counter(receiver_of(configuration, member, sender).member for sender in range(pairs))
        counts = [to[other] for other in range(hosts) if other != member]
        assert max(counts) - min(counts) <= 1
        assert partners_of(configuration, member) == {other for other, count in to.items() if count}


def test_in_a_ring_each_host_talks_to_the_next():
    assert [partners_of(many(3, 7, RING), member) for member in range(3)] == [{1}, {2}, {0}]
    assert [partners_of(many(2, 7, traffic), 0) for traffic in TRAFFICS] == [{1}, {1}]


@given(HOSTS, PAIRS)
def test_many_to_one_have_one_receiver_and_no_sender_beside_it(hosts, senders):
    configuration = many(hosts, senders, "", "messaging/many-to-one", senders=senders)
    assert set(talks(configuration).values()) == {Receiver(0, 0)}
    assert [receivers_of(configuration, member) for member in range(hosts)] == [1] + [0] * (hosts - 1)
    assert [senders_of(configuration, member) for member in range(hosts)] == [0] + [senders] * (hosts - 1)


def test_on_one_host_agents_talk_to_their_own():
    assert talks(many(1, 3)) == {(0, sender): Receiver(0, sender) for sender in range(3)}


@given(HOSTS, st.integers(0, 5000))
def test_services_are_split_over_all_hosts_but_that_of_the_user(hosts, services):
    configuration = many(hosts, 1, "", "directory/search", services=services)
    each = [services_of(Job(configuration, "member", 1, member=member)) for member in range(hosts)]
    assert [number for numbers in each for number in numbers] == list(range(services))
    assert not each[-1]
    assert max(map(len, each[:-1])) - min(map(len, each[:-1])) <= 1
    assert [senders_of(configuration, member) for member in range(hosts)] == [0] * (hosts - 1) + [1]


@pytest.mark.parametrize(("spread", "there", "here"), [(AWAY, 7, 0), (BESIDE, 0, 7), (SPLIT, 3, 4)])
def test_of_two_containers_one_has_the_services_or_both_have(spread, there, here):
    configuration = Configuration(
        experiment="directory/search",
        platform="formicary",
        placement="two-hosts",
        parameters={"services": 7},
        spread=spread,
    )
    echo, ask = (services_of(Job(configuration, role, 1)) for role in ("echo", "ask"))
    assert (len(echo), len(ask)) == (there, here)
    assert [*echo, *ask] == list(range(7))


def test_one_container_has_all_services():
    configuration = Configuration(
        experiment="directory/search", platform="formicary", parameters={"services": 7}
    )
    assert services_of(Job(configuration, "both", 1)) == range(7)


@pytest.mark.parametrize(("member", "asking", "answering"), [(0, 0, 1), (1, 4, 0), (2, 4, 0)])
def test_a_worker_has_the_agents_of_its_member(member, asking, answering):
    configuration = many(3, 4, "", "messaging/many-to-one", senders=4)
    work = Workload(Job(configuration, "member", 1, member=member, members=3))
    assert (len(work.senders), len(work.receivers)) == (asking, answering)
