"""The highest rate that is answered in time: what a try comes to, what is kept of it, and how it is shown."""

import csv
import io
import re
from dataclasses import replace as changed

import numpy as np
import pytest
from msgspec.structs import replace
from tests.unit.bench.synthetic import STARTED, make_run, row

from formicary.errors import UsageError
from formicary_bench.cli.report import report
from formicary_bench.experiments.messaging.open_loop import HIGHEST, MISSED, Limit, Paced, measure
from formicary_bench.experiments.messaging.open_loop.measure import (
    MOST_TRIES,
    drawn_first,
    measure_saturation,
)
from formicary_bench.experiments.messaging.open_loop.pipeline import (
    highest_kept,
    lowest_missed,
    reading_of,
    trials_of,
)
from formicary_bench.reports.document.report import charts, columns, extras, said
from formicary_bench.reports.document.sections import Document
from formicary_bench.reports.formats.csv import write_raw
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import MEASURED, RoundTrips, Trials
from formicary_bench.results.summary.commands import command
from formicary_bench.results.summary.row import with_figures
from formicary_bench.results.summary.summary import summarise
from formicary_bench.results.verdicts.pairing import pair
from formicary_bench.results.verdicts.verdicts import with_comparisons
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution.repetition import Task
from formicary_bench.runner.planning.options import Options, parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.statistics.comparisons import Verdict, compare
from formicary_bench.statistics.gates import Outcome, gate
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.names import SATURATION
from formicary_bench.vocabulary.places import APART, SAME
from formicary_bench.vocabulary.values import CONSTANT, LATE, POISSON

ONE = Configuration(
    experiment=SATURATION,
    platform="formicary",
    kind="behaviours",
    route="in-process",
    parameters={"pairs": 10, "payload_bytes": 100, "arrivals": CONSTANT, "limit_us": 5000},
)
TASK = Task(ONE, 2, 99)


def rate_of(task):
    return task.configuration.parameters["rate"]


def system(capacity, *, slow_us=9000, **about):
    """Fake the measurement: messages take 100 us up to the capacity, and the given time above."""

    def measure(task, _listener):
        one = Paced.of(task.configuration)
        trips = one.trips
        time_ns = 1000 * (100 if one.rate <= capacity else slow_us)
        phases = np.repeat(np.array([1, 2, 3], dtype=np.int8), one.rounds)
        phase = np.tile(phases, one.load)
        data = RoundTrips(
            pair=np.repeat(np.arange(one.load, dtype=np.int32), trips),
            index=np.tile(np.arange(trips, dtype=np.int32), one.load),
            start_ns=np.zeros(one.load * trips, dtype=np.int64),
            # What comes before and after is slow, and does not count.
            rtt_ns=np.where(phase == MEASURED, time_ns, 10**10),
            phase=phase,
        )
        is_full = one.rate > capacity
        known = {name: value(task.configuration) for name, value in about.items() if is_full}
        base = {"configuration": task.configuration.key, "number": task.number, "seed": task.seed}
        return Repetition(**base, started=STARTED, ended=STARTED, **known), data

    return measure


def messages_of(configuration):
    return configuration.exchange.measured * configuration.exchange.load


@pytest.fixture
def search(monkeypatch, tasks):
    def call(measure):
        def noted(task, listener):
            tasks.append(task)
            return measure(task, listener)

        monkeypatch.setattr("formicary_bench.experiments.messaging.open_loop.measure.measure", noted)
        return measure_saturation(TASK, None)

    return call


@pytest.fixture
def tasks():
    return []


def test_every_rate_is_an_open_loop_of_its_own_and_what_came_of_it_is_kept(search, tasks):
    repetition, data = search(system(30_000))
    first = drawn_first(99)
    assert data.rate.tolist()[:3] == [first, 3 * first, 9 * first]
    assert data.kept.tolist() == [int(rate <= 30_000) for rate in data.rate]
    assert data.p99_ns.tolist() == [100_000 if rate <= 30_000 else 9_000_000 for rate in data.rate]
    assert data.answered.tolist() == [task.configuration.exchange.measured * 10 for task in tasks]
    assert (repetition.configuration, repetition.number, repetition.seed) == (ONE.key, 2, 99)
    assert repetition.notes == repetition.invalid == ()
    assert [rate_of(task) for task in tasks] == data.rate.tolist()
    asked = [task.configuration for task in tasks]
    assert asked == [
        ONE.sized(rate=rate_of(task), rounds=task.configuration.exchange.rounds) for task in tasks
    ]
    assert all(min(one.exchange.rounds) > 0 for one in asked)
    assert len({task.seed for task in tasks}) == len(tasks) <= MOST_TRIES


