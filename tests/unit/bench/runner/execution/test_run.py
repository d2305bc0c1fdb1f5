"""What a run does with repetitions that others disturbed, and before it takes long."""

from unittest import mock

import pytest
from tests.unit.bench.synthetic import STARTED, create_plan, creations, make_run

from formicary_bench.results.store.model import Repetition
from formicary_bench.runner.execution import run as module
from formicary_bench.runner.execution.display import Display
from formicary_bench.runner.execution.measures import Measured
from formicary_bench.runner.execution.resources import Resources
from formicary_bench.runner.execution.run import _Run


def begun(path, repeat):
    """Return a run of which nothing is there yet."""
    (one, *_) = create_plan()
    options = {"experiment": "create", "repeat": repeat, "seed": 7}
    return make_run(path, [one], repetitions=0, complete=False, options=options, repeats=(repeat,))


@pytest.fixture
def measuring(tmp_path, monkeypatch):
    """Return a function that makes a run where others use so many cores, one measurement after the other."""

    def perform(repeat, others):
        folder, used = begun(tmp_path / "run", repeat), iter(others)
        listener = mock.Mock()

        def measure(_, configuration, number, seed):
            known = Repetition(
                configuration=configuration.key,
                number=number,
                seed=seed,
                started=STARTED,
                ended=STARTED,
                others_cores=next(used),
            )
            return Measured(known, creations(configuration, seed))

        monkeypatch.setattr(_Run, "_measure", measure)
        _Run(folder, Resources([]), listener).perform()
        assert next(used, None) is None
        return [one.others_cores for one in folder.manifest.repetitions], listener.say.mock_calls

    return perform


def test_what_others_disturbed_is_measured_again_twice_at_most(measuring):
    kept, said = measuring(5, [0.0, 1.0, 0.2, 0.9, 0.5, 0.7, 0.1, 0.3])
    assert kept == [0.0, 0.2, 0.5, 0.1, 0.3]
    assert said == []


def test_a_forecast_has_all_attempts_at_a_repetition(measuring, monkeypatch):
    attempts, took = [], []

    def disturbed():
        for others in (0.1, 0.9, 0.8, 0.2, 0.1, 0.1, 0.1):
            attempts.append(others)
            yield others

    monkeypatch.setattr(module.time, "monotonic", lambda: len(attempts))  # each takes a second
    monkeypatch.setattr(module.Forecast, "measured", lambda _, __, seconds: took.append(seconds))
    measuring(5, disturbed())
    assert took == [1, 3, 1, 1, 1]


def test_on_a_machine_that_stays_busy_nothing_more_is_measured_again(measuring):
    kept, said = measuring(5, [1.0] * 11)
    assert kept == [1.0] * 5
    (once,) = said
    assert "other programs keep using 1.0 cores" in once.args[0]


def test_few_repetitions_decide_nothing_and_are_not_measured_again(measuring):
    assert measuring(4, [1.0] * 4)[0] == [1.0] * 4


@pytest.mark.parametrize(("agrees", "many"), [(True, 1), (False, 0)])
def test_a_long_run_goes_on_only_where_somebody_agrees(tmp_path, monkeypatch, agrees, many):
    folder = begun(tmp_path / "run", 1)
    monkeypatch.setattr(module, "_LONG", -1.0)
    measured = mock.Mock(return_value=Measured(mock.Mock(others_cores=0.0), mock.Mock()))
    monkeypatch.setattr(_Run, "_measure", measured)
    monkeypatch.setattr(folder, "add", mock.Mock())
    listener = mock.Mock()
    listener.agrees.return_value = agrees
    assert _Run(folder, Resources([]), listener).perform().declined is not agrees
    assert measured.call_count == many


@pytest.mark.parametrize(("answer", "agrees"), [("", True), ("y", True), ("no", False), (EOFError, False)])
def test_only_a_terminal_is_asked(monkeypatch, answer, agrees):
    asked = mock.Mock(side_effect=[answer])
    monkeypatch.setattr("rich.console.Console.input", asked)
    with Display(asks=True) as display:
        assert display.agrees()
    assert not asked.called
    for stream in ("sys.stdin", "sys.stdout"):
        monkeypatch.setattr(f"{stream}.isatty", lambda: True, raising=False)
    with Display(asks=False) as display:
        assert display.agrees()
    assert not asked.called
    with Display(asks=True) as display:
        assert display.agrees() is agrees
