"""Real rounds of a service, by all who take part."""

import pytest


def test_all_make_their_rounds(bench):
    ended = bench("run", "service/mediated", "--requests", "50", "--repeat", "1", "--output", "run", "--json")
    assert ended.code == 0
    rows = {row["kind"] or row["platform"]: row for row in ended.rows}
    assert rows.keys() == {"behaviours", "micro", "tasks", "callbacks"}
    for row in rows.values():
        figures = {name: one["mean"] for name, one in row["figures"].items()}
        assert figures["total_s"] * figures["round_trips_per_s"] == pytest.approx(50)
        assert figures["held_bytes"] > 1e6
    assert "OPAL micro-agents" in bench("show", "run").out  # the published times, beside ours
