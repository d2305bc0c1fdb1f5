"""The script that measures the pages' figures runs, and each page with figures names it."""

from __future__ import annotations

import asyncio
import importlib.util
import re
from multiprocessing import resource_tracker

import pytest
from tests.plugins.paths import ROOT

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def figures():
    spec = importlib.util.spec_from_file_location("figures", DOCS / "figures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.ROUNDS, module.SERVICES, module.REQUESTS, module.BIDDERS = 2, 20, 5, 3
    module.TYPES = 4
    return module


@pytest.fixture
def tracked():
    """Start and stop multiprocessing's resource tracker outside of the test."""
    resource_tracker.ensure_running()
    yield
    resource_tracker._resource_tracker._stop()


@pytest.mark.usefixtures("tracked")
def test_each_figure_is_measured_and_its_page_says_how(figures, capsys):
    for name, measure in figures.FIGURES.items():
        asyncio.run(measure())
        lines = capsys.readouterr().out.splitlines()
        found = [
            re.fullmatch(r".* ([\d.e+-]+) (?:µs|ms|times) +\((.*) to (.*)\), (\S+\.md), (.*)", one)
            for one in lines
        ]
        pages = {one[4] for one in found if one}
        assert pages
        assert all(float(one[2]) <= float(one[1]) <= float(one[3]) for one in found if one)
        assert all(f"\n## {one[5]}\n" in (DOCS / one[4]).read_text() for one in found if one)
        for page in pages:
            assert f"docs/figures.py {name}`" in (DOCS / page).read_text()


def test_unknown_figures_are_refused_and_the_machine_is_printed(figures, capsys):
    with pytest.raises(SystemExit, match="there is no figure 'speed': choose of search"):
        figures.main(["speed"])
    figures.main(["search"])
    assert "medians of 2 rounds" in capsys.readouterr().out.splitlines()[-1]
