"""What is counted on the hosts of a lab, and whether their measurements can be believed."""

import pytest
from msgspec.structs import replace
from tests.integration.bench.conftest import Silent, perform
from tests.unit.bench.synthetic import asking

from formicary_bench.remote.launchers.launcher import provider
from formicary_bench.reports.document.hosts import voided
from formicary_bench.reports.document.report import columns, extras, to_know
from formicary_bench.reports.formats.html import render
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.execution.run_hosts import HostSelection
from formicary_bench.runner.observers import hosts as observers
from formicary_bench.vocabulary.metrics import MEAN, RATE

OWN = ("formicary-behaviours",)
LOADED = "host b was used by other processes (35% of its CPU)"


@pytest.fixture
def over(tmp_path, lab):
    """Run an experiment over the hosts of a lab."""

    def call(experiment, **options):
        inventory = tmp_path / "hosts.toml"
        text = lab.inventory.read_text().replace("[defaults]", f'[defaults]\nfolder = "{tmp_path}/there"', 1)
        inventory.write_text(text)
        selection = HostSelection(provider("ssh", inventory, None))
        names = tuple(host.name for host in selection.containers)
        asked = asking(experiment=experiment, hosts=names, subjects=OWN, routes=("direct",), **options)
        return perform(asked, tmp_path / "run", Silent(), selection)

    return call


def test_each_host_has_a_column_of_its_own(over, lab):
    outcome = over("messaging/cpu", pairs=(10,), rounds=(300, 3000, 500), repeat=1)
    assert outcome.problems == []
    (row,) = summarise(outcome.folder)
    first, second = (host.name for host in lab.hosts)
    assert {one.process for one in row.cpu.groups if one.us.mean} == {f"ask@{first}", f"echo@{second}"}
    if row.invalid:  # a busy machine: what was measured is there all the same
        row = replace(row, invalid=())
    (beside,) = [extra for extra in extras("messaging/cpu", [row], []) if extra.title.endswith(": each host")]
    titles = [column.title for column in beside.columns]
    assert {f"{first}, %", f"{second}, %"} <= set(titles)
    assert [host.name for host in row.by_host] == [second, first]
    for host in row.by_host:
        (process,) = host.processes
        assert 0 < process.cores.mean <= 2
        assert process.bytes.mean > 1_000_000
        assert host.wire_bytes_per_s.mean > 0


def test_bytes_are_those_of_the_interfaces_between_the_hosts(over, lab):
    outcome = over("network", pairs=(20,), payload_bytes=(1000,), rounds=(100, 3000, 200))
    assert outcome.problems == []
    for repetition in outcome.folder.manifest.repetitions:
        counted = repetition.counters
        bodies = counted["round_trips"] * 2000
        assert bodies < counted["wire_bytes"] < 3 * bodies
        sent = [counted[f"host@{host.name} wire bytes"] for host in lab.hosts]
        assert counted["wire_bytes"] == sum(sent) / 2
        assert not any("loopback interface" in note for note in repetition.notes)


def test_a_measurement_that_was_disturbed_is_no_number(over, monkeypatch):
    monkeypatch.setattr(
        observers, "why_invalid", lambda *_, **__: ["host b was used by other processes (35% of its CPU)"]
    )
    outcome = over("messaging/pairs", pairs=(5,), rounds=(20, 500, 20))
    assert outcome.problems == []
    (row,) = summarise(outcome.folder)
    assert row.invalid == (LOADED,)
    assert row.mean(MEAN) > 0  # JSON has both
    assert '"invalid":["host b' in row.to_json_line()
    shown = voided(row)
    table = {column.title: column.cells for column in columns(row.experiment, [shown], [shown])}
    assert table["mean"] == ("not valid",)
    assert table["trips/s"] != (f"{row.mean(RATE):.0f}",)
    assert "not valid: host b was used by other processes (35% of its CPU)" in to_know([shown])[0]
    assert "not valid: host b was used" in render(outcome.folder)
