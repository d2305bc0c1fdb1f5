import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from formicary.processes.messages import Failed, Go, Stop
from formicary_bench.runner.execution.phases import (
    Advance,
    Break,
    Finish,
    Observe,
    Phases,
    Prepare,
    SendAll,
    Show,
    Stage,
)
from formicary_bench.worker.messages import Accounted, Columns, Done, Mark, Meet, Met, Progress, Ready

RESULT = Done(began_ns=5, counts=(3,))
OTHER = Done(began_ns=6, counts=(4,))
MEASURES = Ready(measures=True)
ENTERS, LEAVES = Mark(True, 10, 100, (0, 0)), Mark(False, 20, 200, (0, 0))


@pytest.fixture
def two():
    return Phases(("echo", "ask"), quiet_s=10.0)


def measuring(hosts=()):
    phases = Phases(("echo", "ask"), hosts, quiet_s=10.0)
    phases.begin(0.0)
    phases.heard(0, Ready("here"), 1.0)
    phases.heard(1, MEASURES, 2.0)
    for worker in (0, 1):
        phases.heard(worker, Met(), 2.0)
    return phases


def members(count=3, *, marks=True):
    """Several workers that all measure, told to go."""
    phases = Phases(("member",) * count, tuple("abcdef"[:count]), marks=marks, quiet_s=10.0)
    phases.begin(0.0)
    for worker in range(count):
        phases.heard(worker, MEASURES, 1.0)
    for worker in range(count):
        told = phases.heard(worker, Met(), 2.0)
    assert told == [SendAll(Go())]
    return phases


def reason(instructions):
    (only,) = instructions
    assert isinstance(only, Break)
    return only.reason


def test_a_repetition_that_goes_well(two):
    assert two.begin(0.0) == [Prepare(0, "")]
    assert two.heard(0, Ready("here"), 1.0) == [Prepare(1, "here")]
    assert two.heard(1, MEASURES, 2.0) == [SendAll(Meet())]
    assert two.heard(1, Met(), 2.0) == []
    assert two.heard(0, Met(), 2.0) == [SendAll(Go())]
    assert two.heard(1, Progress(7, 100), 3.0) == [Advance(7, 100)]
    assert two.heard(1, RESULT, 4.0) == [SendAll(Stop())]
    assert two.ended(1, 0, "") == []
    assert two.ended(0, 0, "") == [Finish({1: RESULT})]
    assert two.stage is Stage.DONE


def test_one_worker_alone():
    phases = Phases(("create",))
    assert phases.begin(0.0) == [Prepare(0, "")]
    assert phases.heard(0, MEASURES, 0.0) == [SendAll(Meet())]
    assert phases.heard(0, Met(), 0.0) == [SendAll(Go())]
    result = Columns({"agents": (1,)}, 0.5)
    assert phases.heard(0, result, 0.0) == [SendAll(Stop())]
    assert phases.ended(0, 0, "") == [Finish({0: result})]


def test_all_but_the_first_prepare_at_once_and_learn_how_to_reach_it():
    phases = Phases(("member",) * 3)
    assert phases.begin(0.0) == [Prepare(0, "")]
    assert phases.heard(0, Ready("there", measures=True), 0.0) == [Prepare(1, "there"), Prepare(2, "there")]
    assert phases.heard(2, Ready("nobody asks", measures=True), 0.0) == []
    assert phases.heard(1, MEASURES, 0.0) == [SendAll(Meet())]


def test_nobody_begins_before_all_have_met():
    phases = Phases(("member",) * 2)
    phases.begin(0.0)
    phases.heard(0, MEASURES, 0.0)
    phases.heard(1, MEASURES, 0.0)
    assert phases.heard(1, Met(), 0.0) == []
    assert "the process said Met while meeting" in reason(phases.heard(1, Met(), 0.0))


def test_a_window_opens_when_all_are_in_it_and_closes_when_the_first_leaves():
    phases = members()
    assert phases.heard(0, ENTERS, 3.0) == phases.heard(2, ENTERS, 3.0) == []
    assert phases.stage is Stage.WARM
    assert phases.heard(1, ENTERS, 3.0) == [Observe(1, ENTERS)]
    assert phases.stage is Stage.MEASURING
    assert phases.heard(2, LEAVES, 3.0) == [Observe(2, LEAVES)]
    assert phases.heard(0, LEAVES, 3.0) == []
    assert phases.stage is Stage.COOLING


def test_there_is_no_window_if_one_has_left_before_another_enters():
    phases = members(2)
    assert phases.heard(0, ENTERS, 3.0) == phases.heard(0, LEAVES, 3.0) == []
    assert phases.heard(1, ENTERS, 3.0) == phases.heard(1, LEAVES, 3.0) == []


def test_nobody_is_told_to_stop_before_all_values_are_there():
    phases = members(2)
    for worker in (0, 1):
        phases.heard(worker, ENTERS, 3.0)
    for worker in (1, 0):
        phases.heard(worker, LEAVES, 3.0)
    assert phases.heard(1, OTHER, 3.0) == []
    assert phases.heard(0, RESULT, 3.0) == [SendAll(Stop())]
    assert phases.ended(0, 0, "") == []
    assert phases.ended(1, 0, "") == [Finish({0: RESULT, 1: OTHER})]


