"""The papers' claims as they are kept: whose, where, tested by what exists, with the printed figures."""

import csv
import re
from pathlib import Path

import pytest

from formicary_bench import published
from formicary_bench.experiments.registry import EXPERIMENTS, all_parameters, metrics_of
from formicary_bench.published.claims import claims, papers
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.registry import SUBJECTS

CLAIMS = claims()
PARAMETERS = {parameter.attribute for parameter in all_parameters()}
SHARES = {f"share of {group}" for group in ("agents", "communication", "directory", "runtime")}
WITH_FILES = {"Alberola 2010": "alberola2010_*.csv"}


def test_each_claim_has_a_name_of_its_own_and_says_whose_it_is_and_where():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.paper for claim in CLAIMS} == papers().keys()
    assert len(papers()) == 5
    for claim in CLAIMS:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", claim.id)
        assert re.match(r"Sections? \d", claim.where)
        assert claim.says.endswith(".")
        assert claim.check or claim.needs


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.check], ids=lambda claim: claim.id)
def test_tests_are_of_what_exists(claim):
    names = {subject.name for subject in SUBJECTS} | {*RECIPES}
    sides = [side for side in (claim.check.one, claim.check.other) if side]
    for side in sides:
        assert set(side.experiments) <= EXPERIMENTS.keys()
        assert side.experiments
        assert not side.subject or side.subject in names
        for experiment in side.experiments:
            known = EXPERIMENTS[experiment]
            assert set(side.placements) & set(known.placements) or not side.placements
    for side in sides:
        for experiment in side.experiments:
            assert (side.figure or claim.check.figure) in {*metrics_of(experiment), *SHARES}
    low, high = claim.check.between
    assert low < high
    assert not claim.check.along or claim.check.along in PARAMETERS


def test_every_experiment_of_a_paper_has_a_claim():
    tested = {name for claim in CLAIMS if claim.check for name in claim.check.one.experiments}
    of_papers = {name for name, one in EXPERIMENTS.items() if "our own" not in one.source}
    # What the network carries is decided by a network of known capacity, not by an experiment alone; and what
    # more cores are worth, by a machine that has them.
    assert of_papers - tested == {"network", "traffic/pool-size", "traffic/speed-up"}


def test_printed_figures_are_those_of_the_tables():
    folder = Path(published.__file__).parent
    for claim in CLAIMS:
        if not (pattern := WITH_FILES.get(claim.paper)):
            continue
        cells = {
            float(cell)
            for path in folder.glob(pattern)
            for line in csv.reader(path.read_text(encoding="utf-8").splitlines())
            for cell in line
            if re.fullmatch(r"[\d.]+", cell)
        }
        said = [
            float(found)
            for text in claim.published
            for found in re.findall(r"\d+(?:\.\d+)?(?=%| KB| kbit)", text)
        ]
        assert set(said) <= cells


@pytest.mark.parametrize(
    ("benchmark", "claim"),
    [
        ("CR", "dikaiakos-elsewhere-peak"),
        ("MSG-2W", "dikaiakos-two-way"),
        ("SYNCH", "dikaiakos-synchronize"),
        ("MSG-MA", "dikaiakos-messenger"),
        ("ROAM", "dikaiakos-roam"),
        ("FORW-MSG", "dikaiakos-clients"),
        ("FORW-MA", "dikaiakos-forward-agents"),
    ],
)
def test_platforms_of_which_the_paper_says_otherwise_stand_beside(benchmark, claim):
    text = "; ".join(next(one for one in CLAIMS if one.id == claim).published)
    with (Path(published.__file__).parent / "dikaiakos2001_rates.csv").open(encoding="utf-8") as lines:
        rates = [line for line in csv.DictReader(lines) if line["benchmark"] == benchmark]
    assert {one["platform"] for one in rates} == {
        name for name in ("Concordia", "Aglets", "Voyager") if name in text
    }
    figures = {f"{one['peak_per_s']} and {one['sustained_per_s']}" for one in rates}
    said = set(re.findall(r"[\d.]+ and [\d.]+", text))
    assert said <= figures
    assert said or benchmark == "FORW-MSG"
