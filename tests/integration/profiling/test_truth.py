"""Programs whose split of CPU time is known are attributed within 2 points at 95% confidence.

That takes long, and is of the second tier. The first tier's versions are short, so what they find is coarse,
and their bound wider.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import settings
from msgspec.structs import replace
from tests.integration.profiling.known import (
    GROUPS,
    RULES,
    count_held,
    errors,
    load,
    measure,
    profile,
    put_programs,
)

from formicary.profiling.analysis.attribution import Estimate, View, cpu_times
from formicary.profiling.model.groups import Rules, own_rule
from formicary.profiling.model.profile import Role
from formicary.server import ManagedServer
from formicary.server.state import read_state

RATE = 200
SECONDS = 2.0  # of CPU for each thread
POINTS = 0.02
SCENARIOS = ("one-thread", "several-threads", "gil-held", "gil-released", "with-idling")
ROUNDS_AT_MOST = 4
CERTAIN = 3.3 / 1.96  # from 95% to 99.9%: it is asked some twenty times

IS_FULL = settings.get_current_profile_name() == "full"
LOAD = 8  # processes that want the processors for themselves
WAYS = ("pool", "queued", "condition", "loop", "uv")
COARSE = 0.1


@pytest.fixture
def folder(tmp_path):
    return put_programs(tmp_path)


def measure_one(folder, scenario, seconds, bound):
    """Measure a scenario; return what was found of each group, and what is true."""
    measured, really = measure(folder, scenario, seconds, RATE)
    by_name = {used.name: used for used in cpu_times(measured, View.GROUP, RULES)}
    for name in GROUPS:
        used = by_name[name]
        off = abs(used.cpu_s - really[name]) / sum(really.values())
        margin = used.margin_s * CERTAIN / sum(really.values())
        assert off - margin < bound, f"{scenario}, {name}: {off:.1%} off, ± {margin:.1%}"
    assert sum(used.cpu_s for used in by_name.values()) == pytest.approx(
        sum(process.cpu_s for process in measured.processes)
    )
    return {
        name: Estimate(by_name[name].cpu_s, (by_name[name].margin_s / 1.96) ** 2) for name in GROUPS
    }, really


def test_a_known_split_is_found_coarsely(folder):
    measure_one(folder, "gil-released", 0.4, COARSE)


@pytest.mark.full("twenty seconds of CPU or more")
def test_known_splits_are_found(folder):
    found: dict[str, Estimate] = dict.fromkeys(GROUPS, Estimate(0.0))
    truth: Counter[str] = Counter()
    off: dict[str, float] = {}
    # Each scenario has few samples; together they say it within 2 points. How wide the interval is depends on
    # how busy the machine is: 1.4 points where samples do not depend on each other, 2 under load. By chance
    # they are beyond it once in fifty times: then there are to be more of them.
    for _ in range(ROUNDS_AT_MOST):
        for scenario in SCENARIOS:
            of_one, really = measure_one(folder, scenario, SECONDS, POINTS)
            truth.update(really)
            found = {name: found[name] + of_one[name] for name in GROUPS}
        off = {name: (found[name].seconds - truth[name]) / truth.total() for name in GROUPS}
        if max(map(abs, off.values())) < POINTS:
            break
    for name in GROUPS:
        assert found[name].margin / truth.total() < 2 * POINTS
    assert max(map(abs, off.values())) < POINTS, off


@pytest.mark.full("does not hold beside still more that is busy")
def test_threads_that_wait_are_not_taken_for_busy_ones(folder):
    with load(4, 20):
        measured, really = measure(folder, "pool,queued,uv", 0.2, RATE, "waiting.py")
    for name, (off, margin) in errors(measured, really).items():
        assert abs(off) - margin < COARSE, f"{name}: {off:.1%} off, ± {margin:.1%}"
    assert sum(thread.waits for thread in measured.processes[0].threads) > 0


@pytest.mark.full("needs all processors for a while")
@pytest.mark.timeout(900)
def test_a_loop_with_short_timers_is_right_or_called_uncertain_on_a_busy_machine(folder):
    with load(LOAD, 200):
        measured, really = measure(folder, "often", 1.0, script="waiting.py")
    off = max(abs(off) - margin for off, margin in errors(measured, really).values())
    assert off < COARSE or any("the machine was busy" in said for said in measured.warnings)


@pytest.mark.full("takes minutes of all processors")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("way", WAYS)
def test_threads_that_wait_on_a_busy_machine(folder, way):
    with load(LOAD, 800):
        measured, really = measure(folder, way, 4.0, script="waiting.py")
    for name, (off, margin) in errors(measured, really).items():
        assert abs(off) - margin < POINTS, f"{way}, {name}: {off:.1%} off, ± {margin:.1%}"


@pytest.mark.full("six profiles: in one alone it need not")
def test_the_interval_holds_the_truth_of_real_profiles(folder):
    # In 95% of many, as docs/profiling.md says. That 4 of 6 fail by chance happens once in 10 000 times.
    assert min(count_held(folder, 6, 1.0)) > 2


# What is done on purpose, apart from what the messages take themselves.
ROUNDS = 600 if IS_FULL else 80
KNOWN = Rules([own_rule(f"known-{name}=work_{name}") for name in ("agents", "communication", "platform")])


def measure_messages(folder, way="direct", server="-", pids=(), rounds=ROUNDS):
    """Return the profile of two processes that exchange messages, and what was done on purpose in each."""
    truth = folder / "messages.json"
    measured = profile([folder / "messages.py", way, rounds, truth, server], RATE, pids)
    return measured, {
        int(path.suffix[1:]): {f"known-{name}": used for name, used in json.loads(path.read_text()).items()}
        for path in folder.glob("messages.json.*")
    }


def of_each(measured, known):
    """Give the profile of each of the two, with what was done in it."""
    by_pid = {process.pid: process for process in measured.processes}
    assert len(known) == 2
    return [(replace(measured, processes=(by_pid[pid],)), really) for pid, really in known.items()]


def check_messages(measured, known):
    bound = POINTS if IS_FULL else COARSE
    for of_one, really in of_each(measured, known):
        for name, (off, margin) in errors(of_one, really, KNOWN).items():
            assert abs(off) - margin < bound, (
                f"{of_one.processes[0].pid}, {name}: {off:.1%} off, ± {margin:.1%}"
            )


def test_what_two_processes_do_is_seen_in_both(folder):
    for of_one, really in of_each(*measure_messages(folder)):
        found = {used.name: used.cpu_s for used in cpu_times(of_one, View.GROUP, KNOWN)}
        assert min(found[name] for name in really) > 0


@pytest.mark.full("does not hold beside much else that is busy")
@pytest.mark.timeout(900)
def test_messages_to_a_second_process_directly(folder):
    check_messages(*measure_messages(folder))


@pytest.mark.full("another way than directly")
@pytest.mark.server
@pytest.mark.timeout(900)
def test_messages_to_a_second_process_through_prosody(folder):
    with ManagedServer() as server:
        pid = read_state(server.folder).pid
        measured, known = measure_messages(folder, "xmpp", str(server.folder.path), (pid,))
    check_messages(measured, known)
    [prosody] = [process for process in measured.processes if process.role is Role.SERVER]
    assert prosody.cpu_s > 0
