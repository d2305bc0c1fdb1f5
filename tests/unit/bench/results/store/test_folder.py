import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from msgspec.structs import replace
from pyarrow import parquet
from tests.unit.bench.synthetic import STARTED, add_repetition, make_run, plan

from formicary.errors import FormicaryError, UsageError
from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.store.model import Manifest
from formicary_bench.results.store.raw import RoundTrips
from formicary_bench.results.summary.summary import summarise
from formicary_bench.vocabulary.configuration import Configuration


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run", plan(pairs=(1, 3))[:2])


def manifest(**about):
    return Manifest(**{"formicary": "0.1.0", "started": STARTED, **about})


def edit(run, **fields):
    file = run.path / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}))


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_what_was_added_is_there_when_opened_again(run):
    again = RunFolder.open(run.path)
    assert again.manifest == run.manifest
    assert again.manifest.complete
    assert len(again.manifest.repetitions) == 4
    data = again.raw(again.manifest.repetitions[0], RoundTrips)
    assert data.pair.dtype == np.int32
    assert data.phase.dtype == np.int8
    assert len(data.rtt_ns) == 100


def test_raw_files_explain_themselves_and_nothing_else_is_left(run):
    assert files(run.path) == ["manifest.json", *sorted(f"raw/{r.raw}" for r in run.manifest.repetitions)]
    about = parquet.read_schema(run.path / "raw" / run.manifest.repetitions[1].raw).metadata
    assert about[b"configuration"].decode() == run.manifest.repetitions[1].configuration


def test_configurations_have_keys_of_their_own():
    keys = {c.key for c in plan(pairs=(1, 10), payloads=(1, 100))}
    assert len(keys) == 24
    example = Configuration(
        experiment="messaging/pairs",
        platform="formicary",
        kind="micro",
        parameters={"rounds": (5, 10, 5), "payload_bytes": 100, "pairs": 10},
    )
    sizes = "pairs-10-payload-bytes-100-rounds-5-10-5"
    assert example.key == f"messaging/pairs/formicary-micro/same-container/in-process/{sizes}"


def test_keys_tell_hosts_apart_and_name_none_where_that_is_no_choice():
    apart = Configuration(
        experiment="messaging/pairs", platform="tcp", placement="two-containers", parameters={"pairs": 2}
    )
    assert apart.key == "messaging/pairs/tcp/two-containers/in-process/pairs-2"
    two = replace(apart, placement="two-hosts", hosts=2)
    assert two.key == "messaging/pairs/tcp/two-hosts/in-process/pairs-2"
    many = [
        replace(apart, placement="n-hosts", hosts=hosts, traffic=traffic)
        for hosts in (2, 3)
        for traffic in ("", "ring", "all-to-all")
    ]
    assert len({one.key for one in many}) == len(many)
    assert many[-1].key.split("/")[3] == "n-hosts-3-all-to-all"


def test_names_of_their_own_under_the_base(tmp_path):
    first = RunFolder.create(manifest(), base=tmp_path / "runs", label="messaging/pairs")
    second = RunFolder.create(manifest(), base=tmp_path / "runs", label="messaging/pairs")
    assert first.path == tmp_path / "runs" / "2026-03-14T15-09-26-messaging-pairs"
    assert second.path.name == "2026-03-14T15-09-26-messaging-pairs-2"


def test_a_label_cannot_leave_the_base(tmp_path):
    run = RunFolder.create(manifest(), base=tmp_path / "runs", label="../../etc")
    assert run.path.parent == tmp_path / "runs"


def test_nothing_is_overwritten(run):
    before = files(run.path)
    with pytest.raises(UsageError, match="already exists"):
        RunFolder.create(manifest(), run.path)
    assert files(run.path) == before


def test_a_place_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot be written \(Not a directory\)"):
        RunFolder.create(manifest(), tmp_path / "file" / "run")


