"""The messaging experiments of the papers, by name: what they measure, and what reports say of them."""

import pytest
from msgspec.structs import replace
from tests.unit.bench.synthetic import asking, make_run, plan, repeated, row

from formicary_bench.reports.document.report import charts, columns, said
from formicary_bench.reports.document.sections import sections
from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.summary.baselines import baseline_of
from formicary_bench.results.summary.summary import digests, summarise
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.metrics import TOTAL
from formicary_bench.vocabulary.names import LOWER_BOUND
from formicary_bench.vocabulary.places import APART, SAME, TWO_HOSTS

HOSTS = ("a", "b")


def points(experiment, **asked):
    return [
        (c.placement, c.exchange.pairs, c.exchange.payload_bytes)
        for c in make_plan(asking(experiment=experiment, **asked))
    ]


def test_locations_are_the_three_of_the_paper_with_two_kilobytes():
    placements = (SAME, APART, TWO_HOSTS)
    found = points("messaging/location", hosts=HOSTS, placements=placements, pairs=(1, 10))
    assert {place for place, _, _ in found} == set(placements)
    assert {(pairs, size) for _, pairs, size in found} == {(1, 2048), (10, 2048)}


def test_one_pair_has_messages_from_nothing_to_a_hundred_kilobytes():
    found = points("messaging/single-pair-size", placements=(APART,))
    assert {pairs for _, pairs, _ in found} == {1}
    sizes = {size for _, _, size in found}
    assert (min(sizes), max(sizes)) == (0, 100_000)


def test_encryption_is_on_and_off_by_size_for_one_pair_and_by_pairs_for_one_size():
    plan = make_plan(Options("messaging/encryption", subjects=("formicary-behaviours", "tcp")))
    assert {(c.platform, c.route) for c in plan} == {
        ("formicary", "xmpp"),
        ("formicary", "direct"),
        ("tcp", "tcp"),
    }
    plain = {replace(c, tls=False) for c in plan if not c.tls}
    assert plain == {replace(c, tls=False) for c in plan if c.tls}
    sizes = {(c.exchange.pairs, c.exchange.payload_bytes) for c in plan}
    assert sizes == {(1, 0), (1, 1000), (1, 10_000), (1, 100_000), (1, 2048), (5, 2048), (10, 2048)}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"pairs": (1, 50)}, {(1, 2048), (50, 2048)}),
        ({"payload_bytes": (0, 9)}, {(1, 0), (1, 9)}),
        ({"pairs": (1, 50), "payload_bytes": (0, 9)}, {(1, 0), (1, 9), (50, 0), (50, 9)}),
    ],
)
def test_encryption_of_other_pairs_is_not_multiplied_by_the_sizes_of_one_nor_the_other_way_round(
    asked, expected
):
    plan = make_plan(Options("messaging/encryption", routes=("direct",), sizes=asked))
    assert {(c.exchange.pairs, c.exchange.payload_bytes) for c in plan} == expected


def test_encryption_over_hosts_leaves_out_what_is_encrypted_anyway():
    plan = make_plan(Options("messaging/encryption", hosts=HOSTS))
    assert {(c.placement, c.route, c.tls) for c in plan} == {
        (TWO_HOSTS, route, tls) for route in ("direct", "tcp") for tls in (False, True)
    }
    asked = make_plan(Options("messaging/encryption", hosts=HOSTS, routes=("xmpp",)))
    assert "xmpp" in {c.route for c in asked}


def test_encryption_can_be_asked_for_alone():
    plan = make_plan(
        Options(
            "messaging/encryption",
            tls=(True,),
            sizes={"pairs": (1,), "payload_bytes": (9,)},
            routes=("direct",),
        )
    )
    assert {(c.platform, c.tls, c.exchange.pairs, c.exchange.payload_bytes) for c in plan} == {
        ("formicary", True, 1, 9), ("tcp", True, 1, 9),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("experiment", "figure"),
    [
        ("lower-bound", "Alberola 2010, Fig. 10, 11"),
        ("location", "Burbeck 2004, Fig. 1"),
        ("single-pair-size", "Burbeck 2004, Fig. 2"),
        ("scale", "Burbeck 2004, Fig. 3, 4, 5"),
        ("encryption", "Burbeck 2004, Fig. 6, 7"),
    ],
)
def test_a_report_names_the_figures_of_the_paper(experiment, figure, tmp_path):
    name = f"messaging/{experiment}"
    run = make_run(tmp_path / "run", [*plan(name, (1,), (0, 2048)), *plan(name, (10,), (2048,))])
    (section,) = sections(digests(run))
    assert f"({name}): as in {figure}" in section.heading
    assert section.source == figure
    assert section.sentences
    assert section.charts


