"""The titles of charts name the figures and tables that they are made after: the values are ours."""

import pytest
from tests.unit.bench.synthetic import row

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports.charts.series import APART, SAME, TWO_HOSTS
from formicary_bench.reports.document.papers import repeated, titled

A, B = "After Alberola 2010", "After Burbeck 2004"
NUMBERS = {
    "messaging/pairs": [(SAME, f"{A}, Fig. 5"), (APART, f"{A}, Fig. 6"), (TWO_HOSTS, f"{A}, Fig. 7")],
    "messaging/size": [(TWO_HOSTS, f"{A}, Fig. 8")],
    "messaging/many-to-one": [(TWO_HOSTS, f"{A}, Fig. 9")],
    "messaging/lower-bound": [(APART, f"{A}, Fig. 10"), (TWO_HOSTS, f"{A}, Fig. 11")],
    "directory/register": [(APART, f"{A}, Fig. 12"), (TWO_HOSTS, f"{A}, Fig. 13")],
    "directory/deregister": [(SAME, f"{A}, Fig. 12"), (TWO_HOSTS, f"{A}, Fig. 13")],
    "directory/search": [(SAME, f"{A}, Fig. 14"), (TWO_HOSTS, f"{A}, Fig. 15")],
    "network": [(TWO_HOSTS, f"{A}, Fig. 17")],
    "memory": [(SAME, f"{A}, Table 8")],
    "messaging/cpu": [(SAME, f"{A}, Table 2"), (APART, f"{A}, Table 3"), (TWO_HOSTS, f"{A}, Table 3")],
    "directory/cpu-register": [(SAME, f"{A}, Table 4"), (TWO_HOSTS, f"{A}, Table 5")],
    "directory/cpu-search": [(SAME, f"{A}, Table 6"), (TWO_HOSTS, f"{A}, Table 7")],
    "messaging/location": [(SAME, f"{B}, Fig. 1")],
    "messaging/single-pair-size": [(TWO_HOSTS, f"{B}, Fig. 2")],
    "messaging/scale": [(TWO_HOSTS, f"{B}, Fig. 3"), (APART, f"{B}, Fig. 5")],
    "messaging/encryption": [(TWO_HOSTS, f"{B}, Fig. 6")],
}
OTHERWISE = {"messaging/designs", "create"}  # of a section, or of a paper with another measure


@pytest.mark.parametrize("experiment", NUMBERS)
def test_a_chart_is_called_by_what_it_repeats(experiment):
    for placement, said in NUMBERS[experiment]:
        one = row(experiment=experiment, placement=placement)
        assert titled("Times", [one]) == f"{said}: Times"


def test_a_chart_of_several_names_them_all():
    pairs = [row(placement=placement) for placement in (SAME, APART, TWO_HOSTS)]
    assert repeated(pairs) == f"{A}, Fig. 5, 6 and 7"
    assert repeated(pairs[:2]) == f"{A}, Fig. 5 and 6"
    many = [row(experiment="messaging/scale", placement=TWO_HOSTS, pairs=count) for count in (1, 10, 20)]
    assert repeated(many) == f"{B}, Fig. 3 and 4"
    secret = [row(experiment="messaging/encryption", pairs=count) for count in (1, 10)]
    assert repeated(secret) == f"{B}, Fig. 7"
    split = row(experiment="directory/search", placement=TWO_HOSTS, spread="split")
    assert repeated([split]) == f"{A}, Fig. 16"


def test_every_experiment_of_the_two_papers_is_known_and_no_other():
    of_papers = {
        one.name for one in EXPERIMENTS.values() if "Alberola" in one.source or "Burbeck" in one.source
    }
    own = {one.name for one in EXPERIMENTS.values() if one.source.startswith("our own")}
    assert of_papers - OTHERWISE - own == NUMBERS.keys()
    assert all(titled("Times", [row(experiment=name)]) == "Times" for name in own)
    assert titled("Times", []) == "Times"
