"""Real grids, tiny ones, in one process and over several."""

import pytest

from formicary_bench.vocabulary.values import MICRO_COPIED

SMALL = ("--dimension", "6", "--swaps", "20", "--repeat", "1")


def test_all_swap_until_the_first_has_made_enough(bench):
    ended = bench("run", "grid/swap", *SMALL, "--json")
    assert ended.code == 0
    rows = {row["kind"] or row["platform"]: row for row in ended.rows}
    assert rows.keys() == {"micro", MICRO_COPIED, "callbacks"}
    for row in rows.values():
        figures = {name: one["mean"] for name, one in row["figures"].items()}
        assert 1 <= figures["swaps_mean"] <= 20
        assert figures["messages_per_s"] == pytest.approx(2 * figures["round_trips_per_s"])
        assert figures["held_bytes"] > 1e6
        assert not row["invalid"]


def test_a_grid_is_over_two_containers(bench):
    ended = bench(
        "run", "grid/swap", *SMALL, "--containers", "1,2", "--platform", "formicary-micro", "--json"
    )
    assert ended.code == 0
    assert [(row["parameters"]["containers"], row["placement"], row["route"]) for row in ended.rows] == [
        (1, "same-container", "in-process"), (2, "two-containers", "direct")
    ]  # fmt: skip
    assert all(row["figures"]["swaps_mean"]["mean"] >= 1 for row in ended.rows)


def test_each_format_of_a_report_has_it(bench, tmp_path):
    assert bench("run", "grid/swap", *SMALL, "--platform", "formicary-micro,callbacks").code == 0
    (run,) = (tmp_path / "runs").iterdir()
    for form in ("html", "terminal", "markdown", "latex", "csv", "csv-long", "json"):
        path = tmp_path / form
        assert bench("report", run, "--format", form, "--to", path).code == 0
        assert "grid" in path.read_text(encoding="utf-8")
    assert bench("report", run, "--format", "svg", "--to", tmp_path / "figures").code == 0
    assert list((tmp_path / "figures").iterdir())
    raw = tmp_path / "raw"
    assert bench("report", run, "--format", "csv", "--raw", "--to", raw).code == 0
    assert "swaps" in raw.read_text(encoding="utf-8").partition("\n")[0]