def test_a_worker_that_has_ended_while_another_was_measured_was_no_full_load():
    phases = members(2)
    for worker in (0, 1):
        phases.heard(worker, ENTERS, 3.0)
    phases.heard(1, LEAVES, 3.0)
    phases.heard(1, OTHER, 3.0)
    phases.heard(0, LEAVES, 3.0)
    phases.heard(0, RESULT, 3.0)
    phases.ended(0, 0, "")
    assert phases.ended(1, 0, "") == [Finish({0: RESULT, 1: OTHER}, full_load=False)]


def test_progress_of_several_is_summed_and_is_by_our_clock():
    phases = members(2)
    assert phases.heard(0, Progress(5, 77), 3.0) == [Advance(5, 3 * 10**9)]
    assert phases.heard(1, Progress(7, 99), 4.0) == [Advance(12, 4 * 10**9)]


def test_a_worker_on_a_host_is_named_with_it():
    sentence = reason(measuring(hosts=("b", "a")).heard(1, Failed("no way."), 3.0))
    assert sentence == "the asking process on a failed: no way"


def test_a_missing_host_is_shown_once_and_so_is_its_return():
    phases = measuring(hosts=("b", "a"))
    assert phases.missing("b", 5.0) == [Show("host b missing for 3 s")]
    assert phases.missing("b", 6.0) == []
    assert phases.back("b") == [Show("host b is back")]
    assert phases.back("b") == []
    assert phases.passed(11.9) == []


def test_a_host_that_stays_away_ends_it():
    phases = measuring(hosts=("b", "a"))
    phases.missing("b", 4.0)
    assert phases.deadline == 11.0
    assert phases.passed(10.9) == []
    assert "host b was missing for 10 s while measuring" in reason(phases.passed(11.0))


def test_nobody_measures():
    phases = Phases(("echo",))
    phases.begin(0.0)
    assert "none of the processes has anything to measure" in reason(phases.heard(0, Ready(), 0.0))


def test_only_the_worker_that_measures_is_shown():
    phases = measuring()
    assert phases.heard(0, Progress(7, 100), 3.0) == []
    assert phases.stage is Stage.MEASURING


def test_any_worker_may_say_what_it_accounts_for():
    phases = measuring()
    report = Accounted("begin")
    assert phases.heard(0, report, 3.0) == [Observe(0, report)]
    assert phases.heard(1, RESULT, 4.0) == [SendAll(Stop())]
    assert phases.heard(1, report, 5.0) == [Observe(1, report)]


@pytest.mark.parametrize("step", ["begin", "ready", "met", "go", "done"])
def test_silence_ends_it_at_any_time(step, two):
    now = 100.0
    two.begin(now)
    steps = [(0, Ready()), (1, MEASURES), (0, Met()), (1, Met()), (1, RESULT)]
    for worker, report in steps[: {"begin": 0, "ready": 1, "met": 3, "go": 4, "done": 5}[step]]:
        two.heard(worker, report, now := now + 9)
    assert two.passed(now + 9.9) == []
    assert "nothing advanced for 10 s" in reason(two.passed(now + 10))
    assert two.passed(now + 1000) == []


def test_progress_counts_only_if_something_advanced():
    phases = measuring()
    phases.heard(1, Progress(1, 0), 5.0)
    assert phases.passed(14.9) == []
    assert phases.heard(1, Progress(1, 0), 14.9) == []
    assert "while measuring" in reason(phases.passed(15.0))


def test_a_failure_says_who_and_why():
    assert reason(measuring().heard(0, Failed("no way."), 3.0)) == "the echoing process failed: no way"


@pytest.mark.parametrize(
    ("code", "words", "sentence"),
    [
        (-9, "", "the asking process was ended by SIGKILL while measuring"),
        (-200, "", "was ended by signal 200"),
        (0, "", "ended with exit code 0 while measuring"),
        (1, "MemoryError", "ended with exit code 1 while measuring; its last words: MemoryError"),
    ],
)
def test_a_worker_that_ends_early(code, words, sentence):
    assert sentence in reason(measuring().ended(1, code, words))


def test_a_worker_that_fails_after_the_measurement_makes_it_worthless():
    phases = measuring()
    phases.heard(1, RESULT, 3.0)
    phases.ended(1, 0, "")
    assert "the echoing process ended with exit code 1" in reason(phases.ended(0, 1, ""))


def test_a_result_of_the_wrong_worker_is_none():
    assert "the echoing process said Done" in reason(measuring().heard(0, RESULT, 3.0))


def test_a_result_before_the_beginning_is_none(two):
    two.begin(0.0)
    assert "said Done while preparing" in reason(two.heard(1, RESULT, 3.0))


REPORTS = st.sampled_from(
    [Ready(), MEASURES, Met(), ENTERS, LEAVES, Progress(1, 1), Progress(2, 2), RESULT, Failed("x")]
)


