"""What stands behind a figure: the repetitions as they were, other cuts of the raw values, the command."""

import json
import re

import numpy as np
import pytest
from tests.unit.bench.synthetic import EVIL, add_repetition, create_plan, make_run, plan

from formicary_bench.reports.document.hosts import evidence
from formicary_bench.reports.document.sections import Document
from formicary_bench.reports.formats.html import render
from formicary_bench.results.store.raw import COOL_DOWN, RoundTrips
from formicary_bench.results.summary.summary import summarise
from formicary_bench.results.summary.warm_up import PARTS, other_cuts
from formicary_bench.vocabulary.metrics import MEAN, RATE, TIME

ONE = [one for one in plan(pairs=(10,)) if (one.platform, one.kind) == ("formicary", "micro")]


@pytest.fixture
def run(tmp_path):
    found = make_run(tmp_path / "run", ONE, repetitions=2, complete=False)
    add_repetition(found, ONE[0], 3, seed=9, others_cores=1.25, stolen=0.031)
    return found


def test_a_figure_has_its_repetitions_the_load_beside_them_and_its_command(run):
    (row,) = summarise(run)
    (known,) = evidence(run, [row]).values()
    assert known["name"] == "messaging/pairs: Micro-agents, 10 pairs"
    assert known["command"] == (
        "formicary bench run messaging/pairs --platform formicary-micro --placement same-container "
        "--pairs 10 --payload 100 --rounds 20,60,20 --repeat 3"
    )
    assert [line[0] for line in known["repetitions"]] == [1, 2, 3]
    assert [line[2:5] for line in known["repetitions"]] == [
        ["", "", "held"], ["", "", "held"], ["1.25", "3.1%", "held"],
    ]  # fmt: skip
    for metric, title in ((TIME, "median round trip (µs)"), (RATE, "round trips per second")):
        values = [one.values[metric.name] for one in row.each]
        at = 7 + known["figures"].index(title)
        shown = [float(line[at]) for line in known["repetitions"]]
        assert shown == pytest.approx(values, rel=1e-3)
    assert [line[6] for line in known["repetitions"]] == [one.seed for one in run.manifest.repetitions]
    assert known["files"] == [one.raw for one in run.manifest.repetitions]
    assert known["cut"].startswith("The first 20 round trips of each pair are discarded (planned)")


def test_other_cuts_are_of_the_raw_values(run):
    repetitions = run.manifest.repetitions
    found = other_cuts(run, repetitions)
    assert [one.part for one in found] == list(PARTS)
    for cut in found:
        means = []
        for one in repetitions:
            data = run.raw(one, RoundTrips)
            kept = (data.phase != COOL_DOWN) & (data.index >= cut.part * 80)
            means.append(data.rtt_ns[kept].mean() / 1e3)
        assert cut.mean_us == pytest.approx(np.mean(means))
    (row,) = summarise(run)
    assert found[2].mean_us == pytest.approx(row.mean(MEAN))  # a quarter of 80 is what is planned


def test_what_was_not_valid_has_no_figures_beside_it(run):
    add_repetition(run, ONE[0], 4, seed=10, invalid=("its clock went backwards",))
    (known,) = evidence(run, summarise(run)).values()
    assert known["repetitions"][3][5:] == ["its clock went backwards", 10]
    assert len(known["repetitions"][2]) > 7


def test_every_row_of_a_page_can_be_asked(quick_run):
    text = render(quick_run)
    data = json.loads(re.search(r'<script type="application/json" id="evidence">(.*?)</script>', text)[1])
    asked = set(re.findall(r'data-of="([^"]+)"', text))
    assert asked == data.keys() == {row.anchor for row in Document(quick_run).rows}
    assert len(asked) == len(quick_run.manifest.configurations)
    # By keyboard: a button for each row of a table.
    assert set(re.findall(r'<button type="button" class="of" data-of="([^"]+)"', text)) == asked
    created = [one for one in data.values() if one["name"].startswith("create: ")]
    assert len(created) == len(create_plan())
    assert all(one["figures"] and not one["cuts"] for one in created)


def test_names_in_a_folder_do_not_end_the_data(tmp_path):
    run = make_run(tmp_path / "run", ONE, repetitions=0, complete=False)
    add_repetition(run, ONE[0], 1, seed=1, invalid=(f"</script>{EVIL}",))
    text = render(run)
    assert text.count("</script>") == 2
    data = json.loads(re.search(r'id="evidence">(.*?)</script>', text)[1])
    (known,) = data.values()
    assert known["repetitions"][0][5].startswith("</script>")


def test_rows_of_equal_configurations_have_equal_anchors(tmp_path, quick_run):
    again = make_run(tmp_path / "again", quick_run.manifest.configurations, repetitions=1)
    anchors = [[row.anchor for row in summarise(one)] for one in (quick_run, again)]
    assert anchors[0] == anchors[1]
    assert len(set(anchors[0])) == len(anchors[0])
