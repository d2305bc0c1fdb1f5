"""The checks, each in an environment of its own: `nox`, `nox -s tests-3.12`; the second tier: `nox -t full`.

Versions and dependencies are read from pyproject.toml; what the gate runs stands in tests/gate.py.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from random import randrange
from typing import Any

import nox
from packaging.requirements import Requirement
from packaging.version import Version

PROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = nox.project.python_versions(PROJECT)
# In the second tier they ask a sampler for the truth within two points, which others on the same processors
# would take from it.
ALONE = ("tests/integration/profiling/test_truth.py", "tests/unit/profiling/accounting/test_accounting.py")
# Each part of the gate has a working folder of its own.
WITHOUT_THOSE = [f"--ignore={Path(path).resolve()}" for path in ALONE]
# A thousand examples take longer than a test of the first tier may.
SECOND_TIER = ("--full", "--timeout", "3600")
# Tests marked so need them, all of the laboratory bench, and all that profile lab.
EXTRAS = ("accounts", "bench", "figures", "gateway", "lab", "live", "notebooks", "postgresql")

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False


def group(name: str) -> list[str]:
    """Give the requirements of a dependency group."""
    return list(nox.project.dependency_groups(PROJECT, name))


def lowest(requirement: str) -> str:
    """Turn a requirement into a constraint to the lowest version that it allows."""
    parsed = Requirement(requirement)
    versions = [part.version for part in parsed.specifier if part.operator == ">="]
    if len(versions) != 1:
        raise ValueError(f"{requirement!r} in pyproject.toml has no lowest version: write >=")
    marker = f" ; {parsed.marker}" if parsed.marker else ""
    return f"{parsed.name}=={versions[0]}{marker}"


@nox.session(python=PYTHONS, tags=["full"])
def tests(session: nox.Session) -> None:
    """Run both tiers of the unit and property tests with the newest allowed dependencies."""
    session.install("-e", f".[{','.join(EXTRAS)}]", *group("test"), *group("docs"))
    if session.posargs:
        session.run("pytest", *session.posargs)
        return
    rooms = ("tests/unit", "tests/property", "--numprocesses", "3", "--dist", "loadfile")
    session.run("pytest", *rooms, *SECOND_TIER, *WITHOUT_THOSE)
    session.run("pytest", *(path for path in ALONE if path.startswith(rooms[:2])), *SECOND_TIER)


def run_gate(session: nox.Session, *arguments: str, **options: Any) -> None:
    """Run the gate's tests, which need SPADE."""
    session.run("python", "-m", "tests.plugins.spade_environment")
    session.run("python", "-m", "tests.gate", "faults", "integration", "computing", *arguments, **options)


@nox.session(tags=["full"])
def full(session: nox.Session) -> None:
    """Run the gate with both tiers of all tests."""
    session.install("-e", f".[{','.join(EXTRAS)}]", *group("test"), *group("docs"))
    run_gate(session, "--", *SECOND_TIER, *WITHOUT_THOSE)
    session.run("pytest", *ALONE, *SECOND_TIER)


@nox.session(python=["3.13t", "3.14t"], default=False)
def unlocked(session: nox.Session) -> None:
    """Run the tests of the core and of compute on a Python without the global lock, where there is one."""
    session.install("-e", ".", *group("test"))
    rooms = [
        f"tests/{kind}/{room}" for kind in ("unit", "integration", "property") for room in ("core", "compute")
    ]
    session.run("pytest", *(session.posargs or filter(os.path.isdir, rooms)), env={"PYTHON_GIL": "0"})


@nox.session(python=PYTHONS[0], tags=["full"])
def minimums(session: nox.Session) -> None:
    """Run the tests with the lowest allowed versions of what we depend on directly."""
    project = PROJECT["project"]
    extras = [requirement for extra in EXTRAS for requirement in project["optional-dependencies"][extra]]
    direct = [*project["dependencies"], *extras, *group("test")]
    constraints = Path(session.virtualenv.location) / "minimums.txt"
    constraints.write_text("\n".join(map(lowest, direct)), encoding="utf-8")
    session.install("-c", str(constraints), "-e", f".[{','.join(EXTRAS)}]", *group("test"))
    run_gate(session)


@nox.session
def lint(session: nox.Session) -> None:
    """Check rules and format with ruff."""
    session.install(*group("lint"))
    session.run("python", "-m", "tests.gate", session.name)


@nox.session
def types(session: nox.Session) -> None:
    """Check types with mypy, strictly."""
    session.install("-e", ".[bench]", *group("types"))
    session.run("python", "-m", "tests.gate", session.name)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation; warnings are errors."""
    session.install("-e", ".[bench]", *group("docs"))
    session.run("python", "-m", "tests.gate", session.name)


@nox.session(default=False)
def faults(session: nox.Session) -> None:
    """Cause all faults, and write docs/faults.md, the table of what they did."""
    session.install("-e", ".", *group("test"))
    session.run("python", "-m", "tests.faults.table")


@nox.session(default=False)
def cluster(session: nox.Session) -> None:
    """Kill a node of an ejabberd cluster, cut it off, ..., and print what came of it."""
    session.install("-e", ".", *group("test"))
    session.run("python", "-m", "tests.faults.cluster", *session.posargs)


@nox.session(tags=["full"])
def coverage(session: nox.Session) -> None:
    """Tell which lines the gate's tests run, also in the processes that they start."""
    session.install("-e", f".[{','.join(EXTRAS)}]", *group("test"))
    root = Path.cwd()
    # Each Python of the environment that starts with the first of these measures itself.
    where = {"COVERAGE_PROCESS_START": str(root / "pyproject.toml"), "COVERAGE_FILE": str(root / ".coverage")}
    session.run("coverage", "erase")
    run_gate(session, env=where, success_codes=[0, 1])  # a part that failed has run its lines all the same
    session.run("coverage", "combine", "--quiet")
    session.run("coverage", "report", "--skip-covered", "--skip-empty", "--sort=cover")