@pytest.mark.parametrize(
    ("about", "column"),
    [
        ({"lost": lambda _: 1}, "lost"),
        ({"counters": lambda one: {LATE: messages_of(one) * 0.06}}, "late"),
    ],
)
def test_what_is_answered_in_time_is_not_kept_if_some_is_lost_or_the_sender_was_late(search, about, column):
    if column == "late":
        about |= {
            "invalid": lambda one: tuple(
                measure.why_late(one, {LATE: messages_of(one) * 0.06}),
            )
        }
    repetition, data = search(system(3000, slow_us=100, **about))
    assert data.kept.tolist() == [int(rate <= 3000) for rate in data.rate]
    assert (getattr(data, column) > 0).tolist() == [rate > 3000 for rate in data.rate]
    assert repetition.invalid == ()


def test_a_few_late_messages_are_counted_and_do_not_matter(search):
    about = {"counters": lambda one: {LATE: messages_of(one) * 0.04}}
    _, data = search(system(500, slow_us=100, **about))
    assert data.kept.all()
    assert (data.late > 0).all()


def test_a_search_on_a_host_that_others_disturb_is_not_valid_and_ends(search):
    why = "host a was used by other processes (60% of its CPU)"
    repetition, data = search(system(3000, slow_us=100, invalid=lambda _: (why,)))
    assert repetition.invalid == (why,)
    # It says nothing of the system that it was disturbed.
    assert data.kept.all()


def test_a_rate_at_which_nothing_could_be_measured_is_not_kept_and_is_said(search):
    sound = system(10_000)

    def measure(task, listener):
        if rate_of(task) > 8000:
            raise RepetitionError("the echoing process was ended by SIGKILL")
        return sound(task, listener)

    repetition, data = search(measure)
    assert data.kept.tolist() == [int(rate <= 8000) for rate in data.rate]
    assert (data.answered > 0).tolist() == [rate <= 8000 for rate in data.rate]
    assert repetition.notes[0] == (
        f"at {3 * drawn_first(99)} messages/s nothing was measured: the echoing process was ended by SIGKILL"
    )


def test_a_rate_that_was_missed_by_bad_luck_is_tried_again_and_kept(search, tasks):
    calm = system(30_000)
    disturbed = iter([False, True])

    def measure(task, listener):
        return (system(0) if next(disturbed, False) else calm)(task, listener)

    repetition, data = search(measure)
    unlucky = 3 * drawn_first(99)
    assert data.kept[data.rate == unlucky].tolist() == [0, 1]
    assert 30_000 / 1.15 < highest_kept(trials_of(data)) <= 30_000
    assert repetition.notes == ()
    assert len({task.seed for task in tasks}) == len(tasks)  # arrivals are others in the second try


