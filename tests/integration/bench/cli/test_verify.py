"""`formicary bench verify` measures again, for real, what a run claims."""

import json

import pytest
from tests.unit.bench.synthetic import make_run, plan

from formicary.cli import main
from formicary_bench.results.store.folder import RunFolder


@pytest.fixture
def bench(capsys):
    """Run `formicary bench`; return its exit code and output."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["bench", *map(str, arguments)])
        return ended.value.code or 0, *capsys.readouterr()

    return call


def in_one_process(*kinds):
    return [
        one for one in plan(pairs=(1,)) if (one.platform, one.kind) in {("formicary", kind) for kind in kinds}
    ]


def test_the_same_configurations_are_measured_again(tmp_path, bench):
    configurations = [
        one for one in in_one_process("micro", "behaviours") if one.placement == "same-container"
    ]
    published = make_run(tmp_path / "published", configurations, repetitions=6).path
    code, out, err = bench("verify", published, "--repeat", 2, "--output", tmp_path / "again", "--json")
    found = [json.loads(line) for line in out.splitlines()]
    assert found, err
    # Two repetitions decide nothing.
    assert code == 3
    assert {one["outcome"] for one in found} == {"inconclusive"}
    again = RunFolder.open(tmp_path / "again").manifest
    assert again.configurations == RunFolder.open(published).manifest.configurations
    assert len(again.repetitions) == 2 * len(configurations)
    assert any("2 repetitions against 2 are too few" in one["here"] for one in found)


def test_what_claims_nothing_is_refused_and_nothing_is_measured(tmp_path, bench):
    run = make_run(tmp_path / "run", in_one_process("micro"), repetitions=2).path
    code, out, err = bench("verify", run, "--output", tmp_path / "again")
    assert code
    assert not out
    assert "has no claims to verify" in err
    assert not (tmp_path / "again").exists()
