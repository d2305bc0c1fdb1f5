"""What is said of visits to a shop."""

import msgspec
import pytest
from tests.unit.bench import synthetic

from formicary_bench.experiments.mobile.web_shop import (
    PAGES,
    PEAK_VISITS,
    REQUESTS_PER_S,
    SUSTAINED_VISITS,
    TAKES,
    VISIT,
)
from formicary_bench.experiments.mobile.web_shop.pipeline import REPORT, SUMMARY
from formicary_bench.reports.document.points import Findings
from formicary_bench.results.summary.each import Each, named
from formicary_bench.vocabulary.names import WEB_SHOP
from formicary_bench.vocabulary.places import APART
from formicary_bench.vocabulary.values import FETCHES, ORDERING, SHOPPING, SQLITE, TRAVELS


def row(way, requests, mean_us, **about):
    figures = named(
        {
            VISIT: mean_us,
            PEAK_VISITS: 1.2e6 / mean_us,
            SUSTAINED_VISITS: 1e6 / mean_us,
            REQUESTS_PER_S: requests * 1e6 / mean_us,
            TAKES: 50 * mean_us / 1e6,
            PAGES: 760.0 * requests,
        }
    )
    known = {
        "experiment": WEB_SHOP,
        "placement": APART,
        "route": "direct",
        "repetitions": 1,
        "payload_bytes": 0,
        "mix": SHOPPING,
        "requests": requests,
        "database": SQLITE,
        "each": (Each(values=figures),),
        **figures,
        **about,
    }
    return synthetic.row("formicary", way, **known)


ROWS = [
    *(row(TRAVELS, 1, 1500.0), row(FETCHES, 1, 500.0)),
    *(row(TRAVELS, 10, 2500.0), row(FETCHES, 10, 4000.0)),
    *(row(TRAVELS, 100, 12_000.0), row(FETCHES, 100, 36_000.0)),
]


def sentences(rows):
    return REPORT.sentences(Findings(rows))


def table(rows):
    return {column.title: column.cells for column in REPORT.columns(Findings(rows))}


def test_it_is_said_from_where_on_it_is_faster_to_go():
    (said,) = sentences(ROWS)
    assert said == (
        "With the shopping mix, between two processes by direct and sqlite, a visit of one request takes "
        "1.50 ms where the agent goes to the data, and 500 µs where the data comes to it; a visit of "
        "100 requests takes 12.0 ms where the agent goes to the data, and 36.0 ms where the data comes to "
        "it; travelling is faster from 10 requests on."
    )


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        (ROWS[2:], "travelling is faster at all measured lengths."),
        (ROWS[:2], "travelling is faster at none of these lengths."),
    ],
)
def test_it_may_be_faster_always_or_never(rows, verdict):
    (said,) = sentences(rows)
    assert said.endswith(verdict)


def test_nothing_is_said_of_one_way_alone_or_of_what_is_not_valid():
    assert sentences([one for one in ROWS if one.kind == FETCHES]) == []
    assert sentences([row(TRAVELS, 1, 1500.0, invalid=("it was disturbed",)), ROWS[1]]) == []


def test_the_table_has_the_figures_of_the_paper():
    found = table(ROWS)
    assert found["requests"] == ("1", "10", "100") * 2
    assert found["visits/s, sustained"][::3] == ("667", "2000")
    assert found["peak"][::3] == ("800", "2400")
    assert found["requests/s"][-1] == "2778"
    assert found["all visits"][0] == "75.0 ms"
    assert found["pages of a visit"][-1] == "76.0 kB"


def test_a_chart_shows_the_time_against_the_requests_of_each_mix():
    ordering = [msgspec.structs.replace(one, parameters={**one.parameters, "mix": ORDERING}) for one in ROWS]
    titles = [chart.title for chart in REPORT.charts(Findings([*ROWS, *ordering]))]
    assert titles == [
        "Time of a visit against requests, shopping",
        "Time of a visit against requests, ordering",
        "Time of a visit, 100 requests",
    ]
    (dots,) = REPORT.charts(Findings(ROWS[:2]))  # a point is no line
    assert dots.title == "Time of a visit, 1 request"


def test_ways_are_held_against_each_other_where_they_do_the_same():
    travels, fetches = ROWS[0], ROWS[1]
    assert SUMMARY.is_held_against(travels, fetches)
    assert not SUMMARY.is_held_against(fetches, travels)
    assert not SUMMARY.is_held_against(travels, ROWS[3])
    assert not SUMMARY.is_held_against(travels, row(FETCHES, 1, 500.0, mix="ordering"))


def test_it_is_said_that_this_is_no_result_of_tpc_w():
    (remark,) = REPORT.remarks(Findings(ROWS))
    assert "not results of TPC-W" in remark
