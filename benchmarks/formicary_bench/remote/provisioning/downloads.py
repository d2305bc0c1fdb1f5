"""Wheels for another Python than the controller's, or another system: from the index, on the controller."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from formicary.core.files import new_folder
from formicary_bench.remote.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from packaging.requirements import Requirement

    from formicary_bench.remote.checks.facts import Interpreter
    from formicary_bench.remote.provisioning.needs import Needs

_SECONDS = 600
_OLDEST_GLIBC = 5  # the 5 of 2.5, the first for which there are wheels
_OLD_NAMES = {5: "manylinux1", 12: "manylinux2010", 17: "manylinux2014"}


def download(needed: Needs, interpreter: Interpreter, folder: Path) -> list[Path]:
    """Fetch all that is needed in the versions that are installed here, unless it was fetched before.

    Args:
        needed: what is needed.
        interpreter: the Python it is for.
        folder: where wheels are kept.

    Raises:
        HostError: the index cannot be reached, or has no such wheels.
        OSError: they cannot be written.
    """
    wanted = [*(f"{each.name}=={each.version}" for each in needed.installed), *map(_plain, needed.absent)]
    options = [*_options(interpreter), *sorted(wanted)]
    target = folder / hashlib.sha256("\n".join(options).encode()).hexdigest()[:16]
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with new_folder(target) as draft:
            _fetch(draft, options, interpreter)
    return sorted(target.glob("*.whl"))


def _plain(requirement: Requirement) -> str:
    """Return a requirement without its condition, which holds."""
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}{requirement.specifier}"


def _options(interpreter: Interpreter) -> list[str]:
    """Return what tells pip for which Python wheels are wanted.

    Raises:
        HostError: there are no wheels for such a Python, as far as we know.
    """
    abi = re.match(r"cpython-(\d+t?)-", interpreter.kind)
    if abi is None or interpreter.markers.get("sys_platform") != "linux":
        raise HostError(
            f"a Python of the kind {interpreter.kind} cannot be provided with packages from here; install "
            "formicary there, and name its environment with `venv` in the inventory"
        )
    options = ["--implementation=cp", f"--python-version={interpreter.markers['python_version']}"]
    options += [f"--abi={abi}" for abi in (f"cp{abi[1]}", "abi3", "none")]
    return [*options, *(f"--platform={name}" for name in _platforms(interpreter))]


def _platforms(interpreter: Interpreter) -> Iterator[str]:
    machine = interpreter.markers["platform_machine"]
    name, version = interpreter.libc
    if name != "glibc":
        yield from (f"musllinux_1_{minor}_{machine}" for minor in (2, 1))
        return
    for minor in range(int(version.split(".")[1]), _OLDEST_GLIBC - 1, -1):
        yield f"manylinux_2_{minor}_{machine}"
        if minor in _OLD_NAMES:
            yield f"{_OLD_NAMES[minor]}_{machine}"


def _fetch(folder: Path, options: list[str], interpreter: Interpreter) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command = [*pip, "--only-binary=:all:", "--dest", str(folder), *options]
    try:
        done = subprocess.run(  # noqa: S603 -- pip, for versions of what is installed here
            command, capture_output=True, check=False, encoding="utf-8", errors="replace", timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise HostError(_cannot(interpreter, f"it took longer than {_SECONDS} s")) from None
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise HostError(_cannot(interpreter, (errors or ["ERROR: pip failed"])[0].removeprefix("ERROR: ")))


def _cannot(interpreter: Interpreter, cause: str) -> str:
    return (
        f"the packages for Python {interpreter.python} ({interpreter.kind}) cannot be fetched from the index "
        f"({cause.rstrip('.')}); connect this machine to the internet once, or have Python "
        f"{sys.version_info[0]}.{sys.version_info[1]} on the hosts, as here: that needs no internet"
    )
