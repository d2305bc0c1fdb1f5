"""Old runs: `formicary bench list --where` finds them, `formicary bench publish` gives them away."""

from datetime import UTC, datetime
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import msgspec
import pytest
from tests.unit.bench.synthetic import EVIL, MACHINE, create_plan, make_run, plan

from formicary_bench.results.store.folder import MANIFEST, RunFolder


@pytest.fixture
def runs(tmp_path):
    base = tmp_path / "runs"
    base.mkdir()
    make_run(base / "b", plan(pairs=(1,))[:1], repetitions=0, formicary="0.1.0")
    second = make_run(base / "a", create_plan()[:1], repetitions=0, formicary="0.2.0")
    other = msgspec.structs.replace(MACHINE, host="lab-4")
    second._save(
        msgspec.structs.replace(second.manifest, machine=other, started=datetime(2026, 4, 1, 23, tzinfo=UTC))
    )
    (base / "no-run").mkdir()
    return base


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("", ["b", "a"]),
        ("experiment=create", ["a"]),
        ("experiment!=create", ["b"]),
        ("host=lab-4", ["a"]),
        ("version=0.1.0 experiment=messaging/pairs", ["b"]),
        ("version=0.1.0 experiment=create", []),
        ("date>=2026-04-01", ["a"]),
        ("date<2026-04-01", ["b"]),
        ("date=2026-03-14", ["b"]),
        ("date>2026-03-14 date<=2026-04-01", ["a"]),
    ],
)
def test_runs_are_found_by_conditions(bench, runs, where, found):
    listed = bench("list", "--where", where, "--json")
    assert listed.code == 0, listed.err
    assert [row["run"] for row in listed.rows] == [f"runs/{name}" for name in found]
    shown = bench("list", "--where", where)
    assert [name in shown.out for name in ("runs/a", "runs/b")] == ["a" in found, "b" in found]
    assert ("no run in runs matches" in shown.err) == (not found)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("experiment", "'experiment' in --where is not a condition: use, for example, 'experiment="),
        ("cpu=x", "'cpu' in --where is not one of experiment, date, host, version"),
        ("host>x", "'host>x' in --where: only dates can be ordered; for host, use = or !="),
        ("date>=yesterday", "'date>=yesterday' in --where is not a date"),
    ],
)
def test_bad_conditions_are_one_sentence(bench, runs, where, said):
    refused = bench("list", "--where", where)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert refused.err.count("\n") == 1


def test_a_folder_without_conditions_is_refused_as_nothing_would_look_there(bench, runs):
    refused = bench("list", "--runs", runs)
    assert (refused.code, refused.out) == (2, "")
    assert "--runs is for old runs" in refused.err
    assert refused.err.count("\n") == 1


def test_a_missing_folder_is_one_sentence(bench, tmp_path):
    refused = bench("list", "--where", "host=x", "--runs", tmp_path / "missing")
    assert refused.code == 2
    assert "cannot list runs in" in refused.err


def test_a_broken_run_is_named_and_the_others_are_listed(bench, runs):
    (runs / "no-run" / MANIFEST).write_text("{")
    listed = bench("list", "--where", "", "--json")
    assert len(listed.rows) == 2
    assert listed.err.startswith("! the manifest runs/no-run")


def test_names_in_a_run_do_not_steer_the_terminal(bench, runs):
    make_run(runs / "evil", [], repetitions=0, formicary=EVIL)
    assert "\x1b" not in bench("list", "--where", "date>=2026-01-01").out


class Links(HTMLParser):
    """The links of a page, and their possible targets in it."""

    def __init__(self, text):
        super().__init__()
        self.to, self.names = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.to += [known[name] for name in ("href", "src") if known.get(name)]
        self.names.add(known.get("id"))


def broken(page):
    """Return the links of a page that lead nowhere, or out of its folder."""
    links = Links(page.read_text())
    found = []
    for link in links.to:
        parts = urlsplit(link)
        if parts.scheme == "data":
            continue
        path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        is_there = path.is_file() and path.is_relative_to(page.parent.resolve())
        if (
            parts.scheme
            or parts.netloc
            or not is_there
            or (parts.fragment and parts.fragment not in links.names)
        ):
            found.append(link)
    return found


@pytest.mark.figures
def test_a_published_page_links_to_all_that_lies_beside_it(bench, tmp_path):
    run = make_run(tmp_path / "run", [*plan(pairs=(1, 5)), *create_plan()], repetitions=1)
    assert bench("publish", run.path, "--to", tmp_path / "x").code == 0
    page = tmp_path / "x" / "index.html"
    assert broken(page) == []
    linked = {unquote(link) for link in Links(page.read_text()).to if not link.startswith(("#", "data:"))}
    there = {str(path.relative_to(page.parent)) for path in page.parent.rglob("*") if path.is_file()}
    assert linked == there - {"index.html"}
    assert {path.suffix for path in (page.parent / "figures").iterdir()} == {".png", ".svg", ".pdf"}
    (page.parent / "rows.csv").unlink()
    assert broken(page) == ["rows.csv"]


def test_without_the_extra_nothing_is_published(bench, tmp_path, monkeypatch):
    monkeypatch.setattr("formicary_bench.reports.charts.printing.find_spec", lambda _: None)
    run = make_run(tmp_path / "run", plan(pairs=(1,))[:1], repetitions=1)
    refused = bench("publish", run.path, "--to", tmp_path / "x")
    assert refused.code == 2
    assert "typst is not installed" in refused.err
    assert list(tmp_path.iterdir()) == [run.path]


@pytest.mark.figures
def test_a_published_run_has_all_and_can_be_opened_as_a_run(bench, tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1,))[:2], repetitions=1)
    done = bench("publish", run.path, "--to", tmp_path / "public" / "x")
    assert done.code == 0, done.err
    folder = tmp_path / "public" / "x"
    names = [
        "figures",
        "index.html",
        "manifest.json",
        "raw",
        "rows.csv",
        "rows.jsonl",
        "tables.md",
        "tables.tex",
    ]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert [path.name for path in folder.parent.iterdir()] == ["x"]
    assert "Pairs of agents" in (folder / "index.html").read_text()
    again = RunFolder.open(folder)
    for repetition in run.manifest.repetitions:
        assert again.raw_path(repetition).read_bytes() == run.raw_path(repetition).read_bytes()


@pytest.mark.figures
def test_what_cannot_be_published_leaves_nothing(bench, tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1,))[:1], repetitions=1)
    assert bench("publish", run.path, "--to", run.path).code == 2
    next(iter((run.path / "raw").iterdir())).unlink()
    refused = bench("publish", run.path, "--to", tmp_path / "out")
    assert refused.code == 2
    assert "are missing" in refused.err
    assert list(tmp_path.iterdir()) == [run.path]
