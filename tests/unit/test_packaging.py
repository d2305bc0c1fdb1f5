"""What the distribution is made of, and what importing it costs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from tests.plugins.paths import ROOT

import formicary

# Loaded where they are used, never at the start.
HEAVY = {
    "aiohttp",
    "aioxmpp",
    "formicary_bench",
    "greenlet",
    "jinja2",
    "lxml",
    "numpy",
    "psutil",
    "pyarrow",
    "rich",
    "scipy",
    "slixmpp",
    "spade",
    "typer",
    "xml",
}


def modules_after(statement):
    """Give the top-level modules that a fresh Python has loaded after the statement."""
    program = (
        f"try: {statement}\nexcept SystemExit: pass\nimport json, sys; print(json.dumps(list(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_importing_platform_at_the_root_of_the_repository_gives_python_s_own():
    program = "import platform; print(platform.__file__); print(platform.python_version())"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    file, version = done.stdout.split()
    assert Path(file).parent == Path(sysconfig.get_path("stdlib"))
    assert version == ".".join(map(str, sys.version_info[:3]))


def test_importing_formicary_loads_nothing_heavy():
    modules = modules_after("import formicary")
    assert "formicary" in modules
    assert modules & HEAVY == set()


def test_help_of_the_command_line_loads_nothing_heavy():
    modules = modules_after("from formicary.cli import main; main(['--help'])")
    assert "formicary_bench" in modules
    assert modules & (HEAVY - {"formicary_bench", "typer", "rich"}) == set()


def test_a_plain_install_has_nothing_of_the_laboratory_and_all_has_every_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    plain = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}
    assert plain == {
        *("cryptography", "msgspec", "platformdirs", "psutil", "pybase64", "rich", "typer", "uvloop")
    }
    extras = project["optional-dependencies"]
    (everything,) = extras.pop("all")
    assert everything == f"formicary[{','.join(sorted(extras))}]"


def test_a_python_that_is_not_tried_is_refused_and_the_readme_says_which_are():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tried = [int(minor) for line in project["classifiers"] if (minor := line.partition(":: Python :: 3.")[2])]
    assert tried == list(range(tried[0], tried[-1] + 1))
    assert project["requires-python"] == f">=3.{tried[0]},<3.{tried[-1] + 1}"
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"Python 3.{tried[0]} to 3.{tried[-1]}" in readme


def test_the_version_comes_from_one_place():
    assert metadata.version("formicary") == formicary.__version__


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        return archive.namelist()


def test_the_wheel_has_both_packages_and_nothing_else_on_top(wheel):
    tops = {name.partition("/")[0] for name in wheel}
    assert tops == {"formicary", "formicary_bench", f"formicary-{formicary.__version__}.dist-info"}
    assert {"formicary/__init__.py", "formicary/py.typed", "formicary_bench/py.typed"} <= set(wheel)


def test_the_wheel_has_every_file_of_the_packages(wheel):
    roots = ROOT / "platform", ROOT / "benchmarks"
    files = {
        path.relative_to(root).as_posix()
        for root in roots
        for path in root.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    material = "formicary_bench/labs/material/"
    own = {name for name in wheel if ".dist-info/" not in name and not name.startswith(material)}
    assert files == own


def test_the_wheel_has_the_material_of_the_labs(wheel):
    labs = ROOT / "docs" / "labs"
    files = {path.relative_to(labs).as_posix() for path in labs.rglob("*") if path.suffix in {".md", ".py"}}
    assert {f"formicary_bench/labs/material/{name}" for name in files} <= {*wheel}
    assert "ping-pong/check.py" in files


def test_the_gate_runs_the_command_that_the_readme_gives():
    command = "python3 deploy/bootstrap.py test"
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1] == f"exec {command}"
