"""Packages for another Python than the controller's, or another system: from the index, on the controller."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from formicary_bench.remote.errors import HostError
from formicary_bench.remote.provisioning.archives import is_script

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from formicary_bench.remote.checks.facts import Interpreter
    from formicary_bench.remote.provisioning.needs import Needs

_SECONDS = 600
_OLDEST_GLIBC = 5  # the 5 of 2.5, the first for which there are wheels
_OLD_NAMES = {5: "manylinux1", 12: "manylinux2010", 17: "manylinux2014"}


@contextmanager
def downloaded(needed: Needs, interpreter: Interpreter, packages: str) -> Iterator[list[tuple[str, Path]]]:
    """Fetch all that is needed in the versions that are installed here; the files are gone after the block.

    Args:
        needed: what is needed.
        interpreter: the Python it is for.
        packages: the folder of packages within the host's environment.

    Returns:
        The place of each file in the environment, with the file.

    Raises:
        HostError: the index cannot be reached, or has no such packages.
        OSError: they cannot be written.
    """
    wanted = [*(f"{each.name}=={each.version}" for each in needed.installed), *map(_plain, needed.absent)]
    with tempfile.TemporaryDirectory() as folder:
        _fetch(folder, [*_options(interpreter), *sorted(wanted)], interpreter)
        found = []
        for path in Path(folder).rglob("*"):
            within = path.relative_to(folder).as_posix()
            place = within if within.startswith("bin/") else f"{packages}/{within}"
            if path.is_file() and not is_script(place, path):
                found.append((place, path))
        yield found


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


def _fetch(folder: str, options: list[str], interpreter: Interpreter) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    command = [*pip, "--only-binary=:all:", "--no-compile", "--target", folder, *options]
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
