"""Real runs of `messaging/styles`, tiny ones."""

from formicary_bench.vocabulary.values import MICRO_STYLES, STYLES

ONCE = ("--rounds", "5,20,10", "--pairs", "3", "--repeat", "1")


def test_agents_of_every_style_talk(bench):
    ended = bench("run", "messaging/styles", *ONCE, "--json")
    assert ended.code == 0
    rows = {row["kind"] or row["platform"]: row for row in ended.rows}
    assert rows.keys() == {*STYLES, *MICRO_STYLES, "behaviours", "micro", "tasks", "callbacks"}
    assert {(row["round_trips"], row["lost"]) for row in rows.values()} == {(60, 0)}
    held = {kind: [one["kind"] for one in row["compared"]] for kind, row in rows.items()}
    assert {tuple(held[kind]) for kind in STYLES} == {("behaviours",)}
    assert {tuple(held[kind]) for kind in MICRO_STYLES} == {("micro",)}
    assert not held["behaviours"]
    assert not held["tasks"]


def test_the_report_says_what_it_takes_to_decide(bench):
    ended = bench("run", "messaging/styles", "--platform", "formicary-micro,style-micro-async", *ONCE)
    assert ended.code == 0
    said = "1 comparison inconclusive; 5 repetitions would tell"
    assert said in " ".join(ended.out.split())
