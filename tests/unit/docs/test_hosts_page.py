"""The hosts page: its inventory is valid, and its table has every key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.plugins.paths import ROOT

from formicary.errors import UsageError
from formicary_bench.remote.inventory import Host, choose, load
from formicary_bench.remote.inventory_values import KINDS, OWN

PAGE = ROOT / "docs" / "hosts.md"


@pytest.fixture(scope="module")
def page():
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture
def example(page, tmp_path, monkeypatch):
    """Return the example as a file, in a home with the files that it mentions."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    for name in (".ssh/id_ed25519", "attic-key"):
        (tmp_path / name).touch()
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "hosts.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_example_is_an_inventory(example, tmp_path):
    found = load(example)
    gate, _, node2, attic = found.hosts
    assert (gate.user, gate.key, attic.known_hosts) == (
        "ada",
        tmp_path / ".ssh/id_ed25519",
        tmp_path / "attic-key",
    )
    assert node2.environment == {"LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"}
    assert [host.name for host in choose(found, ["node2", "large"])] == ["node1", "node2"]


def test_the_example_has_every_key(example):
    text = example.read_text(encoding="utf-8")
    assert [key for key in KINDS if not re.search(rf"^{key} = ", text, re.MULTILINE)] == []


def test_the_documented_errors_are_those_reported(example, page, monkeypatch):
    text = example.read_text(encoding="utf-8")
    wrong = text.replace("port =", "prot =").replace('jump = "gate"', 'jump = "gat"', 1)
    wrong = wrong.replace('folder = "/scratch/ada/formicary"', 'roles = ["sever"]')
    example.write_text(wrong, encoding="utf-8")
    monkeypatch.chdir(example.parent)
    with pytest.raises(UsageError) as caught:
        load(Path("hosts.toml"))
    assert f"```\nformicary: {caught.value}\n```" in page


def test_the_table_has_every_key_and_its_default(page):
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| (.*?) ?\|$", page, re.MULTILINE))
    assert set(rows) == set(KINDS)
    usual = Host(name="a", address="a")
    assert (rows["port"], rows["python"], rows["folder"]) == ("22", f"`{usual.python}`", f"`{usual.folder}`")
    for key in KINDS:
        assert ("not in `[defaults]`" in page.partition(f"| `{key}` |")[2].partition("\n")[0]) == (key in OWN)
