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
    # Who watches comes and goes by the clock: how many round trips that takes, the machine's speed says.
    for rounds in (80_000, 320_000, 1_280_000):
        phases = ("--rounds", f"20,{rounds},20", "--pairs", "10")
        ended = bench("run", "observe/watch", *phases, "--repeat", "1", "--output", f"{rounds}", "--json")
        assert ended.code == 0
        found = [{one["figure"]: one["value"] for one in row["each"][0]["others"]} for row in ended.rows]
        if all(found):
            break
    assert len(found) == len(WATCHES)
    for figures in found:
        assert figures.keys() == {CPU_TIMES, RATE_TIMES}
        assert min(figures.values()) > 0


def test_the_report_says_what_it_takes_to_decide(bench):
    ended = bench("run", "observe/watch", "--platform", "watched-viewed", *TOO_SHORT)
    assert ended.code == 0
    assert "all was over before it had come and gone" in " ".join(ended.out.split())
