"""What reports say of the directory, on hand-made rows and on runs that never took place."""

import pytest
from msgspec.structs import replace
from tests.unit.bench.reports.formats.test_html import Page
from tests.unit.bench.synthetic import churn_plan, directory_plan, make_run, messages, repeated, row

from formicary_bench.reports.charts.series import by_series
from formicary_bench.reports.document.report import charts, tiles
from formicary_bench.reports.document.report import columns as columns_of
from formicary_bench.reports.document.report import said as sentences
from formicary_bench.reports.formats.html import render
from formicary_bench.results.summary.baselines import baseline_of
from formicary_bench.results.summary.summary import summarise
from formicary_bench.vocabulary.metrics import CREATION, EACH_HOLDS, RATE

DIRECT = {"placement": "two-containers", "route": "direct"}
MESSAGE = repeated(row(rtt_p50_us=2.0, rtt_mean_us=2.0, round_trips_per_s=400_000.0))
MESSAGE_APART = repeated(row(**DIRECT, rtt_p50_us=50.0, rtt_mean_us=50.0, round_trips_per_s=20_000.0))


def use(kind="replica", services=0, median=4.0, experiment="directory/search", **about):
    figures = {"rtt_p50_us": median, "rtt_mean_us": median, "full_load": None}
    return repeated(row("formicary", kind, experiment=experiment, services=services, **figures, **about))


SEARCHES = [use(), use(services=100_000, median=5.0), use("central", median=80.0, **DIRECT)]
CHURN = row(
    "formicary",
    "replica",
    experiment="directory/churn",
    agents=20_000,
    pairs=0,
    agents_per_s=40_000.0,
    full_load=None,
    **DIRECT,
)


def test_a_use_is_held_against_a_message_on_the_same_way():
    run = [
        MESSAGE_APART,
        MESSAGE,
        row(pairs=9, round_trips_per_s=1.0),
        row(kind="micro", round_trips_per_s=1.0),
    ]
    assert [baseline_of(one, [*SEARCHES, *run]) for one in SEARCHES] == [MESSAGE, MESSAGE, MESSAGE_APART]
    assert baseline_of(use(tls=True, **DIRECT), run) is None
    assert baseline_of(CHURN, run) is None


def test_a_sentence_has_the_most_services_and_the_message():
    run = [*SEARCHES, MESSAGE, MESSAGE_APART]
    assert sentences("directory/search", SEARCHES, run) == [
        (
            "In one process, a search for the services of a type in the replica with 100 000 services takes "
            "5.00 µs (median), 2.5× slower than a message and its answer (2.5–2.5)."
        ),
        (
            "Between two processes over a direct link, a search for the services of a type in the central "
            "directory with 0 services takes 80.0 µs (median), 1.60× slower than a message and its answer "
            "(1.59–1.61)."
        ),
    ]
    (alone,) = sentences("directory/search", SEARCHES[:1], SEARCHES)
    assert "message" not in alone


def test_a_sentence_says_that_the_way_back_is_part_of_it():
    spread = [
        use(experiment="directory/propagation", containers=others, median=others * 100.0, **DIRECT)
        for others in (1, 3)
    ]
    (said,) = sentences("directory/propagation", spread, [*spread, MESSAGE_APART])
    assert said == (
        "Between two processes over a direct link, 3 other containers have reported a registration in the "
        "replica after 300 µs (median), 6.0× slower than a message and its answer (6.0–6.0)."
    )
    few = [replace(one, each=one.each[:3]) for one in spread]
    (said,) = sentences("directory/propagation", few, [*few, MESSAGE_APART])
    assert said.endswith("after 300 µs (median).")


def test_a_sentence_says_when_others_see_a_registration():
    registered = use(experiment="directory/register", median=20.0, seen_us=100.0, **DIRECT)
    (said,) = sentences("directory/register", [registered], [registered])
    assert said == (
        "Between two processes over a direct link, registering a service in the replica with 0 services "
        "takes 20.0 µs (median); all others have seen it after 100 µs."
    )


