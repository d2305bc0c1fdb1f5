"""Real runs of `observe/watch`, tiny ones."""

from formicary_bench.vocabulary.watching import WATCHES

ROUNDS = ("--rounds", "5,20,10", "--pairs", "3")


def test_agents_talk_while_they_are_watched_and_after_it(bench):
    ended = bench("run", "observe/watch", *ROUNDS, "--repeat", "1", "--json")
    assert ended.code == 0
    rows = {row["kind"]: row for row in ended.rows}
    assert rows.keys() == {"behaviours", *WATCHES}
    assert {(row["round_trips"], row["lost"]) for row in rows.values()} == {(60, 0)}
    held = {kind: [one["kind"] for one in row["compared"]] for kind, row in rows.items()}
    assert {tuple(held[kind]) for kind in WATCHES} == {("behaviours",)}
    assert not held["behaviours"]


def test_the_report_says_what_it_takes_to_decide(bench):
    ended = bench("run", "observe/watch", "--platform", "formicary,watched-viewed", *ROUNDS)
    assert ended.code == 0
    assert "What a viewer costs: to say so takes 5 or more repetitions." in " ".join(ended.out.split())
