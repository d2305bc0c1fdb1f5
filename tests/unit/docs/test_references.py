"""The papers' full references, the citation file, and the gallery's stored run."""

from __future__ import annotations

import importlib.util
import re
import zipfile

from tests.plugins.paths import ROOT

from formicary_bench.published import features
from formicary_bench.published.claims import papers

PAGE = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_page_has_every_paper_with_its_full_reference():
    for paper in papers().values():
        assert f"\n## {paper.name}\n\n{paper.reference}\n" in PAGE


def test_the_page_of_features_has_the_table_and_what_its_text_says_of_it():
    page = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    lines = features()
    found = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("|")]
    assert found == [[*lines[0]], ["---"] * len(lines[0]), *([*line.values()] for line in lines)]
    *theirs, ours = lines
    assert ours["Platform"] == "Formicary"
    assert len(theirs) == 34

    def having(heading):
        return {line["Platform"] for line in theirs if line[heading] == "✓"}

    assert len(having("FIPA")) > 0.4 * len(theirs)
    assert f"({len(having('FIPA'))} of {len(theirs)} here)" in page
    assert f"where {len(having('Sec.'))} have a tick" in page
    assert having("Sec.") >= {"Semoa", "Cougaar", "Soma", "CapNet"}
    assert having("Org.") >= {"MadKit", "Jackal", "Zeus"}
    assert having("O.S.") >= {"Jade", "MadKit", "AgentScape"}
    assert "Jade" in having("FIPA")


def test_all_papers_are_cited():
    titles = re.findall(r'^    title: "(.+)"$', CITATION, re.MULTILINE)
    assert len(titles) == len(papers())
    assert all(any(title in paper.reference for paper in papers().values()) for title in titles)


def test_the_gallery_draws_charts_of_the_stored_run(tmp_path):
    path = ROOT / "docs" / "extensions" / "gallery.py"
    spec = importlib.util.spec_from_file_location("gallery", path)
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    with zipfile.ZipFile(gallery.RUN) as stored:
        stored.extractall(tmp_path)
    found = gallery.drawn(tmp_path / "run", tmp_path / "drawings")
    drawings = [file for _, charts in found for _, file in charts]
    assert len(drawings) > 20
    assert all(file.read_text(encoding="utf-8").startswith("<svg") for file in drawings)