@nox.session(tags=["full"], venv_backend="none")
def used(session: nox.Session) -> None:
    """Run the gate in a checkout, and with a home, in which everything has been used before."""
    session.run("python3", "-m", "tests.used")


@nox.session(name="bench-smoke", tags=["full"])
def bench_smoke(session: nox.Session) -> None:
    """Run one small measurement from what is installed, not from the checkout."""
    session.install(".[bench]")
    pairs = ("messaging/pairs", "--pairs", "1", "--placement", "same-container")
    with tempfile.TemporaryDirectory() as folder, session.chdir(folder):
        session.run("formicary", "bench", "run", *pairs)


@nox.session(default=False, tags=["full"])
def package(session: nox.Session) -> None:
    """Build what a release uploads, into dist/: the sdist, and the wheel with its bill of materials."""
    session.install(*group("release"))
    committed = session.run("git", "log", "-1", "--format=%ct", external=True, silent=True)
    session.env["SOURCE_DATE_EPOCH"] = str(committed).strip()  # the time of all files in the archives
    shutil.rmtree("dist", ignore_errors=True)
    session.run("python", "-m", "build")
    (wheel,) = Path("dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "plain")
        session.run("python", "-m", "venv", "--without-pip", str(plain))
        session.run("python", "-m", "pip", "--quiet", "--python", str(plain), "install", str(wheel))
        session.run(str(plain / "bin" / "formicary"), "--version", external=True)
        session.run("python", "-m", "wheel", "unpack", "--dest", folder, str(wheel))
        (information,) = Path(folder).glob("formicary-*/*.dist-info")
        (information / "sboms").mkdir()  # as PEP 770 has it
        write_bom(session, plain, information / "sboms" / "formicary.cdx.json")
        session.run("python", "-m", "wheel", "pack", "--dest-dir", "dist", str(information.parent))
    session.run("twine", "check", "--strict", *map(str, Path("dist").iterdir()))


def write_bom(session: nox.Session, environment: Path, file: Path) -> None:
    """Write what an environment with Formicary is made of, as CycloneDX."""
    options = ("--output-reproducible", "--output-file", str(file))
    session.run("cyclonedx-py", "environment", *options, str(environment))
    bom = json.loads(file.read_text(encoding="utf-8"))
    (own,) = [each for each in bom["components"] if each["name"] == "formicary"]
    # It is about Formicary, and not about the file from which that was installed here.
    own["externalReferences"] = [each for each in own["externalReferences"] if each["type"] != "distribution"]
    bom["metadata"]["component"] = own
    bom["components"].remove(own)
    file.write_text(json.dumps(bom, indent=1), encoding="utf-8")


@nox.session(default=False)
def release(session: nox.Session) -> None:
    """Write a version's changelog and tag it, as in `nox -s release -- 0.2.0`; pushing the tag publishes."""
    try:
        (version,) = map(Version, session.posargs)
    except ValueError:
        session.error("say which version, as in `nox -s release -- 0.2.0`")
    address = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"]["address"]
    if not address:
        session.error("set `address` in pyproject.toml first: a distribution says where it comes from")

    def git(*arguments: str) -> object:
        return session.run("git", *arguments, external=True, silent=True)

    if git("status", "--porcelain"):
        session.error("commit or remove first what `git status` shows")
    session.install(*group("changelog"))
    session.run("towncrier", "build", "--yes", "--version", str(version))
    cite(version, address)
    git("commit", "--all", "--message", f"project: release {version}")
    git("tag", "--annotate", f"v{version}", "--message", f"Formicary {version}")
    session.notify("package")
    session.log(f"if the session `package` passes, publish: git push --atomic origin HEAD v{version}")


def cite(version: Version, address: str) -> None:
    """Write the version, its date and where it comes from into CITATION.cff."""
    now = {
        "version": version,
        "date-released": f"{datetime.now(UTC):%Y-%m-%d}",
        "repository-code": f'"{address}"',
    }
    path = Path("CITATION.cff")
    text = re.sub(rf"^({'|'.join(now)}): .*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = "".join(f"{key}: {value}\n" for key, value in now.items())
    path.write_text(text.replace("license: ", f"{lines}license: ", 1), encoding="utf-8")


@nox.session(default=False, tags=["full"])
def simulate(session: nox.Session) -> None:
    """Play whole platforms in virtual time from fresh seeds, ten million steps, or as the arguments say."""
    session.install("-e", ".", *group("test"))
    arguments = session.posargs or ["--seed", str(randrange(10**9)), "--steps", "6000", "--total", "10000000"]
    session.run("python", "-m", "tests.simulation", *arguments)


@nox.session(default=False, tags=["full"])
def soak(session: nox.Session) -> None:
    """Cause all kinds of faults at random for an hour, or as the arguments say (--help), as root."""
    session.install("-e", ".", *group("test"))
    session.run("python", "-m", "tests.faults.soak", *session.posargs)
