"""Which hosts take part in a run, who is where, and how workers reach their servers."""

from types import SimpleNamespace

import pytest

from formicary.errors import UsageError
from formicary_bench.remote import HostError
from formicary_bench.remote.host_agent.protocol import About, StartServer, StopServer
from formicary_bench.remote.host_agent.servers import serve
from formicary_bench.remote.inventory import CONTAINERS, SERVER, Host, Inventory
from formicary_bench.runner.execution.host_servers import HostServers, server_host
from formicary_bench.runner.execution.run_hosts import (
    HostSelection,
    RunHosts,
    participants_of,
    read_host_selection,
)
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.places import DIRECT, N_HOSTS, TWO_HOSTS, XMPP

BOTH = (CONTAINERS, SERVER)


def host(name, *roles, number=1):
    return Host(name=name, address=f"192.0.2.{number}", roles=roles or BOTH)


A, B, C = (host(name, number=number) for number, name in enumerate("abc", 1))


def over(placement=TWO_HOSTS, hosts=2, route=DIRECT, **about):
    known = {"experiment": "messaging/pairs", "platform": "formicary", "kind": "micro"}
    return Configuration(**known, placement=placement, hosts=hosts, route=route, **about)


def those(tmp_path, *hosts, **about):
    inventory = Inventory(str(tmp_path / "hosts.toml"), hosts)
    return HostSelection(SimpleNamespace(inventory=inventory), **about)


class Session:
    """Hosts that are there, whose servers start; `refusals` are the sentences of those that do not."""

    def __init__(self, *hosts, refusals=()):
        self.address = {host.name: host.address for host in hosts}.__getitem__
        self.worker_hosts = {host.name: SimpleNamespace(name=host.name) for host in hosts}
        self.asked = []
        self.revived = []
        self.missing = {"b"}
        self.refusals = list(refusals)

    def revive(self, name):
        self.revived.append(name)

    def ask_all(self, questions):
        self.asked.append(questions)
        if self.refusals and any(isinstance(one, StartServer) for one in questions.values()):
            raise HostError(self.refusals.pop(0))
        about = {"port": 1, "tls_port": 2, "client_port": 3, "stanza_limit": 4, "pid": 5, "version": "1"}
        return {
            name: About(f"/{name}", **about)
            for name, one in questions.items()
            if not isinstance(one, StopServer)
        }


def slots(run_hosts, configuration):
    return [(slot.role, slot.host.name, slot.listen) for slot in run_hosts.slots(configuration)]


def test_the_first_host_asks_and_the_second_answers(tmp_path):
    selection = those(tmp_path, host("s", SERVER), A, B, C)
    participants = participants_of(selection, [over()])
    assert participants.hosts == (A, B)
    session = Session(A, B)
    run_hosts = RunHosts(participants, session)
    assert slots(run_hosts, over()) == [("echo", "b", "192.0.2.2"), ("ask", "a", "192.0.2.1")]
    assert session.revived == ["a", "b"]
    assert run_hosts.missing() == {"b"}


def test_members_are_on_as_many_hosts_as_it_says(tmp_path):
    participants = participants_of(those(tmp_path, A, B, C), [over(N_HOSTS, 2), over(N_HOSTS, 3)])
    assert participants.containers == (A, B, C)
    run_hosts = RunHosts(participants, Session(A, B, C))
    assert [name for _, name, _ in slots(run_hosts, over(N_HOSTS, 3))] == ["a", "b", "c"]
    assert slots(run_hosts, over(N_HOSTS, 2)) == [("member", "a", "192.0.2.1"), ("member", "b", "192.0.2.2")]


def test_each_host_has_its_own_server_and_its_workers_reach_it_on_loopback(tmp_path):
    run_hosts = RunHosts(participants_of(those(tmp_path, A, B), [over(route=XMPP)]), session := Session(A, B))
    run_hosts.start_servers()
    (orders,) = session.asked
    files = {name: order.files for name, order in orders.items()}
    assert files["a"].keys() & files["b"].keys() >= {"ca.crt", "federation.json", "server.json"}
    assert not {"ca.key", "containers/lab.localhost/c2.cfg.lua"} & files["a"].keys()
    assert files["a"]["server.json"] != files["b"]["server.json"]
    assert "containers/lab.localhost/c1.cfg.lua" in files["a"]
    plain, _ = (slot.server for slot in run_hosts.slots(over(route=XMPP)))
    assert (plain.host, plain.port, plain.pid, plain.certificate) == ("127.0.0.1", 1, 5, "")
    encrypted, _ = (slot.server for slot in run_hosts.slots(over(route=XMPP, tls=True)))
    assert (encrypted.port, encrypted.certificate) == (2, "/b/certificates/lab.localhost.crt")
    assert [slot.server for slot in run_hosts.slots(over())] == [None, None]