def test_a_place_without_permission(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    # Not by mode bits: tests may run as root, who writes everywhere.
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(UsageError, match="Permission denied"):
        RunFolder.create(manifest(), tmp_path / "run")


def test_a_manifest_that_cannot_be_written_leaves_no_folder(tmp_path, monkeypatch):
    def full(self, manifest):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RunFolder, "_save", full)
    with pytest.raises(FormicaryError, match="No space left on device"):
        RunFolder.create(manifest(), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_keeps_what_was_measured(run, monkeypatch):
    before = files(run.path)

    def full(table, path, **options):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(parquet, "write_table", full)
        with pytest.raises(FormicaryError, match="No space left on device"):
            add_repetition(run, run.manifest.configurations[0], 3, seed=3)
    assert files(run.path) == before
    assert len(RunFolder.open(run.path).manifest.repetitions) == 4


def test_an_interrupted_run_is_partial_and_readable(tmp_path):
    configurations = plan(pairs=(1, 3))
    run = make_run(tmp_path / "run", configurations, repetitions=0, complete=False)
    add_repetition(run, configurations[0], 1, seed=1)
    again = RunFolder.open(run.path)
    assert not again.manifest.complete
    assert again.manifest.finished is None
    assert [row.exchange.pairs for row in summarise(again)] == [1]


def test_discarding_leaves_no_trace_of_a_run_without_values(tmp_path):
    run = make_run(tmp_path / "run", plan(), repetitions=0, complete=False)
    run.discard()
    assert list(tmp_path.iterdir()) == []


def test_discarding_keeps_values(run):
    run.discard()
    assert len(RunFolder.open(run.path).manifest.repetitions) == 4


def test_no_such_folder(tmp_path):
    with pytest.raises(UsageError, match="no folder"):
        RunFolder.open(tmp_path / "nothing")


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_not_a_run_folder(tmp_path, kind):
    place = tmp_path / "place"
    place.mkdir() if kind == "folder" else place.write_text("")
    with pytest.raises(UsageError, match=r"is not the folder of a run: it has no manifest\.json"):
        RunFolder.open(place)


def test_a_newer_format(run):
    edit(run, format_version=3, repetitions="something else entirely")
    with pytest.raises(UsageError, match=r"made by a newer formicary \(format 3; this one reads up to 2\)"):
        RunFolder.open(run.path)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"format_version": "2"}', '{"format_version": 2}', b"\xff\xfe"]
)
def test_a_broken_manifest(run, text):
    file = run.path / "manifest.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError, match="is broken"):
        RunFolder.open(run.path)


@pytest.mark.parametrize(
    "fields",
    [
        {"parameters": {"pairs": -1}},
        {"parameters": {"pairs": 10**30}},
        {"parameters": {"pairs": "many"}},
        {"parameters": {"pairs": True}},
        {"parameters": {"rounds": [1, 2]}},
        {"parameters": {"rate": "fast"}},
        {"parameters": {"mix": 5}},
        {"parameters": {"x" * 5000: 1}},
        {"experiment": "x" * 5000},
    ],
)
def test_values_that_no_manifest_has(run, fields):
    configuration = {"experiment": "messaging/pairs", "platform": "formicary", **fields}
    edit(run, configurations=[configuration])
    with pytest.raises(UsageError, match="is broken"):
        RunFolder.open(run.path)


def test_fields_of_a_later_version_of_the_format_are_passed_over(run):
    edit(run, weather="fair")
    assert RunFolder.open(run.path).manifest == run.manifest


def test_parameters_of_other_versions_are_no_figures_of_rows(tmp_path):
    (here,) = plan(pairs=(3,))[:1]
    others = here.sized(experiment="x", each=3, round_trips=7, colour="green")
    rows = []
    for name, one in (("here", here), ("others", others)):
        rows += summarise(RunFolder.open(make_run(tmp_path / name, [one]).path))
    first, second = (replace(row, run_hash="", parameters={}) for row in rows)
    assert first == second


@pytest.mark.parametrize("name", ["../manifest.json", "/etc/passwd", "", "..", "a/b.parquet"])
def test_raw_values_outside_the_folder_are_refused(run, name):
    repetitions = json.loads((run.path / "manifest.json").read_text())["repetitions"]
    edit(run, repetitions=[{**repetitions[0], "raw": name}])
    with pytest.raises(UsageError, match="none of the folder's own"):
        summarise(RunFolder.open(run.path))


def test_missing_raw_values(run):
    (run.path / "raw" / run.manifest.repetitions[0].raw).unlink()
    with pytest.raises(UsageError, match="are missing"):
        summarise(run)


def test_broken_raw_values(run):
    file = run.path / "raw" / run.manifest.repetitions[0].raw
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(UsageError, match="cannot be read"):
        summarise(run)


COLUMNS = {
    "pair": pa.array([0, 0], pa.int32()),
    "index": pa.array([0, 1], pa.int32()),
    "start_ns": pa.array([0, 10], pa.int64()),
    "rtt_ns": pa.array([5, 5], pa.int64()),
    "phase": pa.array([2, 2], pa.int8()),
}


@pytest.mark.parametrize(
    ("column", "values", "complaint"),
    [
        ("rtt_ns", pa.array([5, -5], pa.int64()), "are impossible"),
        ("start_ns", pa.array([0, -(2**63)], pa.int64()), "are impossible"),
        ("pair", pa.array([0, 2**31 - 1], pa.int32()), "are impossible"),
        ("pair", pa.array([0, -1], pa.int32()), "are impossible"),
        ("rtt_ns", pa.array([5.0, 5.0]), "rtt_ns is not int64 throughout"),
        ("rtt_ns", pa.array([5, None], pa.int64()), "rtt_ns is not int64 throughout"),
        ("rtt_ns", None, "cannot be read"),
    ],
)
def test_raw_values_that_cannot_be(run, column, values, complaint):
    columns = {name: array for name, array in {**COLUMNS, column: values}.items() if array is not None}
    parquet.write_table(pa.table(columns), run.path / "raw" / run.manifest.repetitions[0].raw)
    with pytest.raises(UsageError, match=complaint):
        summarise(run)
