"""From clocks and samples to times that sum to the clocks."""

from __future__ import annotations

import msgspec
import pytest

import formicary
from formicary.errors import UsageError
from formicary.profiling.analysis.attribution import NOBODY, UNKNOWN, View, cpu_times
from formicary.profiling.model.groups import NATIVE
from formicary.profiling.model.profile import (
    VERSION,
    Account,
    Collection,
    Frame,
    Method,
    Process,
    Profile,
    Role,
    Stack,
    Thread,
    decode,
    encode,
)

HOME = formicary.__path__[0]
AGENT = Frame("Trader.run", "/home/ada/market.py", 3)
LINK = Frame("Link.send", f"{HOME}/transport/link/link.py", 9)
MAIN = Frame("Behaviour._main", f"{HOME}/behaviours.py", 200)
FRAMES = (AGENT, LINK, MAIN)


def process(
    stacks=(), threads=(), *, cpu=None, collections=(), role=Role.CONTAINER, name="python", accounts=()
):
    cpu = sum(thread.cpu_s for thread in threads) if cpu is None else cpu
    return Process(
        7, role, name, cpu, 0.0, tuple(threads), tuple(stacks), tuple(accounts), tuple(collections)
    )


def profile(*processes, method=Method.SAMPLED):
    return Profile(
        method=method, host="h", began=0.0, window_s=10.0, rate_hz=100.0, processes=processes, frames=FRAMES
    )


def seconds(of, view=View.GROUP):
    return {used.name: pytest.approx(used.cpu_s) for used in cpu_times(of, view) if used.cpu_s}


def test_a_threads_time_is_shared_as_its_samples_are():
    measured = profile(process([Stack(1, (0,), 30), Stack(1, (0, 1), 10)], [Thread(1, "main", "loop", 4.0)]))
    assert seconds(measured) == {"agents": 3.0, "communication": 1.0}


def test_each_thread_has_its_own_shares():
    threads = [Thread(1, "main", "loop", 8.0), Thread(2, "other", "python", 1.0)]
    measured = profile(process([Stack(1, (0,), 10), Stack(2, (1,), 1000)], threads))
    assert seconds(measured) == {"agents": 8.0, "communication": 1.0}


def test_a_thread_without_samples_is_the_runtimes_and_a_process_without_any_is_unknown():
    threads = [Thread(1, "main", "loop", 2.0), Thread(2, "other", "python", 1.0)]
    assert seconds(profile(process([Stack(1, (0,), 5)], threads))) == {"agents": 2.0, "runtime": 1.0}
    assert seconds(profile(process([], threads))) == {UNKNOWN: 3.0}


def test_native_threads_have_a_group_of_their_own():
    threads = [Thread(1, "main", "loop", 4.0), *(Thread(tid, "python", "native", 5.0) for tid in (2, 3))]
    measured = profile(process([Stack(1, (0,), 5)], threads))
    assert seconds(measured) == {"agents": 4.0, NATIVE: 10.0}
    [native] = [used for used in cpu_times(measured, View.FUNCTION) if used.cpu_s == pytest.approx(10.0)]
    assert (native.name, native.group) == (f"({NATIVE})", NATIVE)


def test_what_ended_threads_have_used_goes_to_them():
    measured = profile(
        process([Stack(1, (0,), 200), Stack(2, (1,), 100)], [Thread(1, "main", "loop", 2.0)], cpu=3.0)
    )
    assert seconds(measured) == {"agents": 2.0, "communication": 1.0}


def test_servers_and_other_programs_are_told_apart_by_their_clocks():
    measured = profile(
        process(cpu=2.0, role=Role.SERVER, name="prosody"), process(cpu=1.0, role=Role.PROGRAM, name="bash")
    )
    assert seconds(measured) == {"server": 2.0, UNKNOWN: 1.0}


def test_the_garbage_collectors_time_moves_to_the_runtime():
    measured = profile(
        process(
            [Stack(1, (2, 0), 75), Stack(1, (1,), 25)],
            [Thread(1, "main", "loop", 4.0)],
            collections=[Collection(1, (2, 0), 0.5)],
        )
    )
    assert seconds(measured) == {"agents": 2.5, "communication": 1.0, "runtime": 0.5}
    assert seconds(measured, View.FUNCTION)["(garbage collector)"] == 0.5


def test_functions_have_modules_and_groups():
    measured = profile(process([Stack(1, (2,), 1), Stack(1, (2, 1), 3)], [Thread(1, "main", "loop", 4.0)]))
    found = {used.name: used.group for used in cpu_times(measured, View.FUNCTION)}
    assert found == {
        "formicary.transport.link.link:Link.send": "communication",
        "formicary.behaviours:Behaviour._main": "platform",
    }


def test_groups_come_in_their_order_also_those_without_time():
    names = [used.name for used in cpu_times(profile(), View.GROUP)]
    assert names == ["runtime", "agents", "communication", "directory", "platform", "server"]


def test_threads_have_what_their_clocks_say():
    measured = profile(process([], [Thread(1, "main", "loop", 2.0)], cpu=3.0))
    assert seconds(measured, View.THREAD) == {"main (loop, 7/1)": 2.0, "(ended threads of python, 7)": 1.0}


def margin(count, cpu):
    stacks = [Stack(1, (0,), count), Stack(1, (1,), count)]
    found = cpu_times(profile(process(stacks, [Thread(1, "main", "loop", cpu)])), View.GROUP)
    return next(used.margin_s for used in found if used.name == "agents") / cpu


def test_more_samples_make_a_smaller_margin():
    assert margin(25, 50.0) == pytest.approx(10 * margin(2500, 50.0), rel=0.1)
    # Wald's interval for 50 samples of two equal kinds.
    assert margin(25, 50.0) == pytest.approx(1.96 * (0.25 / 50) ** 0.5, rel=0.1)


def test_samples_beyond_the_cpu_time_they_stand_for_make_it_no_smaller():
    assert margin(100_000, 50.0) == pytest.approx(margin(2500, 50.0))


def test_accounted_profiles_have_agents_and_no_functions_and_sampled_ones_functions_and_no_agents():
    accounts = [Account(1, "agents", 2.0, "bob/Trader", 0.1), Account(1, "platform", 1.0)]
    measured = profile(process(cpu=3.0, accounts=accounts), method=Method.ACCOUNTED)
    assert seconds(measured) == {"agents": 2.0, "platform": 1.0}
    assert seconds(measured, View.AGENT) == {"bob/Trader": 2.0, NOBODY: 1.0}
    with pytest.raises(UsageError, match="--by group"):
        cpu_times(measured, View.FUNCTION)
    with pytest.raises(UsageError, match="--by agent"):
        cpu_times(profile(), View.AGENT)


def test_a_profile_comes_back_from_json():
    measured = profile(process([Stack(1, (0, 1), 3)], [Thread(1, "main", "loop", 4.0)]))
    assert decode(encode(measured)) == measured


def test_other_files_and_versions_are_refused():
    with pytest.raises(UsageError, match=r"x\.json is not a profile"):
        decode(b'{"a": 1}', "x.json")
    with pytest.raises(UsageError, match=f"version {VERSION + 1}"):
        decode(encode(msgspec.structs.replace(profile(), version=VERSION + 1)))
