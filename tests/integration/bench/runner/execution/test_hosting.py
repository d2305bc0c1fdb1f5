"""Runs over the hosts of a lab: what is measured there, what is left there, and hosts that vanish."""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings
from tests.integration.bench.conftest import Silent, perform
from tests.integration.bench.subjects.drivers.conftest import GOOD, hello_of, keep
from tests.unit.bench.synthetic import asking

from formicary_bench.remote.host_agent.protocol import Look
from formicary_bench.remote.launchers.launcher import provider
from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.store.raw import RoundTrips
from formicary_bench.runner.execution import repetition
from formicary_bench.runner.execution.run_hosts import HostSelection
from formicary_bench.runner.observers.observer import Observer
from formicary_bench.vocabulary.places import APART, N_HOSTS, SAME, TWO_HOSTS

ROUNDS = (5, 20, 5)
FOR_LONG = (0, 10_000, 0)
FOR_LONGER = (0, 60_000, 0)  # than it takes to notice that there are some, and to cut a host off
SECONDS = 60  # until nothing is left
MOMENTS = 20 if settings.get_current_profile_name() == "full" else 8  # of interruptions
PARTS = [range(first, MOMENTS, 4) for first in range(4)]
BEGUN = "begun\n"
PROGRAM = "from formicary.cli import main; print('begun', flush=True); main()"


@pytest.fixture
def there():
    """A folder for the hosts' files, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="formicary-") as folder:
        yield Path(folder)


@pytest.fixture
def over(tmp_path, there):
    """Run an experiment over the hosts of a lab."""

    def call(lab, listener=None, *, servers="each", experiment="messaging/pairs", **options):
        selection = HostSelection(provider("ssh", inventory_of(lab, there, tmp_path), None), servers=servers)
        names = tuple(host.name for host in selection.containers)
        asked = asking(experiment=experiment, hosts=names, **{"pairs": (3,), "rounds": ROUNDS, **options})
        return perform(asked, tmp_path / "run", listener or Silent(), selection)

    return call


@pytest.fixture
def when_met(monkeypatch):
    """Call a function in each repetition once its workers have met."""

    def call(look):
        class Looking(Observer):
            def begin(self, workers):
                assert len(workers) == 2
                look()

        monkeypatch.setattr(repetition, "measure", partial(repetition.measure, observer=Looking()))

    return call


def inventory_of(lab, there, folder):
    """Write a lab's inventory with a folder of its own for the hosts' files."""
    path = folder / "hosts.toml"
    path.write_text(lab.inventory.read_text().replace("[defaults]", f'[defaults]\nfolder = "{there}"', 1))
    return path


def programs(host):
    """The command lines of processes on a host of a lab, without its SSH server."""
    lines = [command(pid) for pid in host.pids()]
    return [line for line in lines if line and "[listener]" not in line]


def command(pid):
    """A process's command line; empty if it has ended, or is a zombie."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def kept(folder):
    """The files in a folder, if it exists: its owner may remove it at any moment."""
    with suppress(FileNotFoundError):
        return list(folder.iterdir())
    return []


def is_soon_empty(lab, there):
    """Return whether nothing of ours is left on any host within `SECONDS`."""
    until = time.monotonic() + SECONDS
    while any(map(programs, lab.hosts)) or kept(there / "scratch"):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_agents_ask_on_one_host_and_answer_on_another(lab, over, there, when_met, tmp_path):
    seen = {}

    def look():
        seen.update({host.name: programs(host) for host in lab.hosts})

    when_met(look)
    subjects = ("formicary-behaviours", "formicary-micro", "tcp")
    listener = Silent()
    outcome = over(lab, listener, subjects=subjects, routes=("direct",))
    assert outcome.problems == listener.said == []
    manifest = RunFolder.open(tmp_path / "run").manifest
    assert manifest.complete
    assert [(c.platform, c.kind, c.placement, c.hosts, c.tls) for c in manifest.configurations] == [
        ("formicary", "behaviours", TWO_HOSTS, 2, True), ("formicary", "micro", TWO_HOSTS, 2, True),
        ("tcp", "", TWO_HOSTS, 2, False), ("tcp", "", TWO_HOSTS, 2, True),
    ]  # fmt: skip
    assert [one.round_trips for one in manifest.repetitions] == [60] * 4
    names = {host.name for host in lab.hosts}
    assert manifest.hosts.keys() == manifest.clocks.keys() == manifest.roles.keys() == names
    assert all(machine.python for machine in manifest.hosts.values())
    assert all(abs(clock.offset_ns) <= clock.uncertainty_ns + 10**7 for clock in manifest.clocks.values())
    assert manifest.servers == ""
    assert all(any("worker.worker" in line for line in lines) for lines in seen.values())
    assert seen.keys() == names
    assert is_soon_empty(lab, there)


