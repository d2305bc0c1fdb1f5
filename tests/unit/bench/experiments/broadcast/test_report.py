"""What reports show of broadcasts: a table by receivers, a sentence each, and a chart of their own."""

from tests.unit.bench.synthetic import make_run, plan

from formicary_bench.reports.document.sections import sections_of

BROADCAST = "messaging/broadcast"


def test_a_section_is_about_receivers(tmp_path):
    configurations = [
        one.sized(senders=1)
        for one in plan(BROADCAST, pairs=(1, 10))
        if one.platform in {"formicary", "tasks", "callbacks"} and one.placement == "same-container"
    ]
    (section,) = sections_of(make_run(tmp_path / "run", configurations, repetitions=3))
    assert section.title == "One sender, many receivers"
    columns = {column.title: column.cells for column in section.columns}
    assert set(columns["receivers"]) == {"1", "10"}
    assert columns["who"][0] == "Agents"
    first, *_ = section.sentences
    assert first.startswith("In one process, agents: 10 receivers answer within ")
    assert " answers per second" in first
    titles = [chart.title for chart in section.charts]
    assert titles == ["Time until all have answered against receivers", "Answers per second, 10 receivers"]
