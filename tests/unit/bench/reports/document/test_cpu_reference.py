"""CPU times beside the paper's tables, where our hosts are not the paper's."""

import pytest
from tests.unit.bench.synthetic import row

from formicary_bench.reports.document.cpu import cpu_by_host, process_name
from formicary_bench.reports.document.cpu_reference import cpu_references, share_charts
from formicary_bench.results.summary.cpu import CpuEstimate, CpuEstimates
from formicary_bench.statistics.estimates import Estimate

N_HOSTS = "n-hosts"


def over_hosts(processes, experiment="messaging/cpu", hosts=2, **about):
    """Return a profiled row; in each process, a quarter is the agents' and the rest the platform's."""
    groups = tuple(
        CpuEstimate(process, group, Estimate(us * share), share, (us * share,))
        for process, us in processes.items()
        for group, share in (("agents", 0.25), ("platform", 0.75))
    )
    server = CpuEstimate("server@h1", "server", Estimate(50.0), 1.0, (50.0,))
    cpu = CpuEstimates(groups=(*groups, server), strands=(*groups, server), window_s=1.0)
    about = {"placement": N_HOSTS, "hosts": hosts, "experiment": experiment, "profiled": True, **about}
    return row(cpu=cpu, **about)


def table_of(extra):
    return {column.title: column.cells for column in extra.columns}


MEMBERS = {"member@h1": 100.0, "member@h2": 60.0}


def test_two_hosts_with_agents_of_both_kinds_are_the_papers_two():
    (extra,) = cpu_references([over_hosts(MEMBERS)])
    assert "beside Table 3" in extra.title
    table = table_of(extra)
    ours = dict(zip(zip(table["host"], table["group"], strict=True), table["here, ms"], strict=True))
    # A thousand round trips of each of the pairs, of which each host has one.
    assert ours["A", "agents (mas)"] == "50.0"
    assert ours["A", "platform (map)"] == "150.0"
    assert ours["B", "agents (mas)"] == "30.0"
    assert ours["B", "communication (com)"] == ""
    assert ours["", "the server on h1"] == "100.0"
    assert "Each of our hosts both asks and answers" in extra.remark


def test_of_the_directory_the_last_host_uses_it():
    (extra,) = cpu_references([over_hosts(MEMBERS, "directory/cpu-search", services=200)])
    table = table_of(extra)
    ours = dict(zip(zip(table["host"], table["group"], strict=True), table["here, ms"], strict=True))
    assert (ours["A", "agents (mas)"], ours["B", "agents (mas)"]) == ("25.0", "15.0")
    assert "both asks and answers" not in extra.remark


def test_one_host_is_the_table_of_one_and_more_than_two_are_in_none():
    (extra,) = cpu_references([over_hosts({"member@h1": 100.0}, hosts=1)])
    assert "beside Table 2" in extra.title
    assert set(table_of(extra)["host"]) == {"A", ""}
    assert "our hosts" not in extra.remark
    three = over_hosts({**MEMBERS, "member@h3": 10.0}, hosts=3)
    assert cpu_references([three]) == share_charts([three]) == []


def test_every_host_has_its_columns_with_its_server():
    (extra,) = cpu_by_host([over_hosts(MEMBERS)])
    table = table_of(extra)
    assert table["group"] == ("agents", "platform", "server")
    assert table["h1, per round trip"] == ("25.0 µs", "75.0 µs", "50.0 µs")
    assert table["h1, %"] == ("16.7%", "50.0%", "33.3%")
    assert table["h2, %"] == ("25.0%", "75.0%", "")


@pytest.mark.parametrize(
    ("process", "said"),
    [
        ("member@h1", "asking and echoing on h1"),
        ("ask", "asking"),
        ("both", "the process"),
        ("server@h1", "the server on h1"),
        ("create", "creating"),
    ],
)
def test_processes_have_names(process, said):
    assert process_name(process) == said