@pytest.mark.server
@pytest.mark.parametrize(
    "tls", [(True,), pytest.param((True, False), marks=pytest.mark.full("without, too"))]
)
def test_each_host_has_a_server_of_a_federation(tls, lab, over, there, when_met):
    seen = {}

    def look():
        seen.update({host.name: sum("prosody" in line for line in programs(host)) for host in lab.hosts})

    when_met(look)
    outcome = over(lab, subjects=("formicary-behaviours", "components"), routes=("xmpp",), tls=tls)
    assert outcome.problems == []
    manifest = outcome.folder.manifest
    assert [one.round_trips for one in manifest.repetitions] == [60] * 2 * len(tls)
    assert manifest.servers == "each"
    assert all(re.match(r"\d", machine.prosody) for machine in manifest.hosts.values())
    assert set(seen.values()) == {1}
    assert is_soon_empty(lab, there)


@pytest.mark.server
def test_one_server_is_for_all_hosts(lab, over, there, when_met):
    seen = {}

    def look():
        seen.update({host.name: sum("prosody" in line for line in programs(host)) for host in lab.hosts})

    when_met(look)
    subjects = ("formicary-behaviours", "components")
    outcome = over(lab, servers="one", subjects=subjects, routes=("xmpp", "auto"), tls=(False,))
    assert outcome.problems == []
    manifest = outcome.folder.manifest
    assert [one.round_trips for one in manifest.repetitions] == [60] * 3
    assert manifest.servers == "one"
    first, second = (host.name for host in lab.hosts)
    assert (bool(manifest.hosts[first].prosody), bool(manifest.hosts[second].prosody)) == (True, False)
    assert seen == {first: 1, second: 0}
    assert is_soon_empty(lab, there)


@pytest.mark.server
def test_nothing_secret_is_in_a_run_or_in_a_list_of_processes(lab, over, there, when_met, tmp_path):
    known, seen = set(), set()

    def look():
        for path in (there / "scratch").rglob("server.json"):
            known.update(re.findall(r'"secret": "([^"]+)"', path.read_text()))
        seen.update(line for host in lab.hosts for line in programs(host))

    when_met(look)
    outcome = over(lab, subjects=("formicary-behaviours",))
    assert outcome.problems == []
    assert len(known) == 2
    kept = [path.read_text(errors="replace") for path in (tmp_path / "run").rglob("*") if path.is_file()]
    for text in [*seen, *kept]:
        assert not [secret for secret in known if secret in text]
        assert "formicary://" not in text
        assert "PRIVATE KEY" not in text
        assert str(lab.folder / "key") not in text


@pytest.mark.server
@pytest.mark.parametrize("servers", ["each", "one"])
def test_a_server_that_has_died_is_there_again_for_the_next_repetition(servers, lab, over):
    ended = []

    class Killing(Silent):
        def begin(self, configuration):
            super().begin(configuration)
            if len(self.begun) == 2:
                host = lab.hosts[0]
                ended.extend(pid for pid in host.pids() if "prosody" in command(pid))
                os.kill(*ended, signal.SIGKILL)
                while command(*ended):
                    time.sleep(0.01)

    subjects = ("formicary-behaviours",)
    outcome = over(lab, Killing(), servers=servers, subjects=subjects, routes=("xmpp",), repeat=2)
    assert outcome.problems == []
    assert len(ended) == 1
    assert len(outcome.folder.manifest.repetitions) == 2


def test_members_on_three_hosts_all_measure(make_lab, over):
    lab = make_lab(3)
    options = {"placements": (N_HOSTS,), "routes": ("direct",), "traffics": ("ring", "all-to-all")}
    outcome = over(lab, subjects=("formicary-micro",), **options)
    assert outcome.problems == []
    manifest = outcome.folder.manifest
    assert {c.traffic for c in manifest.configurations} == {"ring", "all-to-all"}
    for one in manifest.repetitions:
        assert one.members == (3, 3, 3)
        assert one.round_trips == 3 * 3 * 20
        data = outcome.folder.raw(one, RoundTrips)
        assert sorted(set(data.pair.tolist())) == list(range(9))


def with_cache(inventory, folder):
    """Write an inventory of hosts where drivers are kept in a folder."""
    text = inventory.read_text().replace(
        "[defaults]", f'[defaults]\nenvironment = {{ XDG_CACHE_HOME = "{folder}" }}', 1
    )
    inventory.write_text(text)


