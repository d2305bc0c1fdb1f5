"""The changelog, and the files in `changes` that a release collects into it."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.plugins.paths import ROOT

CHANGES = [path for path in sorted((ROOT / "changes").iterdir()) if path.name != "README.md"]
NAME = re.compile(r"\+[\w-]+\.(added|changed|fixed|deprecated|security)\.md")
TEXTS = [path.read_text(encoding="utf-8") for path in CHANGES]


def test_each_change_is_named_so_that_it_is_found():
    assert [path.name for path in CHANGES if not NAME.fullmatch(path.name)] == []


def test_each_change_will_be_in_the_changelog():
    draft = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "next"]
    done = subprocess.run(draft, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = {line.removeprefix("- ") for line in done.stdout.splitlines()}
    assert [text for text in TEXTS if text.splitlines()[0] not in lines] == []


def test_links_of_changes_lead_somewhere():
    pages = {link.partition("#")[0] for text in TEXTS for link in re.findall(r"\]\(([^)]+)\)", text)}
    assert [page for page in pages if not (ROOT / "docs" / page).exists()] == []
