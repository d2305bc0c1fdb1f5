"""Real rounds of a service, by all who take part."""


def test_all_make_their_rounds(bench):
    ended = bench("run", "service/mediated", "--requests", "50", "--repeat", "1", "--output", "run", "--json")
    assert ended.code == 0
    rows = {row["kind"] or row["platform"]: row for row in ended.rows}
    assert rows.keys() == {"behaviours", "micro", "tasks", "callbacks"}
    for row in rows.values():
        assert row["round_trips"] == 50
        assert row["total_s"] > 0
        assert row["service"]["held_bytes"]["mean"] > 1e6
    assert "OPAL micro-agents" in bench("show", "run").out  # the published times, beside ours