@pytest.mark.parametrize("is_there", [True, False])
def test_another_platform_is_measured_over_hosts_where_it_is_installed(
    is_there, lab, over, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    keep(GOOD, hello_of(GOOD))
    with_cache(lab.inventory, tmp_path / ("cache" if is_there else "empty"))
    outcome = over(lab, subjects=("good",), placements=(TWO_HOSTS,), repeat=1)
    if is_there:
        assert outcome.problems == []
        (one,) = outcome.folder.manifest.repetitions
        first, second = (host.name for host in lab.hosts)
        assert one.round_trips == 3 * ROUNDS[1]
        assert {f"ask@{first} cores", f"echo@{second} cores"} <= one.counters.keys()
    else:
        (problem,) = outcome.problems
        assert "failed: good is not installed on this machine; see there: formicary bench" in problem


def test_one_machine_and_two_hosts_stand_side_by_side(lab, over):
    placements = (SAME, APART, TWO_HOSTS)
    subjects = ("formicary-behaviours",)
    outcome = over(lab, subjects=subjects, placements=placements, routes=("direct",), tls=(True,))
    assert outcome.problems == []
    manifest = outcome.folder.manifest
    assert [(c.placement, c.hosts) for c in manifest.configurations] == [
        (SAME, 0),
        (APART, 0),
        (TWO_HOSTS, 2),
    ]
    assert len(manifest.repetitions) == 3


def test_a_host_that_is_away_for_a_while_is_shown_and_the_run_goes_on(lab, over, monkeypatch):
    host = lab.hosts[1]
    monkeypatch.setattr(Look, "seconds", 60.0)  # TCP tries again ever more rarely

    class Mending(Silent):
        def advance(self, done, at_ns):
            del at_ns
            if done and not self.said:
                host.cut()

        def say(self, sentence):
            super().say(sentence)
            host.mend()

    listener = Mending()
    outcome = over(lab, listener, subjects=("formicary-micro",), routes=("direct",), rounds=FOR_LONGER)
    assert outcome.problems == []
    assert listener.said == [f"host {host.name} missing for 3 s", f"host {host.name} is back"]


def test_a_host_that_vanishes_costs_a_repetition_and_is_used_again_when_it_is_back(lab, over):
    host = lab.hosts[1]

    class Mending(Silent):
        def advance(self, done, at_ns):
            del at_ns
            if done and len(self.begun) == 1:
                host.cut()

        def say(self, sentence):
            super().say(sentence)
            if "was not measured" in sentence:
                host.mend()

    subjects = ("formicary-micro",)
    outcome = over(lab, Mending(), subjects=subjects, routes=("direct",), rounds=FOR_LONG, repeat=2)
    (sentence,) = outcome.problems
    assert "repetition 1, was not measured: " in sentence
    assert f"host {host.name}" in sentence
    assert "--placement two-hosts" in sentence
    assert "--hosts " in sentence
    manifest = outcome.folder.manifest
    assert [one.number for one in manifest.repetitions] == [2]
    assert not manifest.complete


def test_a_run_ends_where_a_host_does_not_come_back(lab, over, there):
    host = lab.hosts[1]

    def cut(done):
        if done and len(listener.begun) == 2:
            host.cut()

    listener = Silent(cut)
    subjects = ("formicary-micro",)
    outcome = over(lab, listener, subjects=subjects, routes=("direct",), rounds=FOR_LONG, repeat=9)
    assert len(listener.begun) == 3
    *_, last = outcome.problems
    assert last.startswith(f"the run ends here, as it needs the host {host.name}: ")
    manifest = outcome.folder.manifest
    assert [one.number for one in manifest.repetitions] == [1]
    assert not manifest.complete
    host.mend()
    assert is_soon_empty(lab, there)


@pytest.fixture(scope="module")
def longest():
    """Seconds of an uninterrupted run on this machine under its present load."""
    return []


@pytest.mark.server
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "moments",
    [PARTS[0], *(pytest.param(part, marks=pytest.mark.full("other moments")) for part in PARTS[1:])],
    ids=str,
)
def test_an_interruption_at_any_moment_leaves_nothing_anywhere(moments, longest, lab, there, tmp_path):
    inventory = inventory_of(lab, there, tmp_path)
    temporary = there / "t"  # short, too: the server's socket is below it
    temporary.mkdir()
    words = f"run messaging/pairs --hosts {inventory} --platform formicary-micro --pairs 2 --rounds 5,500,5"
    words += " --repeat 1 --route direct,xmpp --tls off"
    command = [sys.executable, "-c", PROGRAM, "bench", *words.split()]
    environment = {**os.environ, "TMPDIR": str(temporary)}

    def start():
        running = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert running.stdout.readline() == BEGUN.encode()  # before, an interruption is Python's
        return running

    if not longest:
        with start() as running:
            began = time.monotonic()
            _, err = running.communicate(timeout=100)
        assert running.returncode == 0, err
        longest.append(time.monotonic() - began)
    generator = random.Random(moments.start)
    for moment in moments:
        while True:
            with start() as running:
                with suppress(subprocess.TimeoutExpired):
                    running.wait(longest[0] * (moment + generator.random()) / MOMENTS)
                running.send_signal(signal.SIGINT)
                out, err = running.communicate(timeout=60)
            if b"Report " not in out:  # after that, it is Python's again
                break
            longest[0] *= 0.7  # the machine has less to do now
        assert running.returncode == 130, err
        assert is_soon_empty(lab, there), f"after moment {moment}"
        assert list(temporary.iterdir()) == []
        assert not list(tmp_path.rglob("*.part"))
        assert b"Traceback" not in err, err
