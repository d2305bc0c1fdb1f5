"""What SPADE's makers publish: its source package, and the programs of its documentation."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import textwrap
from typing import TYPE_CHECKING

from tests.plugins import spade_environment
from tests.plugins.missing import leave_out

if TYPE_CHECKING:
    from pathlib import Path

_LINE = re.compile(r"(::|\.\. code-block:: python)\s*$")


def pip(*arguments):
    """Have pip fetch something; leave the test out where it cannot."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        leave_out(f"what SPADE publishes cannot be fetched: {done.stderr.strip().splitlines()[-1:]}")


def fetch_source(folder: Path) -> Path:
    """Return where the source package of the SPADE that the tests have is unpacked."""
    version = spade_environment.version()
    pip("download", "-q", "--no-deps", "--no-binary", "spade", "-d", str(folder), f"spade=={version}")
    (archive,) = folder.glob("spade-*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    return folder / f"spade-{version}"


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
