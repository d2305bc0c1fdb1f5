"""Real runs of `observe/watch`, tiny ones."""

from formicary_bench.vocabulary.watching import CPU_TIMES, RATE_TIMES, WATCHES

TOO_SHORT = ("--rounds", "5,20,10", "--pairs", "3")


def test_agents_talk_while_they_are_watched_and_after_it(bench):
    ended = bench("run", "observe/watch", *TOO_SHORT, "--repeat", "1", "--json")
    assert ended.code == 0
    rows = {row["kind"]: row for row in ended.rows}
    assert rows.keys() == set(WATCHES)
    assert {(row["round_trips"], row["lost"]) for row in rows.values()} == {(60, 0)}
    assert not any(row["compared"] for row in rows.values())


def test_each_repetition_is_held_against_itself_without_a_viewer(bench):
    ended = bench(
        "run", "observe/watch", "--rounds", "20,40000,20", "--pairs", "10", "--repeat", "1", "--json"
    )
    assert ended.code == 0
    for row in ended.rows:
        (each,) = row["each"]
        found = {one["figure"]: one["value"] for one in each["others"]}
        assert found.keys() == {CPU_TIMES, RATE_TIMES}
        assert min(found.values()) > 0


def test_the_report_says_what_it_takes_to_decide(bench):
    ended = bench("run", "observe/watch", "--platform", "watched-viewed", *TOO_SHORT)
    assert ended.code == 0
    assert "all was over before it had come and gone" in " ".join(ended.out.split())
