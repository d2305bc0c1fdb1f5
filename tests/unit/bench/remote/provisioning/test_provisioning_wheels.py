"""Wheels that are made again from what is installed."""

from __future__ import annotations

import csv
import hashlib
import io
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.markers import default_environment

from formicary_bench.remote.errors import HostError
from formicary_bench.remote.folders import code_digest
from formicary_bench.remote.provisioning import needs, own_wheel, wheels

METADATA = "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.5\n"
WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-manylinux_2_17_x86_64\n"
TAGS = WHEEL + "Tag: cp311-cp311-manylinux2014_x86_64\n"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Give the folder of packages of an environment, with one that has a bit of everything."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "env"))
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    info = "tiny_thing-1.5.dist-info"
    files = {
        "tiny/__init__.py": "answer = 42\n",
        "tiny/__pycache__/__init__.cpython-311.pyc": "compiled",
        "tiny/data.txt": "data",
        f"{info}/METADATA": METADATA,
        f"{info}/WHEEL": TAGS,
        f"{info}/INSTALLER": "pip",
        f"{info}/entry_points.txt": "[console_scripts]\ntiny = tiny:main\n",
        "../../../bin/tiny": "#!/env/bin/python3.11\nmade by the installer\n",
        "../../../bin/tinier": "#!/env/bin/python3.11\nimport tiny\n",
        "../../../share/man/tiny.1": "a page",
    }
    for name, content in files.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    listed = [*files, f"{info}/RECORD"]
    (site / info / "RECORD").write_text("".join(f"{name},,\n" for name in listed), encoding="utf-8")
    return site


@pytest.fixture
def tiny(site):
    return PathDistribution(site / "tiny_thing-1.5.dist-info")


def test_a_wheel_has_the_files_of_the_package_and_what_went_beside_it(tiny, tmp_path):
    wheel = wheels.rebuild(tiny, tmp_path / "out")
    assert wheel.name == "tiny_thing-1.5-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
    with zipfile.ZipFile(wheel) as archive:
        assert set(archive.namelist()) == {
            "tiny/__init__.py",
            "tiny/data.txt",
            "tiny_thing-1.5.data/data/share/man/tiny.1",
            "tiny_thing-1.5.data/scripts/tinier",
            "tiny_thing-1.5.dist-info/METADATA",
            "tiny_thing-1.5.dist-info/RECORD",
            "tiny_thing-1.5.dist-info/WHEEL",
            "tiny_thing-1.5.dist-info/entry_points.txt",
        }
        assert archive.read("tiny_thing-1.5.data/scripts/tinier") == b"#!python\nimport tiny\n"
        assert archive.getinfo("tiny_thing-1.5.data/scripts/tinier").external_attr >> 16 & 0o111


def test_a_wheel_lists_what_is_in_it(tiny, tmp_path):
    with zipfile.ZipFile(wheels.rebuild(tiny, tmp_path)) as archive:
        record = io.StringIO(archive.read("tiny_thing-1.5.dist-info/RECORD").decode())
        listed = {name: (digest, size) for name, digest, size in csv.reader(record)}
        assert set(listed) == set(archive.namelist())
        data = archive.read("tiny/data.txt")
    digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert listed["tiny/data.txt"] == (f"sha256={digest}", "4")
    assert listed["tiny_thing-1.5.dist-info/RECORD"] == ("", "")


