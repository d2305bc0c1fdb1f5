"""Stock SPADE, in an environment of its own: it pins versions, which would decide ours.

`python -m tests.plugins.spade_environment` makes it, with the Python that runs this; a second time nothing is
done. It is `.venv-spade` in the checkout.
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
_NEWEST = (3, 13)  # SPADE 4.1.4 says: up to 3.14, and means 3.14.0


def why_not() -> str:
    """Say why there is no SPADE, or nothing where there is one."""
    if PYTHON.exists():
        return ""
    return "SPADE is not installed: python -m tests.plugins.spade_environment"


def supports_this_python() -> bool:
    """Tell whether SPADE can be installed with the Python that runs."""
    return sys.version_info[:2] <= _NEWEST


def version() -> str:
    """Return SPADE's."""
    command = [PYTHON, "-c", "from importlib.metadata import version; print(version('spade'))"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def packages() -> str:
    """Return the folder with its packages."""
    (folder,) = FOLDER.glob("lib/python3.*/site-packages")
    return str(folder)


def make() -> None:
    """Make the environment, or leave it where it has what is asked for."""
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
