"""Stock SPADE in an environment of its own, so that its pins do not decide our versions.

`python -m tests.plugins.spade_environment` creates it as `.venv-spade` in the checkout, with the Python that
runs the command, unless it is there and up to date.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib

from tests.plugins.paths import ROOT

FOLDER = ROOT / ".venv-spade"
PYTHON = FOLDER / "bin" / "python"
_RECORD = FOLDER / "formicary-tests.txt"  # what was asked for
_NEWEST = (3, 13)  # SPADE 4.1.4 requires "<=3.14", which leaves out 3.14.1 and later


def why_not() -> str:
    """Explain why SPADE cannot be used; return an empty string if it can."""
    if PYTHON.exists():
        return ""
    return "SPADE is not installed: python -m tests.plugins.spade_environment"


def supports_this_python() -> bool:
    """Tell whether SPADE can be installed with the Python that runs."""
    return sys.version_info[:2] <= _NEWEST


def version() -> str:
    """Return the version of SPADE."""
    command = [PYTHON, "-c", "from importlib.metadata import version; print(version('spade'))"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def packages() -> str:
    """Return SPADE's site-packages folder."""
    (folder,) = FOLDER.glob("lib/python3.*/site-packages")
    return str(folder)


def make() -> None:
    """Create the environment, unless it is up to date."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"][
        "spade"
    ]
    record = "\n".join([sys.version, *wanted])
    if _RECORD.exists() and _RECORD.read_text(encoding="utf-8") == record:
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
    subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *wanted], check=True)
    _RECORD.write_text(record, encoding="utf-8")


if __name__ == "__main__":
    if supports_this_python():
        make()
