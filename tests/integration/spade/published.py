"""What SPADE's makers publish: source packages with tests of their own, and programs of a documentation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import textwrap
from typing import TYPE_CHECKING

from tests.plugins import spade_environment
from tests.plugins.missing import leave_out
from tests.plugins.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LINE = re.compile(r"(::|\.\. code-block:: python)\s*$")


HELPERS = ("factory-boy", "faker", "pytest-asyncio", "pytest-mock", "testfixtures", "tzdata")
"""What SPADE's tests import beside SPADE."""


def install(folder: Path, *packages):
    """Install packages into a folder, without what they need themselves."""
    pip("install", "-q", "--no-deps", "--target", str(folder), *packages)


def pip(*arguments):
    """Have pip fetch something; leave the test out where it cannot."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        leave_out(f"what SPADE publishes cannot be fetched: {done.stderr.strip().splitlines()[-1:]}")


def fetch_source(folder: Path, package: str, version: str) -> Path:
    """Return where the source package of a distribution is unpacked."""
    pip("download", "-q", "--no-deps", "--no-binary", package, "-d", str(folder), f"{package}=={version}")
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def run_own_tests(
    source: Path, modules: Sequence[str], packages: Sequence[str], left_out: Sequence[str] = ()
):
    """Run tests of a source package with our package in SPADE's place, and return how many have passed.

    Args:
        source: where it is unpacked.
        modules: which tests, by the names of their files without `test_`.
        packages: folders with what they import, before what SPADE itself needs.
        left_out: which tests of these do not run.
    """
    asyncio_options = ["-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "suite_plugin", "-p", "no:cacheprovider"]
    command += ["-c", os.devnull, "--rootdir", str(source), "--timeout", "60", *asyncio_options]
    folders = *packages, ROOT / "tests" / "integration" / "spade", spade_environment.packages()
    paths = os.pathsep.join(map(str, folders))
    done = subprocess.run(
        [*command, *(f"tests/test_{name}.py" for name in modules)],
        cwd=source,
        env=os.environ | {"PYTHONPATH": paths, "LEFT_OUT": "\n".join(left_out)},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert not left_out or f"{len(left_out)} deselected" in done.stdout
    return int(re.search(r"(\d+) passed", done.stdout)[1])


def programs(page: Path) -> list[str]:
    """Return the programs of a page in reStructuredText: the blocks of code that call `spade.run`."""
    lines = page.read_text(encoding="utf-8").splitlines()
    found = []
    for number, line in enumerate(lines):
        if _LINE.search(line):
            block = []
            for inner in lines[number + 1 :]:
                if inner.strip() and not inner.startswith(" "):
                    break
                block.append(inner)
            code = textwrap.dedent("\n".join(block)).strip() + "\n"
            if code.startswith("import") and "spade.run(" in code:
                found.append(code)
    return found
