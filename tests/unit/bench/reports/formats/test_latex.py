"""Tables as LaTeX: they compile, fit the page, and lose nothing; whatever was measured, and however named."""

import re
import shutil
import subprocess

import pytest
from tests.plugins.missing import leave_out
from tests.unit.bench.experiments.memory.test_memory import run_of_states
from tests.unit.bench.experiments.messaging.open_loop.test_open_loop_saturation import written as searched
from tests.unit.bench.experiments.messaging.test_variants_designs import designs, in_designs
from tests.unit.bench.experiments.network.test_network import run_on_the_wire
from tests.unit.bench.reports.formats.test_formats import NASTY, tables
from tests.unit.bench.results.summary.test_cpu import cpu_plan, profile, run_of
from tests.unit.bench.synthetic import churn_plan, create_plan, directory_plan, make_run, plan, scale_plan

from formicary_bench.reports.charts.printing import write_pictures
from formicary_bench.reports.charts.series import APART, SAME
from formicary_bench.reports.document.claims import references
from formicary_bench.reports.document.sections import Document, sections, sections_of
from formicary_bench.reports.document.tables import Column
from formicary_bench.reports.formats import latex
from formicary_bench.reports.formats.fitting import pages
from formicary_bench.results.summary.row import Digest

DOCUMENT = (
    "\\documentclass{{article}}\n\\usepackage{{booktabs,graphicx}}\n"
    "\\begin{{document}}\n{}\\end{{document}}\n"
)
WIDER = re.compile(r"Overfull .hbox .(\d+\.\d+)pt too wide")
ALLOWED = 5.0  # points


