"""How the two containers of a measurement meet, and what makes a measurement of theirs worthless."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from formicary.delivery.dead_letters import DeadLetters
from formicary.delivery.link_status import LinkStatus
from formicary.errors import FormicaryError
from formicary.transport.addresses import JoinAddress
from formicary_bench.subjects.ours import containers
from formicary_bench.subjects.ours.containers import (
    complaint,
    connection_options,
    full_partner,
    meet,
    meet_all,
    partner,
)
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.places import ASKING, ECHOING, MOST_HOSTS, N_HOSTS, names_on
from formicary_bench.worker.messages import Job
from formicary_bench.worker.workload import Workload


def work(route, *, tls=False, listen="", pairs=0, **about):
    known = {"experiment": "messaging/pairs", "platform": "formicary", "placement": "two-containers"}
    configuration = Configuration(**{**known, **about}, route=route, tls=tls, parameters={"pairs": pairs})
    role = "member" if configuration.placement == N_HOSTS else "ask"
    return Workload(Job(configuration, role, 1, listen=listen, member=1, members=configuration.hosts))


def home(*ways):
    links = [LinkStatus("c2.lab.localhost", way, True, 1, 2, 0, 0, 0, 0, 0, 0, 0, None) for way in ways]
    return SimpleNamespace(dead_letters=DeadLetters(), links=links)


@pytest.mark.parametrize("route", ["direct", "xmpp"])
def test_messages_that_went_another_way_are_no_measurement(route):
    assert complaint(home(route), work(route)) == complaint(home("none"), work(route)) == ""
    assert complaint(home("relay"), work(route)) == (
        f"the messages to c2.lab.localhost went by relay, not by {route}"
    )


@pytest.mark.parametrize("route", ["direct", "xmpp"])
def test_what_a_container_looks_for_again_by_another_way_was_not_sent_that_way(route):
    ended = home("relay")
    ended.links = [link._replace(is_up=False) for link in ended.links]
    assert complaint(ended, work(route)) == ""


def test_the_route_auto_leaves_the_way_to_the_platform():
    assert complaint(home("direct", "xmpp"), work("auto")) == ""


def test_only_the_one_that_echoes_listens_and_only_without_a_server():
    assert connection_options(work("direct"), ECHOING)["listen"] == "127.0.0.1"
    assert [
        connection_options(work("direct"), ASKING)["listen"],
        connection_options(work("xmpp"), ECHOING)["listen"],
    ] == [None, None]
    assert [connection_options(work("direct", tls=tls), ASKING)["network"].tls for tls in (True, False)] == [
        "always",
        False,
    ]


def test_over_hosts_all_listen_where_the_others_reach_them_but_for_a_server():
    here = "198.18.0.7"
    for route in ("direct", "auto"):
        listens = [connection_options(work(route, listen=here), name)["listen"] for name in (ASKING, ECHOING)]
        assert listens == [here, here]
    assert connection_options(work("xmpp", listen=here), ECHOING)["listen"] is None
    many = work("direct", placement=N_HOSTS, hosts=3)
    assert connection_options(many, "c1")["listen"] == "127.0.0.1"


def test_the_partner_is_in_the_container_of_its_role():
    there = SimpleNamespace(platform="lab", domain="c1.lab")
    assert partner(there, work("direct", pairs=4), 3) == "echo-3@c2.lab"
    ring = work("direct", placement=N_HOSTS, hosts=3, traffic="ring", pairs=4)
    assert partner(there, ring, 3) == "echo-3@c3.lab"
    alone = Workload(
        Job(
            Configuration(experiment="messaging/pairs", platform="formicary", parameters={"pairs": 4}),
            "both",
            1,
        )
    )
    assert full_partner(there, alone, 3) == "echo-3@c1.lab"
    assert partner(there, alone, 3) == "echo-3"  # as people write it


def test_every_container_of_every_host_has_a_name_of_its_own():
    names = [name for host in range(MOST_HOSTS) for name in names_on(host)]
    assert len(set(names)) == len(names)
    assert names[0] == ASKING
    assert names_on(1)[0] == ECHOING


def test_over_hosts_no_unix_socket_is_used_though_they_may_be_one_machine(monkeypatch):
    address = JoinAddress(
        host="h", unix="/tmp/formicary-x/direct", tcp=(("198.18.0.8", 5),), tls="always",
        domain="c2.lab.localhost", fingerprint=bytes(32), key=bytes(32),
    )  # fmt: skip
    monkeypatch.setattr(containers, "Container", lambda _, **about: JoinAddress.parse(about["join"]))

    def joined(listen):
        known = work("direct", tls=True, listen=listen)
        return containers.container(Workload(replace(known.job, peer=str(address))), ASKING)

    assert joined("") == address
    assert joined("198.18.0.7") == replace(address, unix=None)


async def test_a_member_waits_for_connections_to_those_whom_its_agents_talk_to(monkeypatch):
    monkeypatch.setattr("formicary_bench.subjects.ours.containers._LOOKS", 3)
    monkeypatch.setattr("formicary_bench.subjects.ours.containers._LOOK_SECONDS", 0.0)
    ring = work("direct", placement=N_HOSTS, hosts=3, traffic="ring", pairs=4)
    there = home("none")
    there.name, there.platform, there.members = "c2", "lab.localhost", {"c1": 1, "c2": 1}
    with pytest.raises(FormicaryError, match="c2 met 2 of 3 containers"):
        await meet(there, ring)
    there.members["c3"] = 1
    with pytest.raises(FormicaryError, match=r"c2 has no direct connection to c3\.lab\.localhost"):
        await meet(there, ring)
    there.links = [link._replace(peer="c3.lab.localhost") for link in home("direct").links]
    await meet(there, ring)
    await meet(there, work("xmpp", placement=N_HOSTS, hosts=3, traffic="ring", pairs=4))


async def test_containers_wait_for_connections_to_all_that_they_have_looked_for(monkeypatch):
    monkeypatch.setattr("formicary_bench.subjects.ours.containers._LOOKS", 3)
    monkeypatch.setattr("formicary_bench.subjects.ours.containers._LOOK_SECONDS", 0.0)
    ready, late = home("direct"), home("none", "relay")
    for there, name in ((ready, "c1"), (late, "c3")):
        there.name, there.members = name, {"c1": 1, "c2": 1, "c3": 1}
    with pytest.raises(FormicaryError, match="c1 met 3 of 4 containers"):
        await meet_all([ready, late], work("direct"), 4)
    with pytest.raises(FormicaryError, match=r"c3 has no direct connection to c2\.lab\.localhost"):
        await meet_all([ready, late], work("direct"), 3)
    await meet_all([ready, late], work("xmpp"), 3)
    late.links = ready.links
    await meet_all([ready, late], work("direct"), 3)
