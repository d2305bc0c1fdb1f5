"""What the distribution is made of, and what importing it costs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
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


def run(*command, cwd=ROOT):
    done = subprocess.run(command, check=False, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def build(target, folder, source=ROOT):
    """Build the sdist or the wheel, and give its file."""
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder), cwd=source)
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    with zipfile.ZipFile(build("wheel", tmp_path_factory.mktemp("wheel"))) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Unpack the sdist, and give its folder."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build("sdist", tmp_path_factory.mktemp("packed"))) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    return unpacked


def metadata_of(root):
    """Give what a distribution of these sources would say of itself."""
    return ProjectMetadata(str(root), PluginManager())


@pytest.fixture
def sources(tmp_path):
    """Copy what says what a distribution is."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_the_version_is_that_of_what_is_installed():
    assert metadata.version("formicary") == formicary.__version__


def test_code_that_nobody_has_installed_runs_and_says_so():
    program = "import formicary; print(formicary.__version__)"
    alone = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, 'platform'); {program}"]
    assert run(*alone) == "0+unknown\n"


def test_the_version_is_that_of_the_tag(sources):
    def git(*arguments):
        run("git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments, cwd=sources)

    assert metadata_of(sources).version == "0.1.dev0"
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "all")
    assert re.fullmatch(r"0\.1\.dev\d+", metadata_of(sources).version)
    git("tag", "v3.2.1")
    assert metadata_of(sources).version == "3.2.1"


def test_as_long_as_there_is_no_address_none_is_given(sources):
    set_address(sources, "")
    core = metadata_of(sources).core
    assert (core.urls, core.readme) == ({}, (ROOT / "README.md").read_text(encoding="utf-8"))


def test_addresses_and_links_come_from_one_setting(sources):
    set_address(sources, "https://example.org/a/b/")
    core = metadata_of(sources).core
    assert core.urls["Source"] == "https://example.org/a/b"
    assert all(url.startswith("https://example.org/a/b") for url in core.urls.values())
    assert "$ git clone https://example.org/a/b formicary" in core.readme
    links = re.findall(r"\]\(([^)]*)\)", core.readme)
    assert [link for link in links if not link.startswith("https://")] == []
    assert "https://example.org/a/b/raw/HEAD/docs/images/report.png" in links
    assert "https://example.org/a/b/blob/HEAD/docs/contributing.md#two-tiers" in links


def set_address(sources, address):
    path = sources / "pyproject.toml"
    before = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r'^address = "[^"]*"', f'address = "{address}"', before, flags=re.MULTILINE))


def test_the_wheel_has_both_packages_and_nothing_else_on_top(wheel):
    tops = {name.partition("/")[0] for name in wheel}
    (information,) = tops - {"formicary", "formicary_bench"}
    assert re.fullmatch(r"formicary-[\w.]+\.dist-info", information)
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


def test_the_sdist_has_every_file_of_the_repository(sdist):
    if not (ROOT / ".git").exists():
        pytest.skip("only git knows which files there are, and this is no checkout")
    kept = {path.relative_to(sdist).as_posix() for path in sdist.rglob("*") if path.is_file()}
    assert set(run("git", "ls-files").splitlines()) - kept == set()


@pytest.mark.full("collects all tests, and builds all pages")
@pytest.mark.timeout(1800)
def test_the_sdist_is_enough_to_test_and_to_document(sdist, tmp_path):
    collect = (sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-p", "no:cacheprovider")
    here, there = (run(*collect, cwd=root).splitlines()[-1].split() for root in (ROOT, sdist))
    assert there[0] == here[0]
    run(sys.executable, "-m", "sphinx", "-q", "-n", "-W", "docs", str(tmp_path / "pages"), cwd=sdist)
    assert (tmp_path / "pages" / "index.html").exists()
    assert metadata_of(sdist).version == metadata_of(ROOT).version
    assert build("wheel", tmp_path / "wheel", sdist).suffix == ".whl"


def test_the_gate_runs_the_command_that_the_readme_gives():
    command = "python3 deploy/bootstrap.py test"
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1] == f"exec {command}"
