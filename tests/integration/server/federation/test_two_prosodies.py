"""Two hosts with a Prosody each: their containers talk, over verified TLS, and strangers do not get in."""

from __future__ import annotations

import os
import shutil
import signal

import pytest

from formicary.server.certificate import Pair
from formicary.server.federate import federate

pytestmark = pytest.mark.server


def assert_unreachable(container, performative, reason):
    assert performative == "failure"
    assert f"{container} cannot be reached" in reason


def test_messages_go_both_ways_through_both_servers_and_who_is_not_there_is_reported(
    two_hosts, folders, start_server, talker
):
    for host, folder in zip(two_hosts, folders, strict=True):
        start_server(host, folder)
    (first, second), (a, b) = two_hosts, folders
    c1, c2, c3 = talker(first, a.path, "c1"), talker(first, a.path, "c2"), talker(second, b.path, "c3")
    expected = [("inform", str(number)) for number in range(100)]
    assert c1.talk("echo@c3", 100) == expected
    assert c3.talk("echo@c1", 100) == expected
    assert c2.talk("echo@c3", 100) == expected
    assert c3.talk("echo@c2", 100) == expected
    for folder in folders:
        log = folder.log.read_text()
        assert "Stream encrypted (TLSv1.3" in log
        assert "Accepting SASL EXTERNAL identity" in log
    [(performative, reason)] = c1.talk("echo@c4")  # the server is there, the container is not
    assert_unreachable("c4", performative, reason)
    [(performative, reason)] = c1.talk("echo@c9")  # no server has such a container
    assert_unreachable("c9", performative, reason)
    assert "no server of the federation has this name" in reason


def test_containers_may_connect_to_their_server_with_tls(two_hosts, folders, start_server, talker):
    start_server(two_hosts[0], folders[0])
    assert talker(two_hosts[0], folders[0].path, "c1", "tls").talk("echo@c1") == [("inform", "0")]


def test_a_server_listens_for_others_at_its_address_alone(two_hosts, folders, start_server):
    facts = start_server(two_hosts[0], folders[0])
    table = two_hosts[0].popen(["ss", "-tlnH"], stdout=-1, text=True).communicate()[0]
    listening = {line.split()[3] for line in table.splitlines()}
    assert f"{two_hosts[0].address}:5269" in listening
    others = listening - {f"{two_hosts[0].address}:5269"}
    assert f"127.0.0.1:{facts['port']}" in others
    assert {address.rpartition(":")[0] for address in others} == {"127.0.0.1"}


def test_a_server_that_is_down_is_reported_to_the_sender(two_hosts, folders, start_server, talker):
    start_server(two_hosts[0], folders[0])
    [(performative, reason)] = talker(two_hosts[0], folders[0].path, "c1").talk("echo@c3")
    assert_unreachable("c3", performative, reason)


def test_a_server_that_was_killed_is_found_again_when_it_is_back(two_hosts, folders, start_server, talker):
    first, second = two_hosts
    start_server(first, folders[0])
    facts = start_server(second, folders[1])
    c1, c3 = talker(first, folders[0].path, "c1"), talker(second, folders[1].path, "c3")
    assert c1.talk("echo@c3") == c3.talk("echo@c1") == [("inform", "0")]
    os.kill(facts["pid"], signal.SIGKILL)
    start_server(second, folders[1])
    for talks, receiver in ((c1, "echo@c3"), (c3, "echo@c1")):
        while talks.talk(receiver) != [("inform", "0")]:  # until c3 is back
            pass


def other_authority(folders, members, tmp_path):
    """The second server's folder, with a certificate for the right names from an authority of its own."""
    return federate("lab.example", members, tmp_path / "impostor")[1].folder


def other_names(folders, members, tmp_path):
    """The second server's folder, with a certificate of the right authority for another server's names."""
    theirs, ours = (
        Pair.at(folder.certificates, f"{name}.lab.example")
        for folder, name in zip(folders, "ab", strict=True)
    )
    shutil.copy(theirs.certificate, ours.certificate)
    shutil.copy(theirs.key, ours.key)
    return folders[1]


@pytest.fixture(params=[other_authority, other_names])
def impostor(request, folders, members, tmp_path):
    """The folder of a server that claims to be the second, and cannot prove it."""
    return request.param(folders, members, tmp_path)


def test_a_server_with_a_wrong_certificate_is_refused(impostor, two_hosts, folders, start_server, talker):
    start_server(two_hosts[0], folders[0])
    start_server(two_hosts[1], impostor)
    c1, c3 = talker(two_hosts[0], folders[0].path, "c1"), talker(two_hosts[1], impostor.path, "c3")
    [(performative, reason)] = c1.talk("echo@c3")
    assert_unreachable("c3", performative, reason)
    [(performative, reason)] = c3.talk("echo@c1")
    assert_unreachable("c1", performative, reason)
    assert "connection complete" not in folders[0].log.read_text()