def test_one_server_is_reached_from_other_hosts_with_tls_whatever_is_measured(tmp_path):
    selection = those(tmp_path, A, host("b", CONTAINERS, number=2), servers="one")
    run_hosts = RunHosts(participants_of(selection, [over(route=XMPP)]), session := Session(A, B))
    run_hosts.start_servers()
    (orders,) = session.asked
    assert orders["a"].options == {"listen": "192.0.2.1"}
    assert orders["b"].options == {"run": False}
    assert orders["b"].files.keys() == {"server.crt"}
    far, near = (slot.server for slot in run_hosts.slots(over(route=XMPP)))
    assert (far.host, far.port, far.pid, far.certificate) == ("192.0.2.1", 2, 0, "/b/server.crt")
    assert (near.host, near.port, near.pid, near.certificate) == ("127.0.0.1", 1, 5, "")
    assert far.secret == near.secret


def test_other_ports_are_tried_where_one_is_taken():
    taken = "host a: Prosody could not open its ports: error"
    session = Session(A, B, refusals=[taken, taken])
    HostServers(session, (A, B), None, {"a": "192.0.2.1", "b": "192.0.2.2"}).start()
    started = [
        one["a"].files["federation.json"] for one in session.asked if isinstance(one["a"], StartServer)
    ]
    assert len(set(started)) == 3
    assert sum(isinstance(one["a"], StopServer) for one in session.asked) == 2


@pytest.mark.parametrize("refusals", [["host a: it has no Prosody"], ["could not open its ports"] * 3])
def test_what_cannot_be_started_is_said(refusals):
    session = Session(A, B, refusals=refusals)
    with pytest.raises(HostError, match=refusals[0]):
        HostServers(session, (A, B), None, {"a": "192.0.2.1", "b": "192.0.2.2"}).start()


def test_a_host_that_is_for_no_server_says_what_to_do():
    plain = host("b", CONTAINERS)
    with pytest.raises(UsageError, match=r"host b has containers and not the role server.*--servers one"):
        server_host((A, plain), (A, plain), "each")
    assert server_host((A, plain), (A, plain), "one") == A
    with pytest.raises(UsageError, match="no host has the role server"):
        server_host((plain,), (plain,), "one")


INVENTORY = """
[hosts.a]
address = "192.0.2.1"
roles = ["containers"]
groups = ["lab"]
[hosts.b]
address = "192.0.2.2"
roles = ["server"]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "hosts.toml"
    path.write_text(INVENTORY)
    return path


def test_hosts_are_chosen_by_names_and_groups(file):
    assert read_host_selection(None, None, None) is None
    assert [one.name for one in read_host_selection(file, None, None).hosts] == ["a", "b"]
    selection = read_host_selection(file, "lab, lab", "one")
    assert [one.name for one in selection.hosts] == ["a"]
    assert selection.command == f" --hosts {file} --on lab --servers one"
    assert read_host_selection(file, None, None).command == f" --hosts {file}"


@pytest.mark.parametrize(
    ("given", "on", "servers", "sentence"),
    [
        (False, "a", None, "--on needs hosts"),
        (False, None, "one", "--servers needs hosts"),
        (True, None, "two", "--servers is each or one, not 'two'"),
        (True, "c", None, "has no host or group"),
        (True, "b", None, "none of the hosts b has the role containers"),
    ],
)
def test_words_about_hosts_that_say_nothing(file, given, on, servers, sentence):
    with pytest.raises(UsageError, match=sentence):
        read_host_selection(file if given else None, on, servers)


@pytest.mark.parametrize("name", ["../out", "/etc/out", "a/../../out"])
def test_a_servers_files_stay_in_their_folder(name, tmp_path):
    with pytest.raises(UsageError, match="not a file that a server takes"):
        serve({name: b""}, {"run": False}, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_files_of_a_server_are_private_and_gone_in_the_end(tmp_path):
    about, stop = serve({"server.crt": b"x"}, {"run": False}, tmp_path)
    (file,) = (tmp_path / "s").iterdir()
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"x", 0o600)
    assert about.folder == str(tmp_path / "s")
    stop()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_whose_path_is_too_long_is_refused(tmp_path):
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    with pytest.raises(UsageError, match="bytes too long for a server's socket; give it a shorter `folder`"):
        serve({}, {}, folder)
