"""A real search, a short one: what it says is what its own tries say."""

import pytest
from tests.integration.bench.conftest import perform

from formicary_bench.experiments.messaging.open_loop import HIGHEST, measure
from formicary_bench.reports.formats.html import write_html
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.planning.options import Options
from formicary_bench.vocabulary.names import SATURATION
from formicary_bench.vocabulary.places import SAME


@pytest.fixture
def _short(monkeypatch):
    """Try at most three rates, each for a moment."""
    monkeypatch.setattr(measure, "_PHASES_S", (0.05, 0.05, 0.05))
    monkeypatch.setattr(measure, "FIRST", 200)
    monkeypatch.setattr(measure, "HIGHEST", 400)
    monkeypatch.setattr(measure, "MOST_TRIES", 4)


@pytest.mark.usefixtures("_short")
def test_a_search_tries_rates_in_fresh_processes_and_says_what_it_found(silent, tmp_path):
    options = Options(
        SATURATION,
        sizes={"pairs": (2,), "limit_us": 60_000_000},
        placements=(SAME,),
        subjects=("formicary-behaviours",),
    )
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    (row,) = summarise(outcome.folder)
    trials = row.records
    assert 200 <= trials[0]["rate"] <= 200 * measure.NARROW
    assert 2 <= len(trials) <= 4
    for trial in trials:
        assert trial["answered"] == 2 * -(-trial["rate"] // 40)  # each of two senders, rounded up
        assert (trial["lost"], trial["p99_us"] > 0) == (0, True)
        # A minute is enough for anybody; what is not kept was sent late, as a machine may be that busy.
        assert trial["kept"] or trial["late"] > 0.05 * trial["answered"]
    assert row.mean(HIGHEST) == max((one["rate"] for one in trials if one["kept"]), default=0)
    assert "99th percentile over the rate" in write_html(outcome.folder).read_text()
