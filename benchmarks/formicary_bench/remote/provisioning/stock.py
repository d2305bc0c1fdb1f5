"""The wheels for hosts: for each kind of Python made or fetched once, and kept for the next time."""

from __future__ import annotations

import asyncio
import hashlib
import platform
import sysconfig
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from typing import TYPE_CHECKING

from formicary.core.files import user_cache
from formicary.core.private import make_private_folder
from formicary_bench.remote.errors import HostError
from formicary_bench.remote.provisioning import needs, own_wheel, wheels
from formicary_bench.remote.provisioning.downloads import download

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from formicary_bench.remote.checks.facts import Interpreter
    from formicary_bench.remote.provisioning.needs import Needs

_SHORT = 16  # of the digits of a digest: enough for the name of a folder


@dataclass(frozen=True)
class Wheel:
    """A wheel that can be sent.

    Attributes:
        path: the file.
        sha256: of what is in it.
        size: bytes.
    """

    path: Path
    sha256: str
    size: int


@dataclass(frozen=True)
class Supply:
    """All wheels for a kind of Python.

    Attributes:
        installer: pip's.
        others: all others.
    """

    installer: Wheel
    others: tuple[Wheel, ...]

    @property
    def all(self) -> tuple[Wheel, ...]:
        """All of them."""
        return (self.installer, *self.others)


class Stock:
    """What there is; hosts with the same kind of Python share it.

    Args:
        folder: where wheels are kept.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or user_cache() / "wheels"
        self._needs: dict[str, Needs] = {}
        self._supplies: dict[str, asyncio.Task[Supply]] = {}
        self._given_up = False

    def give_up(self) -> None:
        """Make no further wheels: nobody waits for them any more."""
        self._given_up = True

    def digest(self, interpreter: Interpreter) -> str:
        """Return what is different as soon as a host's environment has to be made anew.

        Raises:
            HostError: it is not known what Formicary depends on.
        """
        words = [interpreter.kind, interpreter.python, self._needed(interpreter).digest()]
        return hashlib.sha256(" ".join(words).encode()).hexdigest()

    async def supply(self, interpreter: Interpreter) -> Supply:
        """Return the wheels for a host's Python; the first who asks waits until they are made.

        Raises:
            HostError: they cannot be made or fetched.
        """
        key = self.digest(interpreter)
        if key not in self._supplies:
            work = asyncio.to_thread(self._make, interpreter)
            self._supplies[key] = asyncio.create_task(work)
        return await asyncio.shield(self._supplies[key])

    def _needed(self, interpreter: Interpreter) -> Needs:
        if interpreter.kind not in self._needs:
            self._needs[interpreter.kind] = needs.find(interpreter.markers)
        return self._needs[interpreter.kind]

    def _make(self, interpreter: Interpreter) -> Supply:
        try:
            make_private_folder(self._folder)
            made = []
            for path in self._paths(interpreter):
                made.append(_wheel(path))
                if self._given_up:
                    raise HostError("no wheels are needed any more")
            return Supply(_wheel(self._installer()), tuple(made))
        except OSError as error:
            raise HostError(
                f"the wheels for hosts cannot be written into {self._folder} ({error.strerror}); make room, "
                "or name another folder with the environment variable XDG_CACHE_HOME"
            ) from error

    def _paths(self, interpreter: Interpreter) -> Iterator[Path]:
        yield own_wheel.make(self._folder / own_wheel.identity()[:_SHORT])
        needed = self._needed(interpreter)
        if is_alike(interpreter) and not needed.absent:
            for each in needed.installed:
                yield wheels.rebuild(each, self._folder / wheels.identity(each)[:_SHORT])
        else:
            yield from download(needed, interpreter, self._folder)

    def _installer(self) -> Path:
        try:
            pip = distribution("pip")
        except PackageNotFoundError:
            raise HostError('pip is missing here; install it: pip install "formicary[lab]"') from None
        return wheels.rebuild(pip, self._folder / wheels.identity(pip)[:_SHORT])


def is_alike(interpreter: Interpreter) -> bool:
    """Say whether a host's Python takes the files of machine code that are installed here."""
    if interpreter.kind != sysconfig.get_config_var("SOABI"):
        return False
    name, version = platform.libc_ver()
    return interpreter.libc[0] == name and release(interpreter.libc[1]) >= release(version)


def release(version: str) -> tuple[int, ...]:
    """Return the numbers of a version such as `2.36`."""
    return tuple(int(word) for word in version.split(".") if word.isdigit())


def _wheel(path: Path) -> Wheel:
    with path.open("rb") as file:
        return Wheel(path, hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size)
