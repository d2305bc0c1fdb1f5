"""The archives for hosts: made or downloaded once for each kind of Python, and kept."""

from __future__ import annotations

import asyncio
import hashlib
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import formicary
from formicary.core.files import user_cache
from formicary.core.private import make_private_folder
from formicary_bench.remote import HostError
from formicary_bench.remote.provisioning import archives
from formicary_bench.remote.provisioning.archives import is_script

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from formicary_bench.remote.checks.facts import Interpreter
    from formicary_bench.remote.provisioning.archives import Needs


_SECONDS = 600
_OLDEST_GLIBC = 5  # the 5 of 2.5, the first for which there are wheels
_OLD_NAMES = {5: "manylinux1", 12: "manylinux2010", 17: "manylinux2014"}


@contextmanager
def downloaded(needed: Needs, interpreter: Interpreter, packages: str) -> Iterator[list[tuple[str, Path]]]:
    """Download packages, in the versions installed here, for the time of the block.

    Returns:
        The place of each file in the environment, with the file.

    Raises:
        HostError: the index cannot be reached, or lacks them.
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
    """Return a requirement without its marker, which holds."""
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}{requirement.specifier}"


def _options(interpreter: Interpreter) -> list[str]:
    """Return pip's options for wheels of a Python; raise a HostError if it is of an unknown kind."""
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


_SHORT = 16  # of the digits of a digest: enough for the name of a file


class Archive(NamedTuple):
    """An archive, whose name contains a digest of its content."""

    path: Path
    sha256: str
    size: int


class Stock:
    """The archives for all hosts."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or user_cache() / "packages"
        self._needs: dict[str, Needs] = {}
        self._supplies: dict[str, asyncio.Task[list[Archive]]] = {}

    def digest(self, interpreter: Interpreter) -> str:
        """Return a digest of the environment that a host should have."""
        return _digest(interpreter.python, self._key(interpreter), archives.own_identity())

    async def supply(self, interpreter: Interpreter) -> list[Archive]:
        """Return the archives for a host's Python; raise a HostError if they cannot be made or fetched."""
        key = self._key(interpreter)
        if key not in self._supplies:
            work = asyncio.to_thread(self._make, interpreter)
            self._supplies[key] = asyncio.create_task(work)
        return await asyncio.shield(self._supplies[key])

    def _needed(self, interpreter: Interpreter) -> Needs:
        if interpreter.kind not in self._needs:
            self._needs[interpreter.kind] = archives.find(interpreter.markers)
        return self._needs[interpreter.kind]

    def _key(self, interpreter: Interpreter) -> str:
        libc = "" if is_alike(interpreter) else " ".join(interpreter.libc)
        return _digest(interpreter.kind, libc, self._needed(interpreter).digest())

    def _make(self, interpreter: Interpreter) -> list[Archive]:
        """Make two archives: our own code changes more often than its dependencies."""
        packages = archives.site(interpreter.markers["python_version"])
        own = _digest(packages, archives.own_identity())
        code = self._folder / f"formicary-{formicary.__version__}-{own[:_SHORT]}.tar.gz"
        others = self._folder / f"packages-{self._key(interpreter)[:_SHORT]}.tar.gz"
        needed = self._needed(interpreter)
        try:
            make_private_folder(self._folder)
            if not code.exists():
                archives.pack(code, archives.own_files(packages))
            if not others.exists():
                if is_alike(interpreter) and not needed.absent:
                    found = (archives.files_of(each, packages) for each in needed.installed)
                    archives.pack(others, dict(file for files in found for file in files).items())
                else:
                    with downloaded(needed, interpreter, packages) as files:
                        archives.pack(others, files)
            return [_archive(others), _archive(code)]
        except OSError as error:
            raise HostError(
                f"the packages for hosts cannot be written into {self._folder} ({error.strerror}); make "
                "room, or name another folder with the environment variable XDG_CACHE_HOME"
            ) from error


def is_alike(interpreter: Interpreter) -> bool:
    """Return whether a host's Python can load the extension modules installed here."""
    if interpreter.kind != sysconfig.get_config_var("SOABI"):
        return False
    name, version = platform.libc_ver()
    return interpreter.libc[0] == name and release(interpreter.libc[1]) >= release(version)


def release(version: str) -> tuple[int, ...]:
    """Return a version as numbers."""
    return tuple(int(word) for word in version.split(".") if word.isdigit())


def _digest(*words: str) -> str:
    return hashlib.sha256(" ".join(words).encode()).hexdigest()


def _archive(path: Path) -> Archive:
    with path.open("rb") as file:
        return Archive(path, hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size)