@st.composite
def courses(draw):
    """A plan and its events: mostly what belongs to a good end, in any order that workers can bring about."""
    count = draw(st.integers(1, 4))
    measuring = draw(st.sets(st.integers(0, count - 1), min_size=1))
    marks = draw(st.booleans())
    scripts = []
    for worker in range(count):
        measures = worker in measuring
        windows = [ENTERS, LEAVES] if marks and draw(st.booleans()) else []
        script = [Ready(measures=measures), Met(), *([*windows, RESULT] if measures else []), 0]
        if draw(st.integers(0, 9)) == 0:
            script.insert(draw(st.integers(0, len(script))), draw(REPORTS | st.sampled_from([1, -9])))
        scripts.append(script)
    other = st.one_of(
        st.tuples(st.just("passed"), st.floats(0, 4)),
        st.tuples(st.just("missing"), st.sampled_from("ab")),
        st.tuples(st.just("back"), st.sampled_from("ab")),
    )
    return count, marks, scripts, draw(st.lists(st.integers(0, count - 1) | other, max_size=60))


def spoken(phases, worker, event, now):
    return phases.ended(worker, event, "") if isinstance(event, int) else phases.heard(worker, event, now)


def is_due(event, told, worker):
    """Whether a worker that keeps to the order would bring this about already."""
    orders = [one.order for one in told if isinstance(one, SendAll)]
    awaited = {Ready: Prepare, Met: Meet(), Mark: Go(), Done: Go(), int: Stop()}.get(type(event))
    if awaited is Prepare:
        return any(isinstance(one, Prepare) and one.worker == worker for one in told)
    return awaited is None or awaited in orders


@given(courses())
@example((2, True, [[Ready(), Met(), 0, MEASURES], [MEASURES, Met(), RESULT, 0]], []))
def test_whatever_happens_it_ends_once_and_tells_each_thing_once_and_in_order(course):
    count, marks, scripts, events = course
    scripts = [list(script) for script in scripts]
    phases = Phases(("member",) * count, ("a", "b", "a", "b")[:count], marks=marks, quiet_s=10.0)
    told, now, heard = list(phases.begin(0.0)), 0.0, []
    # In the end everybody says what is left to say, and time passes.
    for event in [*events, *list(range(count)) * 8, ("passed", 1000.0)]:
        was_over, at = phases.is_over, len(told)
        if isinstance(event, int):
            if not scripts[event] or not is_due(scripts[event][0], told, event):
                continue
            heard.append((at, event, scripts[event].pop(0)))
            new = spoken(phases, event, heard[-1][2], now)
        elif event[0] == "passed":
            now += event[1]
            new = phases.passed(now)
        else:
            new = phases.missing(event[1], now) if event[0] == "missing" else phases.back(event[1])
        assert not (was_over and new)
        told += new
    ends = [one for one in told if isinstance(one, Break | Finish)]
    assert len(ends) == 1
    assert phases.stage is (Stage.DONE if isinstance(ends[0], Finish) else Stage.FAILED)
    assert ends[0] is told[-1]
    orders = [one.order for one in told if isinstance(one, SendAll)]
    assert orders == [Meet(), Go(), Stop()][: len(orders)]
    assert [one.worker for one in told if isinstance(one, Prepare)] in ([0], list(range(count)))
    windows = [one.report.begins for one in told if isinstance(one, Observe)]
    assert windows in ([], [True], [True, False])
    if SendAll(Stop()) in told:
        at = told.index(SendAll(Stop()))
        before = [(worker, said) for when, worker, said in heard if when <= at]
        ready = {worker for worker, said in before if isinstance(said, Ready) and said.measures}
        assert {worker for worker, said in before if said == RESULT} == ready
    if isinstance(ends[0], Finish):
        assert {worker for _, worker, said in heard if isinstance(said, int)} == set(range(count))


EVENTS = st.one_of(
    st.tuples(st.just("heard"), st.integers(0, 1), REPORTS),
    st.tuples(st.just("ended"), st.integers(0, 1), st.sampled_from([0, 0, 1, -9])),
    st.tuples(st.just("passed"), st.floats(0, 8), st.none()),
)


@given(st.lists(EVENTS, max_size=30))
def test_whatever_workers_say_it_ends_once_and_does_nothing_afterwards(events):
    phases = Phases(("echo", "ask"), marks=True, quiet_s=10.0)
    done = list(phases.begin(0.0))
    now = 0.0
    for kind, first, second in events:
        was_over = phases.is_over
        if kind == "heard":
            new = phases.heard(first, second, now)
        elif kind == "ended":
            new = phases.ended(first, second, "")
        else:
            now += first
            new = phases.passed(now)
        assert not (was_over and new)
        done += new
    ends = [one for one in done if isinstance(one, Break | Finish)]
    assert (len(ends) == 1) == phases.is_over
    orders = [one.order for one in done if isinstance(one, SendAll)]
    assert orders == [Meet(), Go(), Stop()][: len(orders)]
    if ends and isinstance(ends[0], Finish):
        assert orders == [Meet(), Go(), Stop()]