def test_a_system_of_which_nothing_can_be_measured_is_soon_given_up(search, tasks):
    def measure(*_):
        raise RepetitionError("no round trip was measured")

    with pytest.raises(RepetitionError, match=r"at \d+ messages/s nothing was measured: no round trip"):
        search(measure)
    first = drawn_first(99)
    assert [rate_of(task) for task in tasks] == [first, first // 3, first // 9]


def trial(rate, kept, p99_us=0.0, answered=1, **about):
    known = {"rate": rate, "kept": int(kept), "p99_us": p99_us}
    return {**known, "answered": answered, "late": 0, "lost": 0, **about}


def found(rate, missed):
    return [trial(rate, True, 800.0, rate * 2), trial(missed, False, 9000.0, missed * 2, late=7, lost=3)]


def of(*searches, **about):
    """Return the row of searches, each given by its trials."""
    load = {"pairs": 10, "arrivals": CONSTANT, "limit_us": 5000, **about}
    frame = row(experiment=SATURATION, full_load=None, **load)
    return with_figures(frame, {number: reading_of(tried) for number, tried in enumerate(searches, 1)})


def test_the_result_is_the_mean_of_the_searches_with_its_interval():
    known = of(found(4000, 4300), found(4200, 4500), found(4400, 4700))
    assert (known.mean(HIGHEST), known.mean(MISSED)) == (4200, 4500)
    low, high = known.bounds(HIGHEST)
    assert low < 4000
    assert high > 4400
    assert [one["repetition"] for one in known.records] == [1, 1, 2, 2, 3, 3]


def test_a_search_that_kept_nothing_has_no_rate_and_one_that_missed_nothing_no_end():
    nothing = of(found(1000, 500))
    assert (nothing.mean(HIGHEST), nothing.bounds(HIGHEST), nothing.mean(MISSED)) == (0, None, 500)
    endless = of(found(4000, 4300)[:1])
    assert (endless.mean(HIGHEST), endless.mean(MISSED)) == (4000, None)


def test_a_rate_counts_as_missed_only_if_no_try_kept_it():
    wavering = [trial(1000, kept) for kept in (False, True)]
    missed = [trial(2000, False)] * 2
    assert (highest_kept([*wavering, *missed]), lowest_missed([*wavering, *missed])) == (1000, 2000)
    assert lowest_missed(wavering) == 0


def test_what_is_searched_for_and_by_whom():
    plan = make_plan(parse(SATURATION, p99="800us", arrivals="constant,poisson", pairs="3"))
    assert {(c.platform, c.kind, c.placement) for c in plan} == {
        ("formicary", "behaviours", SAME), ("formicary", "micro", SAME), ("tasks", "", SAME),
        ("formicary", "behaviours", APART), ("formicary", "micro", APART), ("tcp", "", APART),
    }  # fmt: skip
    assert {(Limit.of(c).limit_us, Limit.of(c).arrivals) for c in plan} == {(800, CONSTANT), (800, POISSON)}
    assert not any("rate" in c.parameters for c in plan)
    assert len({c.key for c in plan}) == len(plan)
    assert command(plan[0]).endswith("--pairs 3 --payload 100 --p99 800us --arrivals constant")
    assert {Limit.of(c).limit_us for c in make_plan(Options(SATURATION))} == {5000}


@pytest.mark.parametrize(
    ("text", "limit_us"), [("1us", 1), ("5ms", 5000), (" 2s", 2_000_000), ("86400s", 86_400_000_000)]
)
def test_a_time_is_read_with_its_unit(text, limit_us):
    assert parse(SATURATION, p99=text).sizes["limit_us"] == limit_us


@pytest.mark.parametrize("text", ["5", "0ms", "ms", "-5ms", "1.5ms", "5 ms", "5m", "86401s", "\u0665ms"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(UsageError, match=r"--p99 takes a time with a unit \(us, ms or s\), not"):
        parse(SATURATION, p99=text)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"rate": "100"}, "messaging/saturation has no --rate"),
        ({"rounds": "1,2,1"}, "messaging/saturation has no --rounds"),
        ({"warm_up": "7"}, "messaging/saturation has no warm-up"),
        ({"profile": True}, "can be profiled: it is about the rate that processes can sustain, not about"),
        ({"payload": "7"}, "messaging/saturation identifies messages by the first 8 bytes"),
    ],
)
def test_what_a_search_does_not_have_is_refused(given, sentence):
    with pytest.raises(UsageError, match=sentence):
        make_plan(parse(SATURATION, **given))


def test_other_experiments_have_no_limit():
    with pytest.raises(UsageError, match="messaging/open-loop has no --p99"):
        parse("messaging/open-loop", p99="5ms")


DATA = Trials(
    rate=np.array([1000, 2000, 4000, 2828]),
    kept=np.array([1, 1, 0, 0]),
    p99_ns=np.array([400_000, 900_000, 0, 9_000_000]),
    answered=np.array([2000, 4000, 0, 5650]),
    late=np.array([0, 2, 0, 300]),
    lost=np.array([0, 0, 0, 4]),
)


@pytest.fixture
def run(tmp_path):
    """Two searches, the second with half the rates."""
    return written(tmp_path / "run")


