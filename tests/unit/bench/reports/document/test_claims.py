"""The papers' claims as a reader sees them: beside ours, in every format and on the command line."""

import json

import pytest
from tests.unit.bench.synthetic import directory_plan, document, make_run, plan
from tests.unit.bench.synthetic import row as row_of

from formicary.cli import main
from formicary_bench.experiments.compute.speed_up import SPEED_UP
from formicary_bench.experiments.grid.swap import DEVIATION
from formicary_bench.experiments.messaging.open_loop import HIGHEST
from formicary_bench.published.claims import claims, papers
from formicary_bench.reports.document.claims import cards, claims_said, counted, references, written
from formicary_bench.reports.formats import latex, markdown
from formicary_bench.reports.formats.html import page, render
from formicary_bench.results.summary.each import Each, named
from formicary_bench.results.verdicts.claims import verdict_on
from formicary_bench.vocabulary.metrics import CREATION, HOLDS, MEAN, TIME, TOTAL

MICRO = [
    row_of(kind=kind, each=tuple(Each(values=named({MEAN: mean + 0.01 * at})) for at in range(6)))
    for kind, mean in (("micro", 1.0), ("behaviours", 6.0))
]


def shown(rows):
    return cards(verdict_on(claims(), rows))


@pytest.fixture
def bench(capsys):
    """Run `formicary bench`; return its exit code and output."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["bench", *map(str, arguments)])
        return ended.value.code or 0, *capsys.readouterr()

    return call


def test_a_card_has_the_claim_its_place_the_printed_figures_and_ours():
    first, *others = shown(MICRO)
    assert (first.id, first.outcome) == ("claim-frantz-micro-agents", "reproduced")
    assert first.source == "Frantz 2010, Section 2.6, Table 1"
    assert first.published[:2] == ("OPAL: 1.1 s for 1000 rounds", "OPAL micro-agents: 0.08 s for 1000 rounds")
    (line,) = first.ours
    assert line.startswith("one process, 1 pair: Micro-agents 1.03 µs / Agents 6.02 µs: ratio 0.17 (0.1")
    assert not first.takes
    assert first.experiment == "messaging/pairs"
    assert not any(card.experiment for card in others)
    assert counted([first, *others]) == f"1 reproduced, {len(others)} inconclusive"


def test_values_are_written_with_the_unit_of_their_figure():
    for value, metric, experiment, text in (
        (12.34, TIME, "messaging/pairs", "12.3 µs"),
        (1.5, TOTAL, "messaging/lower-bound", "1.50 s"),
        (1500.0, CREATION, "create", "1500/s"),
        (27e6, HOLDS, "memory", "27.0 MB"),
        (1.85, SPEED_UP, "compute/speed-up", "1.85"),
        (24.8, DEVIATION, "grid/swap", "24.8"),
        (1500.0, HIGHEST, "messaging/saturation", "1500/s"),
    ):
        assert written(value, metric.name, experiment) == text
    assert written(0.444, "share of directory", "directory/cpu-search") == "44.4% directory"


def test_the_page_folds_claims_after_the_first_screen(tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1,)), repetitions=1)
    text = page(document(run, MICRO))
    first, _, rest = text.partition('<main id="found">')
    assert "What the papers conclude" not in first
    of_it = rest.partition("<code>messaging/pairs</code>")[2].partition("</section>")[0]
    assert '<details class="all claims"><summary>What the papers conclude: 1 reproduced</summary>' in of_it
    assert "inconclusive</span>" not in rest
    assert '<article class="claim" id="claim-frantz-micro-agents">' in rest
    missing = len(claims()) - rest.count('id="claim-')
    assert 0 < missing < len(claims())
    assert f"{missing} more claims of the papers: <code>formicary bench claims</code>" in rest
    assert all(paper.reference[:30] in rest for paper in papers().values() if f">{paper.name}, " in rest)


def test_the_other_formats_have_the_claims_that_were_measured_and_the_papers(tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1,)), repetitions=1)
    said = document(run, MICRO)
    for text in (markdown.render(said), latex.render(said)):
        assert "What the papers conclude" in text
        assert "Micro-agents are many times faster" in text
        assert "Voyager" not in text
        named = [paper for paper in papers().values() if paper.name in text]
        assert named
        assert all(paper.reference.split(":")[0].split(",")[0] in text for paper in named)
    assert claims_said(shown([])) == []
    assert len(references()) == 5


def test_a_real_folder_is_judged_too(tmp_path):
    run = make_run(tmp_path / "run", directory_plan(), repetitions=6)
    text = render(run)
    assert "The best directory is distributed" in text


def test_the_command_lists_claims_and_judges_a_run(tmp_path, bench):
    code, out, _ = bench("claims")
    assert code == 0
    assert out.count("INCONCLUSIVE: ") == len(claims())
    assert "To decide: formicary bench run messaging/pairs --repeat 10 --platform madkit,jade" in out
    run = make_run(tmp_path / "run", directory_plan(), repetitions=6)
    code, out, _ = bench("claims", run.path)
    assert out.startswith("REPRODUCED: ")
    assert "REPRODUCED: The best directory is distributed" in out
    code, out, _ = bench("claims", run.path, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == len(claims())
    assert {"reproduced", "inconclusive"} <= {line["outcome"] for line in lines}


def test_the_command_says_what_is_no_run(tmp_path, bench):
    code, out, err = bench("claims", tmp_path / "none")
    assert code
    assert not out
    assert "no folder" in err