def test_sizes_and_pairs_of_encryption_have_figures_of_their_own(tmp_path):
    name = "messaging/encryption"
    run = make_run(tmp_path / "run", [*plan(name, (1,), (0, 2048)), *plan(name, (10,), (2048,))])
    (section,) = sections(digests(run))
    titles = [chart.title for chart in section.charts]
    assert "After Burbeck 2004, Fig. 6: Round-trip time against size of the body, 1 pair" in titles
    assert "After Burbeck 2004, Fig. 7: Round-trip time against pairs, 2.05 kB" in titles
    (by_size,) = [chart for chart in section.charts if "size of the body" in chart.title]
    assert by_size.columns[1].cells[:2] == ("0 B", "2.05 kB")


@pytest.mark.parametrize(
    ("pairs", "sizes", "title"),
    [
        ((5,), (2048,), "Round trips per second, 5 pairs"),
        ((5,), (0, 2048), "After Burbeck 2004, Fig. 7: Round-trip time against size of the body"),
        ((1,), (2048,), "Round trips per second, 1 pair"),
        ((1, 5), (2048,), "After Burbeck 2004, Fig. 7: Round-trip time against pairs"),
    ],
)
def test_encryption_of_one_point_has_figures_too_and_none_by_a_single_size(pairs, sizes, title, tmp_path):
    run = make_run(tmp_path / "run", plan("messaging/encryption", pairs, sizes))
    (section,) = sections(digests(run))
    titles = [chart.title for chart in section.charts]
    assert title in titles
    assert any("size of the body" in one for one in titles) is (len(sizes) > 1)


def test_the_total_time_is_from_the_first_begin_to_the_last_end_of_all_pairs(tmp_path):
    run = make_run(tmp_path / "run", plan(LOWER_BOUND, (10,)), repetitions=3)
    rows = summarise(RunFolder.open(run.path))
    for one in rows:
        key = f"/{one.platform}-{one.kind}/" if one.kind else f"/{one.platform}/"
        took = [
            r.elapsed_s
            for r in run.manifest.repetitions
            if key in r.configuration and one.placement in r.configuration
        ]
        assert one.mean(TOTAL) == pytest.approx(sum(took) / 3)
        assert one.bounds(TOTAL)[0] < one.mean(TOTAL) < one.bounds(TOTAL)[1]
    assert all(one.mean(TOTAL) is None for one in summarise(make_run(tmp_path / "other", plan(pairs=(1,)))))


def bound(platform, kind, placement, total, *bounds, **about):
    known = {
        "experiment": LOWER_BOUND,
        "placement": placement,
        "total_s": (total, *bounds),
        "rtt_p50_us": 5.0,
    }
    return repeated(row(platform, kind, 10, **{**known, **about}))


AGENTS = bound("formicary", "behaviours", SAME, 2.0, (1.9, 2.1))
APARTS = bound("formicary", "behaviours", APART, 3.0, route="direct")
FAR = bound("formicary", "behaviours", TWO_HOSTS, 6.0, route="direct", tls=True)
HERE = bound("tcp", "", APART, 0.5, (0.49, 0.51), route="tcp")
THERE = bound("tcp", "", TWO_HOSTS, 1.0, route="tcp")
ENCRYPTED = bound("tcp", "", TWO_HOSTS, 1.5, route="tcp", tls=True)
ALL = [AGENTS, APARTS, FAR, HERE, THERE, ENCRYPTED]


def test_agents_are_held_against_processes_on_as_many_hosts():
    assert [baseline_of(one, ALL) for one in ALL] == [HERE, HERE, ENCRYPTED, None, None, None]
    assert baseline_of(AGENTS, [AGENTS, THERE]) is None
    assert baseline_of(AGENTS, [replace(HERE, parameters={**HERE.parameters, "pairs": 11})]) is None


def test_the_report_says_how_many_times_as_long_agents_take():
    cells = {column.title: column.cells for column in columns(LOWER_BOUND, ALL, ALL)}
    assert set(cells["total time"]) == {"2.00 s", "3.00 s", "6.00 s", "500 ms", "1.00 s", "1.50 s"}
    assert cells["beside it"][:3] == (
        "4.0× slower (4.0–4.0)",
        "6.0× slower (6.0–6.0)",
        "4.0× slower (4.0–4.0)",
    )
    assert said(LOWER_BOUND, [AGENTS, HERE]) == [
        "In one process, agents: 10 pairs take 2.00 s in all, 4.0× slower than TCP sockets (4.0–4.0)."
    ]
    few = [replace(one, each=one.each[:4]) for one in (AGENTS, HERE)]
    assert said(LOWER_BOUND, few) == ["In one process, agents: 10 pairs take 2.00 s in all."]


def test_totals_are_drawn_against_pairs():
    more = replace(AGENTS, parameters={**AGENTS.parameters, "pairs": 50})
    first, *_ = charts(LOWER_BOUND, [AGENTS, more, HERE], [])
    assert first.title == "After Alberola 2010, Fig. 10: Total time against pairs"
