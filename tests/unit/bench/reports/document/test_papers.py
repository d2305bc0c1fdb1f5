"""The titles of charts name the papers' figures and tables that they repeat."""

import pytest
from tests.unit.bench.synthetic import row

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports.charts.series import APART, SAME, TWO_HOSTS
from formicary_bench.reports.document.papers import repeated, titled

A, B = "of Alberola 2010", "of Burbeck 2004"
NUMBERS = {
    "messaging/pairs": [(SAME, f"Figure 5 {A}"), (APART, f"Figure 6 {A}"), (TWO_HOSTS, f"Figure 7 {A}")],
    "messaging/size": [(TWO_HOSTS, f"Figure 8 {A}")],
    "messaging/many-to-one": [(TWO_HOSTS, f"Figure 9 {A}")],
    "messaging/lower-bound": [(APART, f"Figure 10 {A}"), (TWO_HOSTS, f"Figure 11 {A}")],
    "directory/register": [(APART, f"Figure 12 {A}"), (TWO_HOSTS, f"Figure 13 {A}")],
    "directory/deregister": [(SAME, f"Figure 12 {A}"), (TWO_HOSTS, f"Figure 13 {A}")],
    "directory/search": [(SAME, f"Figure 14 {A}"), (TWO_HOSTS, f"Figure 15 {A}")],
    "network": [(TWO_HOSTS, f"Figure 17 {A}")],
    "memory": [(SAME, f"Table 8 {A}")],
    "messaging/cpu": [(SAME, f"Table 2 {A}"), (APART, f"Table 3 {A}"), (TWO_HOSTS, f"Table 3 {A}")],
    "directory/cpu-register": [(SAME, f"Table 4 {A}"), (TWO_HOSTS, f"Table 5 {A}")],
    "directory/cpu-search": [(SAME, f"Table 6 {A}"), (TWO_HOSTS, f"Table 7 {A}")],
    "messaging/location": [(SAME, f"Figure 1 {B}")],
    "messaging/single-pair-size": [(TWO_HOSTS, f"Figure 2 {B}")],
    "messaging/scale": [(TWO_HOSTS, f"Figure 3 {B}"), (APART, f"Figure 5 {B}")],
    "messaging/encryption": [(TWO_HOSTS, f"Figure 6 {B}")],
}
OTHERWISE = {"messaging/designs", "create"}  # of a section, or of a paper with another measure


@pytest.mark.parametrize("experiment", NUMBERS)
def test_a_chart_is_called_by_what_it_repeats(experiment):
    for placement, said in NUMBERS[experiment]:
        one = row(experiment=experiment, placement=placement)
        assert titled("Times", [one]) == f"{said}: Times"


def test_a_chart_of_several_names_them_all():
    pairs = [row(placement=placement) for placement in (SAME, APART, TWO_HOSTS)]
    assert repeated(pairs) == f"Figures 5, 6 and 7 {A}"
    assert repeated(pairs[:2]) == f"Figures 5 and 6 {A}"
    many = [row(experiment="messaging/scale", placement=TWO_HOSTS, pairs=count) for count in (1, 10, 20)]
    assert repeated(many) == f"Figures 3 and 4 {B}"
    secret = [row(experiment="messaging/encryption", pairs=count) for count in (1, 10)]
    assert repeated(secret) == f"Figure 7 {B}"
    split = row(experiment="directory/search", placement=TWO_HOSTS, spread="split")
    assert repeated([split]) == f"Figure 16 {A}"


def test_every_experiment_of_the_two_papers_is_known_and_no_other():
    of_papers = {
        one.name for one in EXPERIMENTS.values() if "Alberola" in one.source or "Burbeck" in one.source
    }
    own = {one.name for one in EXPERIMENTS.values() if one.source.startswith("our own")}
    assert of_papers - OTHERWISE - own == NUMBERS.keys()
    assert all(titled("Times", [row(experiment=name)]) == "Times" for name in own)
    assert titled("Times", []) == "Times"
