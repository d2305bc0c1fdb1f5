"""What is wrong with a host, from what was seen of it."""

from __future__ import annotations

import pytest
from tests.unit.bench.remote.sights import DIGEST, VERSION, facts, host, seen

from formicary.doctor.finding import State
from formicary_bench.remote.checks import judging
from formicary_bench.remote.checks.facts import Way


def judged(of=None, **changed):
    return list(judging.judge(of or host(), facts(**changed), version=VERSION, digest=DIGEST))


def test_nothing_is_wrong_with_a_host_that_has_everything():
    assert judged() == []


ABSENT = {"absent": True, "python": "", "version": "", "digest": "", "tracing": None}


@pytest.mark.parametrize(
    ("changed", "said", "step"),
    [
        ({"formicary": ABSENT}, "it is not prepared", "formicary hosts prepare"),
        ({"formicary": {"failed": "ImportError: x"}}, "does not work (ImportError: x)", "hosts prepare"),
        ({"formicary": {"version": "0.9"}}, "formicary 0.9, and the controller has 1.2.3", "hosts prepare"),
        ({"formicary": {"digest": "e"}}, "other code of formicary 1.2.3", "hosts prepare"),
        ({"folder": {"state": "foreign"}}, "/home/x/ours is not empty and not ours", "`folder`"),
        ({"folder": {"state": "closed"}}, "cannot be written", "`folder`"),
        ({"folder": {"free_bytes": 5 << 20}}, "its disk has 5 MiB left", "make room"),
        (
            {"listen": {"failed": "Cannot assign requested address"}},
            "cannot listen at 192.0.2.1 there (Cannot assign requested address)",
            "set `listen`",
        ),
    ],
)
def test_without_this_a_host_cannot_be_used(changed, said, step):
    (finding,) = judged(**changed)
    assert finding.state is State.MISSING
    assert said in finding.what
    assert step in finding.next_step


@pytest.mark.parametrize(
    ("changed", "said", "step"),
    [
        (
            {"listen": {"taken": {"5269": "federated servers"}}},
            "port 5269 (federated servers) is taken",
            "end",
        ),
        ({"prosody": {"version": ""}}, "nothing can be measured through XMPP", "apt-get install prosody"),
        ({"prosody": {"version": "0.11.9"}}, "Prosody 0.11.9 is too old", "0.12"),
        ({"prosody": {"version": "", "failed": "no words"}}, "not known: no words", "prosodyctl about"),
        ({"formicary": {"tracing": "not you"}}, "no CPU time by group: not you", "formicary doctor"),
        ({"machine": {"others": ["eve's ffmpeg (3.9 cores)"]}}, "eve's ffmpeg (3.9 cores)", "when they rest"),
        ({"machine": {"load": 7.5}}, "its load was 7.5", "when they rest"),
        ({"folder": {"running": ["python agent"]}}, "measurement of ours runs there: python agent", "rest"),
    ],
)
def test_this_is_only_worth_a_warning(changed, said, step):
    (finding,) = judged(**changed)
    assert finding.state is State.LIMITED
    assert said in finding.what
    assert step in finding.next_step


def test_a_host_that_is_not_prepared_is_also_told_what_preparing_needs():
    findings = judged(formicary=ABSENT, python="3.9.2", has_venv=False, folder={"free_bytes": 500 << 20})
    assert {finding.name for finding in findings} == {"formicary", "Python", "venv", "disk"}
    assert "python3 is Python 3.9.2" in next(each.what for each in findings if each.name == "Python")


def test_a_python_of_which_nothing_is_made_may_be_old():
    assert judged(python="3.9.2", has_venv=False) == []


def test_an_environment_of_the_user_s_own_is_named():
    (finding,) = judged(host(venv="/opt/env"), formicary=ABSENT)
    assert finding.what == "there is no environment /opt/env"
    assert finding.next_step == "install formicary 1.2.3 in /opt/env, or remove `venv`"
    (finding,) = judged(host(venv="/opt/env"), formicary={"version": "0.9"})
    assert "its environment /opt/env has formicary 0.9" in finding.what


def test_only_a_host_for_servers_needs_prosody():
    assert judged(host(roles=("containers",)), prosody={"version": ""}) == []


def test_what_speaks_against_tracing_counts_until_somebody_has_tried():
    (finding,) = judged(formicary={"tracing": None}, tracing="kernel.yama.ptrace_scope is 3")
    assert "ptrace_scope is 3" in finding.what
    assert judged(formicary={"tracing": ""}, tracing="kernel.yama.ptrace_scope is 1") == []


@pytest.mark.parametrize(
    ("offset", "said"),
    [(7300.0, "its clock is 2.0 h ahead of"), (-86400.0 * 3, "3.0 days behind"), (90.0, "90 s ahead of")],
)
def test_a_clock_that_is_far_off_is_worth_a_warning(offset, said):
    (finding,) = judging.clock(offset)
    assert said in finding.what
    assert finding.state is State.LIMITED
    assert list(judging.clock(-0.5)) == []


def test_the_same_machine_twice_is_found_and_two_namespaces_of_one_are_not():
    hosts = [seen("a"), seen("b", identity="boot 2"), seen("c")]
    ((one, finding),) = judging.twins(hosts)
    assert one.host == "c"
    assert finding.what == "it is the same machine as a"
    assert finding.state is State.MISSING


def test_a_blocked_way_is_the_trouble_of_who_wanted_to_go_it():
    found = judging.ways([Way("a", "b", 1.0, 1.0), Way("b", "a", blocked="connections are refused")])
    ((name, finding),) = found
    assert name == "b"
    assert finding.what == "it does not reach a (connections are refused)"
    assert "allow TCP" in finding.next_step