def compiled(tmp_path, body):
    """Compile a PDF with LaTeX, which may not run programs; return its output."""
    if not shutil.which("pdflatex"):
        leave_out("pdflatex is missing: apt-get install texlive-latex-recommended")
    (tmp_path / "page.tex").write_text(DOCUMENT.format(body), encoding="utf-8")
    command = ["pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=50, check=False)
    said = done.stdout.decode(errors="replace")
    assert done.returncode == 0, said[-2000:]
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    return said


def test_tables_compile(quick_run, tmp_path):
    text = latex.render(Document(quick_run))
    assert text.count("\\toprule") == text.count("\\bottomrule")
    assert text.count("\\caption{") - text.count("(continued)") == tables(quick_run)
    said = compiled(tmp_path, text)
    assert "Missing character" not in said


@pytest.mark.figures
def test_figures_are_taken_in_with_captions_and_labels(quick_run, tmp_path):
    document = Document(quick_run)
    charts = [chart for section in document.sections for chart in section.charts]
    drawn = write_pictures(charts, "pdf", 1, tmp_path / "figures")
    text = latex.render(document)
    assert re.findall(r"\\formicaryfigure\{(\d.*?)\}", text) == [path.stem for path in drawn]
    labels = re.findall(r"\\label\{(fig:.*?)\}", text)
    assert len(labels) == len(set(labels)) == len(charts)
    assert labels[0] == "fig:pairs-of-agents-all-talking-at-once-1"
    said = compiled(tmp_path, text + r"Figure~\ref{" + labels[0] + "}")
    assert said.count("figures/0") >= len(charts)
    assert "Overfull" not in said.replace("Overfull \\vbox", "")
    whole = (tmp_path / "page.pdf").stat().st_size
    assert whole > sum(path.stat().st_size for path in drawn) / 2


def test_a_figure_that_is_not_drawn_is_named(quick_run, tmp_path):
    text = latex.render(Document(quick_run))
    assert "--format pdf --to figures" in text
    assert "Missing character" not in compiled(tmp_path, text)


def test_the_papers_that_are_named_have_their_references(quick_run):
    text = latex.render(Document(quick_run))
    assert "After Alberola 2010, Fig. 5 and 6: " in text
    assert "References" in text
    assert len(references("as in Alberola 2010")) == 1
    assert references("nobody") == []


def test_tables_with_nasty_names_compile_as_text(tmp_path):
    columns = [Column("who", NASTY, names=True), Column("figure", tuple(reversed(NASTY)))]
    text = "\n".join(latex._tables(" ".join(NASTY), columns, NASTY))
    assert "\\input" not in text
    assert "[U+4E2D]" in text.replace("{[}", "[")
    assert "Missing character" not in compiled(tmp_path, latex._FITTING + text)


def of_messages(experiment, payloads=(100,)):
    return lambda path: sections_of(
        make_run(path, plan(experiment, payloads=payloads, trips=(5, 20, 5)), repetitions=5)
    )


def of_designs(_):
    names = {"pool": 0.0093, "buffer": 0.5, "chain": 108}
    rows = [one for pairs in (1, 10, 100) for one in designs(pairs, **names)]
    return sections([Digest(one, None) for one in in_designs(rows)])


def searches():
    return cpu_plan("directory/cpu-search", subjects=("formicary-replica",), services=(20,))


KINDS = {
    "pairs": of_messages("messaging/pairs"),
    "many-to-one": of_messages("messaging/many-to-one"),
    "size": of_messages("messaging/size", (0, 10_000)),
    "encryption": of_messages("messaging/encryption", (100, 2048)),
    "lower-bound": of_messages("messaging/lower-bound"),
    "designs": of_designs,
    "saturation": lambda path: sections_of(searched(path)),
    "scale-out": lambda path: sections_of(make_run(path, scale_plan(), repetitions=5)),
    "create": lambda path: sections_of(make_run(path, create_plan())),
    "search": lambda path: sections_of(make_run(path, directory_plan(), repetitions=5)),
    "churn": lambda path: sections_of(make_run(path, churn_plan())),
    "memory": lambda path: sections_of(run_of_states(path)),
    "network": lambda path: sections_of(run_on_the_wire(path)),
    "cpu": lambda path: sections_of(
        run_of(path, cpu_plan(placements=(SAME, APART)), [profile(0.9), profile(1.0), profile(1.1)])
    ),
    "cpu-search": lambda path: sections_of(run_of(path, searches(), [profile()] * 3)),
}
ALIKE = pytest.mark.full("much like pairs, or size")
KINDS_TO_TRY = [
    pytest.param(kind, marks=ALIKE) if kind in {"many-to-one", "encryption", "lower-bound"} else kind
    for kind in KINDS
]


@pytest.mark.parametrize("kind", KINDS_TO_TRY)
def test_no_table_is_larger_than_the_page(kind, tmp_path):
    found = KINDS[kind](tmp_path / "run")
    assert found
    said = compiled(
        tmp_path, "\n\n".join([latex._FITTING, *(b for one in found for b in latex._section(one))])
    )
    assert [one for one in WIDER.findall(said) if float(one) > ALLOWED] == []
    assert "Overfull \\vbox" not in said
    assert "too large" not in said


def test_long_tables_go_on_and_lose_no_line(tmp_path):
    names = tuple(f"line {number}" for number in range(95))
    text = "\n".join(latex._tables("Long", [Column("who", names, names=True)], ["a remark"]))
    assert re.findall(r"^(line \d+) ", text, re.MULTILINE) == list(names)
    assert text.count("\\begin{table}") == 3
    assert text.count("(continued)") == 2
    assert text.count("a remark") == 1
    assert text.index("a remark") > text.rindex("\\end{table}")
    assert "Float too large" not in compiled(tmp_path, latex._FITTING + text)


def test_wide_tables_become_smaller_than_the_page(tmp_path):
    cells = ("a cell of many letters",)
    columns = [Column("who", cells, names=True), *(Column(f"figure {one}", cells) for one in range(4))]
    columns += [Column("of little weight", cells, minor=True)] * 9
    text = "\n".join([latex._FITTING, *latex._tables("Wide", columns)])
    assert text.count("\\begin{table}") == 1
    assert "of little weight" not in text
    assert "Overfull" not in compiled(tmp_path, text)


def test_columns_that_are_too_many_go_on_beside_what_they_are_of(tmp_path):
    who = [Column("who", ("a", "a"), names=True), Column("at", ("1", "2"))]
    others = [Column(f"column {one}", (f"{one} µs", f"± {one}%")) for one in range(30)]
    parts = list(pages([*who, *others]))
    assert len(parts) > 1
    assert {part.titles[:2] for part in parts} == {(("who",), ("at",))}
    titles = [" ".join(title) for part in parts for title in part.titles[2:]]
    assert titles == [column.title for column in others]
    assert [cell for part in parts for cell in part.rows[0][2:]] == [(column.cells[0],) for column in others]
    said = compiled(tmp_path, "\n".join([latex._FITTING, *latex._tables("Wide", [*who, *others])]))
    assert "Overfull" not in said


def test_long_texts_are_broken_and_lose_no_word():
    text = "too few repetitions: 1 are too few to show scatter; use 5 or more, or better ten" * 2
    (part,) = pages([Column("who", ("Agents",), names=True), Column("verdict", (text,), names=True)])
    assert len(part.rows[0][1]) > 1
    assert " ".join(part.rows[0][1]) == text


def test_very_many_tables_compile(tmp_path):
    tables = [table for _ in range(130) for table in latex._tables("Short", [Column("who", ("a",))])]
    assert "dead cycles" not in compiled(tmp_path, "\n\n".join([latex._FITTING, *tables]))


def test_signs_that_latex_would_join_stay_apart():
    assert latex._escape("a--b ''") == "a-{}-b '{}'"
    assert latex._escape("a-b, c") == "a-b, c"
