"""The archives for hosts: for each kind of Python made once, and kept for the next time."""

from __future__ import annotations

import asyncio
import hashlib
import platform
import sysconfig
from dataclasses import dataclass
from typing import TYPE_CHECKING

import formicary
from formicary.core.files import user_cache
from formicary.core.private import make_private_folder
from formicary_bench.remote.errors import HostError
from formicary_bench.remote.provisioning import archives, needs
from formicary_bench.remote.provisioning.downloads import downloaded

if TYPE_CHECKING:
    from pathlib import Path

    from formicary_bench.remote.checks.facts import Interpreter
    from formicary_bench.remote.provisioning.needs import Needs

_SHORT = 16  # of the digits of a digest: enough for the name of a file


@dataclass(frozen=True)
class Archive:
    """An archive that can be sent.

    Attributes:
        path: the file; its name is another one as soon as anything in it is.
        sha256: of what is in it.
        size: bytes.
    """

    path: Path
    sha256: str
    size: int


class Stock:
    """What there is; hosts with the same kind of Python share it.

    Args:
        folder: where archives are kept.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or user_cache() / "packages"
        self._needs: dict[str, Needs] = {}
        self._supplies: dict[str, asyncio.Task[list[Archive]]] = {}

    def digest(self, interpreter: Interpreter) -> str:
        """Return what is different as soon as a host's environment has to be made anew.

        Raises:
            HostError: it is not known what Formicary depends on.
        """
        return _digest(interpreter.python, self._key(interpreter), archives.own_identity())

    async def supply(self, interpreter: Interpreter) -> list[Archive]:
        """Return the archives for a host's Python; the first who asks waits until they are made.

        Raises:
            HostError: they cannot be made or fetched.
        """
        key = self._key(interpreter)
        if key not in self._supplies:
            work = asyncio.to_thread(self._make, interpreter)
            self._supplies[key] = asyncio.create_task(work)
        return await asyncio.shield(self._supplies[key])

    def _needed(self, interpreter: Interpreter) -> Needs:
        if interpreter.kind not in self._needs:
            self._needs[interpreter.kind] = needs.find(interpreter.markers)
        return self._needs[interpreter.kind]

    def _key(self, interpreter: Interpreter) -> str:
        libc = "" if is_alike(interpreter) else " ".join(interpreter.libc)
        return _digest(interpreter.kind, libc, self._needed(interpreter).digest())

    def _make(self, interpreter: Interpreter) -> list[Archive]:
        """Make two, since our own code changes more often than what it needs."""
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
    """Return whether a host's Python takes the files of machine code that are installed here."""
    if interpreter.kind != sysconfig.get_config_var("SOABI"):
        return False
    name, version = platform.libc_ver()
    return interpreter.libc[0] == name and release(interpreter.libc[1]) >= release(version)


def release(version: str) -> tuple[int, ...]:
    """Return the numbers of a version such as `2.36`."""
    return tuple(int(word) for word in version.split(".") if word.isdigit())


def _digest(*words: str) -> str:
    return hashlib.sha256(" ".join(words).encode()).hexdigest()


def _archive(path: Path) -> Archive:
    with path.open("rb") as file:
        return Archive(path, hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size)
