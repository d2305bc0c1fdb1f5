"""What is said of `observe/watch`: what a viewer costs, as part of what there is without one."""

from msgspec.structs import replace
from tests.unit.bench.synthetic import row

from formicary_bench.experiments.observe import CHANGED_RATE, CPU
from formicary_bench.reports.document.report import columns, said
from formicary_bench.statistics.estimates import Estimate
from formicary_bench.vocabulary.values import LEFT, VIEWED


def watched(kind, cpu, rate):
    figures = {CPU.name: Estimate(cpu, (cpu - 0.01, cpu + 0.01)), CHANGED_RATE.name: Estimate(rate)}
    return replace(row("watched", kind, 100, experiment="observe/watch"), figures=figures)


def test_the_report_says_what_a_viewer_costs():
    rows = [watched(VIEWED, 1.055, 0.9), watched(LEFT, 1.0, 1.01)]
    viewed, left = said("observe/watch", rows)
    assert viewed == (
        "With a viewer, 100 pairs: 1.05 times the CPU time of a round trip without a viewer, and 0.90 times "
        "the rate."
    )
    assert left.startswith("After a viewer has gone, 100 pairs: 1.00 times the CPU time")
    table = {column.title: column.cells for column in columns("observe/watch", rows, rows)}
    assert table["CPU time"] == ("1.05", "1.00")
    assert table["rate"] == ("0.90", "1.01")
