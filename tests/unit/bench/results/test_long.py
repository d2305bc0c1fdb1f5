"""A run in long form: what scripts and notebooks read."""

import io

import pyarrow.parquet as pq
import pytest
from tests.unit.bench.synthetic import make_run, plan

import formicary_bench
from formicary.errors import FormicaryError
from formicary_bench.reports.document.sections import Document
from formicary_bench.reports.formats import parquet
from formicary_bench.vocabulary.metrics import TIME


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run", plan(pairs=(1, 5)))


def test_a_run_is_a_frame_with_a_line_for_each_figure_of_each_repetition(run):
    frame = formicary_bench.load(run.path)
    assert {"run", "experiment", "platform", "pairs", "payload_bytes", "seed"} <= set(frame.columns)
    assert list(frame.columns[-5:]) == ["repetition", "seed", "metric", "unit", "value"]
    for row in Document(run).rows:
        mine = frame[(frame.metric == TIME.name) & (frame.pairs == row.size("pairs"))]
        for name in ("platform", "kind", "placement"):
            mine = mine[mine[name] == getattr(row, name)]
        assert mine.value.tolist() == [one.values[TIME.name] for one in row.each]
        assert mine.repetition.tolist() == [1, 2]
        assert set(mine.unit) == {"µs"}


def test_a_parquet_file_has_the_same_lines(run):
    stream = io.BytesIO()
    parquet.write(Document(run), stream)
    stream.seek(0)
    assert pq.read_table(stream).to_pandas().equals(formicary_bench.load(run.path))


def test_what_is_no_run_is_one_sentence(tmp_path):
    with pytest.raises(FormicaryError) as refused:
        formicary_bench.load(tmp_path / "none")
    assert str(tmp_path / "none") in str(refused.value)