def test_a_sentence_says_what_agents_that_come_and_go_do():
    (said,) = sentences("directory/churn", [CHURN], [CHURN])
    assert said == (
        "Between two processes over a direct link, 40.0 k agents per second are started, register with the "
        "replica, are seen by all four containers, and end (20 000 agents in all)."
    )


def test_tables_say_how_many_times_a_message_it_takes():
    columns = {
        column.title: column.cells
        for column in columns_of("directory/search", SEARCHES, [*SEARCHES, MESSAGE])
    }
    assert columns["who"] == ("Replica in one process", "Replica in one process", "Central directory, direct")
    assert columns["services"] == ("0", "100 000", "0")
    against = (
        "2.0× slower (1.99–2.0)",
        "2.5× slower (2.5–2.5)",
        "",
    )
    assert columns["beside it"] == against
    assert [column.title for column in columns_of(CHURN.experiment, [CHURN], [CHURN])] == [
        "who", "where", "agents", "registered/s", "95%"
    ]  # fmt: skip


def test_the_first_figures_have_the_search_with_the_most_services():
    *_, tile = tiles([*SEARCHES, MESSAGE_APART])
    assert (tile.value, tile.meaning) == (
        "5.00 µs",
        "median time, replica in one process, 100 000 services",
    )


def test_each_design_and_way_looks_different():
    ways = [("same-container", "in-process", False)]
    ways += [("two-containers", route, tls) for route in ("direct", "xmpp", "auto") for tls in (False, True)]
    rows = [
        use(kind, placement=placement, route=route, tls=tls)
        for kind in ("replica", "central", "lookup")
        for placement, route, tls in ways
    ]
    series = list(by_series(rows))
    assert len(series) == len(rows)
    assert len({(one.colour, one.mark, one.dash) for one in series}) == len(rows)
    assert len({one.label for one in series}) == len(rows)


def ticks(rows):
    (lines, _) = charts("directory/search", rows, rows)
    return [tick.text for tick in lines.plot.x.ticks]


@pytest.mark.parametrize(
    ("services", "names"),
    [
        ((0, 100, 100_000), ["0", "100", "100 000"]),
        ((100, 10_000), ["100", "10 000"]),
        ((0, 1), ["0", "1"]),
        ((0, 5, 50), ["0", "5", "50"]),
    ],
)
def test_none_registered_has_a_place_on_the_axis(services, names):
    assert ticks([use(services=many) for many in services]) == names


def test_what_was_not_measured_has_no_chart():
    assert charts("directory/search", [row("formicary", "replica", experiment="directory/search")], []) == []


def test_a_run_with_the_directory_has_a_page_with_charts(tmp_path):
    plan = [
        *directory_plan(),
        *directory_plan("directory/register", services=(10,)),
        *directory_plan("directory/propagation", services=(0,), containers=(1, 3)),
        *churn_plan(),
        messages("two-containers", "direct"),
    ]
    run = make_run(tmp_path / "run", plan)
    rows = summarise(run)
    assert {one.mean(RATE) for one in rows if one.family == "directory"} == {None}
    churned = [one for one in rows if one.experiment == "directory/churn"]
    assert [one.mean(CREATION) > 0 and one.mean(EACH_HOLDS) is None for one in churned] == [True, True]
    page = Page(render(run))
    assert page.elements.count("figure") == 1 + 2 + 1 + 2 + 1 + 2
    for words in (
        "Searching for services of a type", "Time against services registered before",
        "How registrations spread", "Agents that start, register and end", "directory/propagation",
    ):  # fmt: skip
        assert words in page.text
    assert "inconclusive" in page.text


def test_numbers_of_uses_that_differ_say_where(tmp_path):
    few, *_ = directory_plan(services=(7,))
    longer = few.sized(rounds=(5, 50, 0))
    text = render(make_run(tmp_path / "run", [*directory_plan(services=(100,)), longer]))
    assert "<td>in-process, 7 services</td>" in text
    assert "<td>in-process, 100 services; direct, 100 services</td>" in text
