"""Real runs of `messaging/designs`, tiny ones."""

import pytest

from formicary_bench.vocabulary.values import DELIVERIES

ROUNDS = ("--rounds", "5,20,10", "--repeat", "1")


def test_all_designs_talk_in_one_process(bench):
    where = ("--placement", "same-container", "--pairs", "3", "--output", "run")
    ended = bench("run", "messaging/designs", *where, *ROUNDS, "--json")
    assert ended.code == 0
    rows = {row["kind"] or row["platform"]: row for row in ended.rows}
    assert rows.keys() == {*DELIVERIES, "behaviours", "tuned", "tasks"}
    assert {(row["round_trips"], row["lost"]) for row in rows.values()} == {(60, 0)}
    assert all(
        [one["values"]["round_trips_per_s"] > 0 for one in row["each"]] == [True] for row in rows.values()
    )
    assert "--repeat 5" in " ".join(bench("show", "run").out.split())


@pytest.mark.accounts
@pytest.mark.server
@pytest.mark.parametrize("others", [(), pytest.param(("formicary",), marks=pytest.mark.full("as they are"))])
def test_links_without_batches_and_agents_with_logins_talk_between_two_processes(others, bench):
    subjects = ",".join(["formicary-unbatched", "formicary-logins", *(f"{one}-behaviours" for one in others)])
    options = ("--placement", "two-containers", "--platform", subjects, "--pairs", "2", *ROUNDS, "--json")
    ended = bench("run", "messaging/designs", *options)
    assert ended.code == 0
    assert {(row["platform"], row["route"]) for row in ended.rows} == {
        *((one, route) for one in ("formicary-unbatched", *others) for route in ("direct", "xmpp")),
        ("formicary-logins", "xmpp"),
    }
    assert {(row["round_trips"], row["lost"]) for row in ended.rows} == {(40, 0)}
