import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary_bench.engine.messages import Created, Done, Failed, Go, Progress, Ready, Stop
from formicary_bench.engine.phases import Advance, Break, Finish, Phases, Prepare, Stage, TellAll

RESULT = Done(began_ns=5, counts=(3,))


@pytest.fixture
def two():
    return Phases(("echo", "ask"), quiet_s=10.0)


def measuring():
    phases = Phases(("echo", "ask"), quiet_s=10.0)
    phases.begin(0.0)
    phases.heard(0, Ready("here"), 1.0)
    phases.heard(1, Ready(), 2.0)
    return phases


def reason(instructions):
    (only,) = instructions
    assert isinstance(only, Break)
    return only.reason


def test_a_repetition_that_goes_well(two):
    assert two.begin(0.0) == [Prepare(0, "")]
    assert two.heard(0, Ready("here"), 1.0) == [Prepare(1, "here")]
    assert two.heard(1, Ready(), 2.0) == [TellAll(Go())]
    assert two.heard(1, Progress(7, 100), 3.0) == [Advance(7, 100)]
    assert two.heard(1, RESULT, 4.0) == [TellAll(Stop())]
    assert two.ended(1, 0, "") == []
    assert two.ended(0, 0, "") == [Finish(RESULT)]
    assert two.stage is Stage.OVER


def test_one_worker_alone():
    phases = Phases(("create",))
    assert phases.begin(0.0) == [Prepare(0, "")]
    assert phases.heard(0, Ready(), 0.0) == [TellAll(Go())]
    result = Created((1,), (0.5,), (10,))
    assert phases.heard(0, result, 0.0) == [TellAll(Stop())]
    assert phases.ended(0, 0, "") == [Finish(result)]


def test_only_the_worker_that_measures_is_shown():
    phases = measuring()
    assert phases.heard(0, Progress(7, 100), 3.0) == []
    assert phases.stage is Stage.MEASURING


@pytest.mark.parametrize("step", ["begin", "ready", "go", "done"])
def test_silence_ends_it_at_any_time(step, two):
    now = 100.0
    two.begin(now)
    if step != "begin":
        two.heard(0, Ready(), now := now + 9)
    if step in {"go", "done"}:
        two.heard(1, Ready(), now := now + 9)
    if step == "done":
        two.heard(1, RESULT, now := now + 9)
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


REPORTS = st.sampled_from([Ready(), Progress(1, 1), Progress(2, 2), RESULT, Failed("x")])
WORKERS = st.integers(0, 1)
EVENTS = st.one_of(
    st.tuples(st.just("heard"), WORKERS, REPORTS),
    st.tuples(st.just("ended"), WORKERS, st.sampled_from([0, 0, 1, -9])),
    st.tuples(st.just("passed"), st.floats(0, 8), st.none()),
)


@given(st.lists(EVENTS, max_size=30))
def test_whatever_happens_it_ends_once_and_does_nothing_afterwards(events):
    phases = Phases(("echo", "ask"), quiet_s=10.0)
    done = list(phases.begin(0.0))
    now = 0.0
    for kind, first, second in events:
        was_over = phases.stage is Stage.OVER
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
    assert (len(ends) == 1) == (phases.stage is Stage.OVER)
    # A result is given only after both were told to go and to stop.
    orders = [one.order for one in done if isinstance(one, TellAll)]
    if ends and isinstance(ends[0], Finish):
        assert orders == [Go(), Stop()]
    assert orders in ([], [Go()], [Go(), Stop()])
