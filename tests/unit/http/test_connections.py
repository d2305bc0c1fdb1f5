"""Which connections are kept, and which are closed."""

import pytest

from formicary.http import connections as module
from formicary.http.connections import Connection, Connections, source


class Transport:
    def __init__(self):
        self.is_aborted = False

    def abort(self):
        self.is_aborted = True


def connect(connections, place, since, *, is_answered=False):
    connection = Connection(connections, None, place)
    connection.transport = Transport()
    connection.since, connection.is_answered = since, is_answered
    connections.add(connection.transport, connection)
    return connection


def aborted(given):
    return [each.since for each in given if each.transport.is_aborted]


def test_no_connection_is_closed_while_there_is_room():
    connections = Connections(2)
    one = connect(connections, "a", 1)
    assert connections.make_room("a")
    assert aborted([one]) == []


def test_the_longest_idle_connection_is_closed():
    connections = Connections(3)
    given = [connect(connections, "a", since) for since in (2, 1, 3)]
    assert connections.make_room("a")
    assert aborted(given) == [1]
    assert len(connections) == 2  # its place is free before it has ended


def test_a_crowd_pushes_out_its_own():
    connections = Connections(4)
    given = [connect(connections, place, since) for since, place in enumerate("abbb")]
    for left in (1, 2):
        assert connections.make_room("b")
        assert aborted(given)[-1] == left
        connect(connections, "b", 10 + left)
    assert connections.make_room("c")
    assert aborted(given) == [1, 2, 3]


def test_a_connection_awaiting_our_answer_stays_and_its_source_gets_no_more():
    connections = Connections(3)
    given = [connect(connections, "a", since, is_answered=True) for since in (1, 2)]
    late = connect(connections, "a", 3)
    assert connections.make_room("a")
    assert aborted([*given, late]) == [3]
    given.append(connect(connections, "a", 4, is_answered=True))
    assert not connections.make_room("a")
    assert aborted(given) == []
    assert connections.make_room("b")  # a source without connections still gets one
    assert aborted(given) == [1]


async def test_without_file_descriptors_only_an_idle_connection_is_closed():
    connections = Connections(3)
    given = [connect(connections, "a", since, is_answered=since == 1) for since in (1, 2, 3)]
    for _ in range(3):
        await connections.let_go()
    assert aborted(given) == [2, 3]
    assert len(connections) == 1


def test_there_are_fewer_places_where_few_files_may_be_open(monkeypatch):
    assert Connections(100).most == 100
    monkeypatch.setattr(module, "descriptor_limit", lambda: 256)
    assert Connections(100).most == 32
    monkeypatch.setattr(module, "descriptor_limit", lambda: 4)
    assert Connections(100).most == 1


@pytest.mark.parametrize("one", ["127.0.0.1", "127.9.9.9", "::1"])
def test_all_addresses_of_this_host_are_one_source(one):
    assert source((one, 1)) == source(("127.0.0.1", 2)) != source(("192.0.2.1", 1))


def test_a_host_of_ipv6_is_a_network():
    assert source(("2001:db8::1", 1, 0, 0)) == source(("2001:db8::2", 1, 0, 0))
    assert source(("fe80::1%eth0", 1, 0, 2)) != source(("2001:db8::1", 1, 0, 0))
