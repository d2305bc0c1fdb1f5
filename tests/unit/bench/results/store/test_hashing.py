"""The hash of a run names its values, and stands in every format."""

import hashlib
import io
import json
import re
import shutil

from tests.unit.bench.synthetic import make_run, plan

from formicary_bench.reports.document.sections import Document
from formicary_bench.reports.formats import csv, json_lines, latex, markdown, terminal
from formicary_bench.reports.formats.html import render
from formicary_bench.results.store.folder import RAW, RunFolder
from formicary_bench.results.store.hashing import content_hash

ONE = plan(pairs=(1,))[:2]


def test_it_is_over_the_manifest_and_all_raw_values(tmp_path):
    run = make_run(tmp_path / "run", ONE)
    known = content_hash(run)
    names = ["manifest.json", *(f"{RAW}/{one.raw}" for one in run.manifest.repetitions)]
    lines = [f"{hashlib.sha256((run.path / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    assert known == hashlib.sha256("".join(lines).encode()).hexdigest()
    render(run)
    copied = shutil.copytree(run.path, tmp_path / "elsewhere")
    assert content_hash(RunFolder.open(copied)) == known
    changed = copied / names[1]
    changed.write_bytes(changed.read_bytes() + b"x")
    assert content_hash(RunFolder.open(copied)) != known


def test_every_format_says_it(tmp_path):
    document = Document(make_run(tmp_path / "run", ONE))
    for write in (markdown.write, latex.write, csv.write, json_lines.write, terminal.write):
        stream = io.StringIO()
        write(document, stream)
        assert document.hash in stream.getvalue()
        if write is json_lines.write:
            assert json.loads(stream.getvalue().splitlines()[0])["run_hash"] == document.hash
    assert document.hash in render(document.run)


def test_figures_and_tables_can_be_cited(tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1, 10)))
    page = render(run)
    anchors = re.findall(r'<figure id="(figure-[a-z0-9-]+)"', page)
    assert anchors
    assert all(f'href="#{one}">Figure {n}</a>' in page for n, one in enumerate(anchors, 1))
    again = render(make_run(tmp_path / "again", plan(pairs=(1, 10))))
    assert re.findall(r'<figure id="(figure-[a-z0-9-]+)"', again) == anchors
    text = latex.render(Document(run))
    labels = re.findall(r"\\label\{(tab:[a-z0-9-]+)\}", text)
    assert len(labels) == text.count("\\caption{") == len(set(labels))