def test_the_same_files_give_the_same_bytes(tiny, tmp_path):
    first, second = (wheels.rebuild(tiny, tmp_path / name) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


def test_its_identity_changes_with_its_list_of_files(tiny, site):
    before = wheels.identity(tiny)
    assert wheels.identity(tiny) == before
    with (site / "tiny_thing-1.5.dist-info" / "RECORD").open("a", encoding="utf-8") as record:
        record.write("tiny/new.py,,\n")
    assert wheels.identity(tiny) != before


def test_a_missing_file_is_a_sentence_and_no_wheel(tiny, site, tmp_path):
    (site / "tiny" / "data.txt").unlink()
    with pytest.raises(
        HostError, match=r"tiny-thing cannot be sent.*data\.txt of it is missing here; repair it: "
    ):
        wheels.rebuild(tiny, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("left", "said"), [(None, "no list of its files"), ("tiny/__init__.py,,\n", "in an old way")]
)
def test_without_a_proper_list_there_is_a_sentence(tiny, site, tmp_path, left, said):
    record = site / "tiny_thing-1.5.dist-info" / "RECORD"
    record.unlink()
    if left:
        record.write_text(left, encoding="utf-8")
    with pytest.raises(HostError, match=f"{said}.*; install it"):
        wheels.rebuild(tiny, tmp_path)


def test_what_is_used_from_its_sources_is_known(tiny, site):
    url = site / "tiny_thing-1.5.dist-info" / "direct_url.json"
    assert not wheels.is_from_sources(tiny)
    url.write_text('{"url": "file:///x", "dir_info": {}}', encoding="utf-8")
    assert not wheels.is_from_sources(tiny)
    url.write_text('{"dir_info": {"editable":\n true}, "url": "file:///x"}', encoding="utf-8")
    assert wheels.is_from_sources(tiny)


@pytest.mark.full("as when a bare host is prepared")
def test_wheels_of_this_environment_install_elsewhere_without_an_index(tmp_path):
    """Also one with machine code, and our own, whose code is then the same."""
    environment, folder = tmp_path / "env", tmp_path / "wheels"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True, timeout=120)
    python = environment / "bin" / "python"
    pip, *others = (wheels.rebuild(distribution(name), folder) for name in ("pip", "msgspec", "pybase64"))
    others.append(own_wheel.make(folder))
    install = [python, "-I", pip / "pip", "install", "--isolated", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*install, *others], check=True, timeout=120, cwd=tmp_path)
    program = (
        "import formicary, formicary_bench.remote.folders as p; print(formicary.__file__, p.code_digest())"
    )
    done = subprocess.run(
        [python, "-I", "-c", program], check=True, capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    file, digest = done.stdout.split()
    assert Path(file).is_relative_to(environment)
    assert digest == code_digest()
    said = subprocess.run(
        [python, "-I", pip / "pip", "list"], check=True, capture_output=True, text=True, timeout=120
    )
    assert "formicary" in said.stdout


def test_our_own_wheel_has_all_files_of_both_packages_and_our_commands(tmp_path):
    with zipfile.ZipFile(own_wheel.make(tmp_path)) as archive:
        names = set(archive.namelist())
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
        entry_points = archive.read(
            next(name for name in names if name.endswith("entry_points.txt"))
        ).decode()
    assert {
        "formicary/py.typed",
        "formicary/server/modules/mod_formicary_tls.lua",
        "formicary_bench/reports/formats/template/report.css",
        "formicary_bench/published/alberola2010_cpu.csv",
        "formicary_bench/remote/bootstrap/loop.py",
    } <= names
    assert not [name for name in names if "__pycache__" in name]
    assert "Requires-Dist: msgspec" in metadata
    for entry in distribution("formicary").entry_points:
        assert f"{entry.name} = {entry.value}\n" in entry_points


class Fake:
    """A distribution that is only asked for what it needs."""

    def __init__(self, name, requires=()):
        self.name, self.version, self.requires = name, "1", list(requires)

    def read_text(self, name):
        return "" if name == "direct_url.json" else f"{self.name}/METADATA,,\n"


def found(requirements, installed, **environment):
    have = {name: Fake(name, requires) for name, requires in installed.items()}

    def find(name):
        if name not in have:
            raise needs.PackageNotFoundError(name)
        return have[name]

    result = needs.find({**default_environment(), **environment}, requirements, find)
    return {each.name for each in result.installed}, {str(each) for each in result.absent}


def test_what_depends_on_what_is_followed():
    installed = {
        "a": ["b>=1"],
        "b": ["c[fast]"],
        "c": ["d; extra == 'fast'", "e; extra == 'slow'", "a"],
        "d": [],
    }
    assert found(["A>0"], installed) == ({"a", "b", "c", "d"}, set())


def test_markers_are_those_of_the_host():
    installed = {"old": [], "new": []}
    lines = ["old; python_version < '3.12'", "new; python_version >= '3.12'"]
    assert found(lines, installed, python_version="3.11") == ({"old"}, set())
    assert found(lines, installed, python_version="3.13") == ({"new"}, set())


def test_what_only_the_controller_needs_is_left_out_and_what_is_not_installed_is_named():
    lines = [
        "asyncssh>=2; extra == 'lab'",
        "py-spy>=0.4; extra == 'lab'",
        "numpy; extra == 'bench'",
        "scipy; extra == 'bench'",
        "spade; extra == 'spade'",
        "gone[x]>=2",
    ]
    assert found(lines, {"numpy": [], "py-spy": []}) == ({"numpy", "py-spy"}, {"gone[x]>=2"})


def test_another_version_is_another_digest():
    def digest(requirements):
        return needs.find(default_environment(), requirements, Fake).digest()

    assert digest(["a"]) == digest(["a"]) != digest(["a", "b"])