def written(path, **columns):
    run = make_run(path, [ONE], repetitions=0, complete=False)
    for number in (1, 2):
        data = changed(DATA, rate=DATA.rate // number, **columns)
        known = {"configuration": ONE.key, "number": number, "seed": number}
        run.add(Repetition(**known, started=STARTED, ended=STARTED), data)
    run.finish(load_after=None)
    return run


def test_a_folder_gives_back_what_was_tried(run):
    (only,) = summarise(run)
    assert (only.mean(HIGHEST), only.mean(MISSED)) == (1500, 2121)
    assert only.bounds(HIGHEST) is not None
    assert len(only.records) == 8
    assert only.records[3] == {"repetition": 1, **trial(2828, False, 9000.0, 5650, late=300, lost=4)}


def test_the_report_has_the_rate(run):
    rows = summarise(run)
    cells = {column.title: column.cells for column in columns(SATURATION, rows, rows)}
    assert (cells["99% within"], cells["kept up to"], cells["no longer at"]) == (
        ("5 ms",),
        ("1500",),
        ("2121",),
    )
    assert cells["rates tried"] == ("4",)
    (sentence,) = said(SATURATION, rows, rows)
    assert (
        "99% of messages are answered within 5 ms up to 1500 messages per second, but no longer 2121."
        in sentence
    )


def test_the_figure_has_every_rate_once_in_order_and_marks_what_was_not_always_kept(run):
    rows = summarise(run)
    (chart,) = charts(SATURATION, rows, rows)
    assert chart.title == "99th percentile over the rate, 10 pairs, 100 B, constant arrivals"
    ((_, points),) = chart.plot.lines.items()
    assert [point.x for point in points] == [500, 1000, 1414, 2000, 2828]
    assert [point.sound for point in points] == [True, True, False, True, False]
    assert points[1].y == (400 + 900) / 2
    wavering = of([*found(1000, 2000), *found(2000, 4000)])
    (other,) = charts(SATURATION, [wavering], rows)
    ((_, points),) = other.plot.lines.items()
    assert [(point.x, point.sound) for point in points] == [(1000, True), (2000, False), (4000, False)]
    assert "2 000/s: 4.90 ms, not kept 1 of 2 times" in points[1].tip


def test_loads_that_differ_have_a_figure_each():
    tried = found(1000, 2000)
    rows = [of(tried), of(tried, arrivals=POISSON), of(tried, pairs=1)]
    titles = [chart.title.partition(", ")[2] for chart in charts(SATURATION, rows, rows)]
    assert set(titles) == {
        "10 pairs, 100 B, constant arrivals",
        "10 pairs, 100 B, poisson arrivals",
        "one pair, 100 B, constant arrivals",
    }


def test_what_kept_nothing_is_said():
    rows = [of(found(1000, 500))]
    (sentence,) = said(SATURATION, rows, rows)
    assert sentence.endswith("kept no rate that was tried: 99% were not answered within 5 ms.")
    assert said(SATURATION, [replace(rows[0], platform="tasks", kind="")], rows) == []


def test_raw_values_go_to_csv_with_their_columns(run):
    stream = io.StringIO(newline="")
    write_raw(Document(run), stream)
    lines = list(csv.DictReader(io.StringIO(stream.getvalue(), newline="")))
    assert [int(line["rate"]) for line in lines] == [1000, 2000, 4000, 2828, 500, 1000, 2000, 1414]
    assert (lines[3]["kept"], lines[3]["p99_ns"], lines[3]["rtt_ns"]) == ("0", "9000000", "")


def test_searches_of_two_runs_are_compared_by_their_rates(run, tmp_path):
    (contrast,) = pair(run, written(tmp_path / "base")).contrasts
    assert (contrast.values, contrast.base, contrast.is_rate) == ((2000.0, 1000.0), (2000.0, 1000.0), True)


def test_a_comparison_says_that_searches_kept_no_rate(run, tmp_path):
    nothing = written(tmp_path / "base", kept=np.zeros(4, dtype=np.int64))
    pairing = pair(run, nothing)
    assert f"{nothing.path}: 2 repetitions of {ONE.key} have no rate" in pairing.remarks
    (contrast,) = pairing.contrasts
    # That half of the searches find nothing must not pass for as fast as before.
    half = replace(contrast, values=(2000.0, 0.0) * 5, base=(2000.0, 2000.0) * 5)
    (judged,), (gated,) = compare([half]), gate([half], 0.05)
    assert (judged.verdict, gated.outcome) == (Verdict.UNDECIDED, Outcome.UNDECIDED)
    assert "not positive" in judged.sentence


def searches(*rates):
    """Make a row of searches that found these rates."""
    return of(*(found(rate, round(rate * 1.14)) for rate in rates))


def test_searches_of_platforms_in_a_run_are_held_against_each_other():
    ours = searches(40_000, 41_000, 40_500, 39_500, 40_200)
    micro = replace(searches(80_000, 81_000, 79_000, 80_500, 80_200), kind="micro")
    rows = with_comparisons([ours, micro, replace(micro, platform="tasks", kind="")])
    ((one,), *others) = [row.compared for row in rows]
    assert (one.kind, one.figure, one.comparison.verdict) == ("micro", HIGHEST.name, Verdict.SLOWER)
    assert others == [(), ()]  # a baseline takes no part
    (table,) = [extra for extra in extras(SATURATION, rows, rows) if extra.title == "Which is faster"]
    assert {column.title: column.cells for column in table.columns}["figure"] == ("kept up to",)
    other_limit = replace(micro, parameters={**micro.parameters, "limit_us": 800})
    other_arrivals = replace(micro, parameters={**micro.parameters, "arrivals": POISSON})
    assert [row.compared for row in with_comparisons([ours, other_limit, other_arrivals])] == [(), (), ()]


def test_the_table_says_how_far_the_highest_rate_can_be_believed():
    rows = [searches(40_000, 41_000, 40_500), searches(4000, 8000, 2000)]
    cells = {column.title: column.cells for column in columns(SATURATION, rows, rows)}
    assert cells["stability"][0].startswith("1% by ~")
    assert cells["stability"][1] == "scatters"


@pytest.mark.parametrize("kind", ["html", "markdown", "latex", "csv", "json"])
def test_every_format_has_the_rate(run, tmp_path, kind):
    report(run.path, kind=kind, to=tmp_path / "file")
    text = (tmp_path / "file").read_text()
    assert "messaging/saturation" in text
    assert re.search(r"1.?500", text)
