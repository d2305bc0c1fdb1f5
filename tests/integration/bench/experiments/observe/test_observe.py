"""Real runs of `observe/watch`, tiny ones."""

from pathlib import Path

import pytest

from formicary_bench.vocabulary.values import ALONE, CPU_TIMES, FOLLOWED, LEFT, RATE_TIMES, VIEWED, WATCHES

TOO_SHORT = ("--rounds", "5,20,10", "--pairs", "3")


def test_agents_talk_while_they_are_watched_and_after_it(bench):
    ended = bench("run", "observe/watch", *TOO_SHORT, "--repeat", "1", "--json")
    assert ended.code == 0
    rows = {row["kind"]: row for row in ended.rows}
    assert rows.keys() == set(WATCHES)
    assert {(row["round_trips"], row["lost"]) for row in rows.values()} == {(60, 0)}
    assert not any(row["compared"] for row in rows.values())


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        (VIEWED, 30_000),
        (LEFT, 80_000),
        pytest.param(FOLLOWED, 30_000, marks=pytest.mark.full("the same, of one conversation")),
        pytest.param(ALONE, 80_000, marks=pytest.mark.full("the same, of nobody")),
    ],
)
def test_each_repetition_is_held_against_itself_without_a_viewer(kind, first, bench):
    # Who watches comes and goes by the clock: how many round trips that takes, the machine's speed says.
    for rounds in (first, 2 * first, 4 * first, 8 * first, 16 * first):
        phases = ("--rounds", f"20,{rounds},20", "--pairs", "10", "--platform", f"watched-{kind}")
        ended = bench("run", "observe/watch", *phases, "--repeat", "1", "--output", f"{rounds}", "--json")
        assert ended.code == 0
        (row,) = ended.rows
        (values,) = (one["values"] for one in row["each"])
        if found := [values[name] for name in (CPU_TIMES, RATE_TIMES) if name in values]:
            break
    assert len(found) == 2
    assert min(found) > 0


def test_the_report_says_what_it_takes_to_decide(bench):
    ended = bench("run", "observe/watch", "--platform", "watched-viewed", *TOO_SHORT)
    assert ended.code == 0
    said = " ".join(bench("show", *Path("runs").iterdir()).out.split())
    assert "With a viewer: longer repetitions would tell" in said
