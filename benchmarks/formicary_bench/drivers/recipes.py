"""How the drivers that come with the laboratory are made on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from formicary_bench.drivers.errors import DriverError

if TYPE_CHECKING:
    from collections.abc import Sequence

_HERE = Path(__file__).parent
_SECONDS = 900  # to fetch and build, over a slow line
_LONGEST_LINE = 300


class Recipe(Protocol):
    """How a driver is made.

    Attributes:
        name: the platform's.
        what: what will be installed, with its version.
    """

    @property
    def name(self) -> str:
        """The platform's name."""

    @property
    def what(self) -> str:
        """What will be installed, with its version."""

    def missing(self) -> list[str]:
        """Return what this machine lacks to make and run it, each with what to do."""

    def make(self, folder: Path) -> tuple[str, ...]:
        """Make it in an empty folder that stays, and return the command that starts it.

        Raises:
            DriverError: it cannot be made.
        """


@dataclass(frozen=True)
class Java:
    """A driver in Java, built by Maven.

    Attributes:
        name: the platform's, and its module's in the folder `java`.
        what: the platform, with its version.
    """

    name: str
    what: str

    def missing(self) -> list[str]:
        """Return which of Java and Maven is not there."""
        programs = {"java": "Java (17 or later)", "mvn": "Maven (3.8 or later)"}
        return [
            f"{what}: install it, so that `{name}` runs"
            for name, what in programs.items()
            if not shutil.which(name)
        ]

    def make(self, folder: Path) -> tuple[str, ...]:
        """Build it, with all that it depends on."""
        with tempfile.TemporaryDirectory(prefix="formicary-") as scratch:
            source = Path(scratch, "java")
            shutil.copytree(_HERE / "java", source, ignore=shutil.ignore_patterns("target"))
            run(
                [_program("mvn"), "-q", "-B", "-f", str(source), "-pl", self.name, "-am", "package"],
                self.name,
            )
            for jar in (source / self.name / "target").glob("*.jar"):
                shutil.copy(jar, folder)
        jars = str(folder / "*")  # Java itself finds all of them
        return _program("java"), "-cp", jars, f"formicary.{self.name}.Driver"


@dataclass(frozen=True)
class Python:
    """A driver in Python, with an environment of its own.

    Attributes:
        name: the platform's, and that of its file `python/NAME_driver.py`.
        what: the platform, with its version.
        requirements: what pip installs.
    """

    name: str
    what: str
    requirements: tuple[str, ...]

    def missing(self) -> list[str]:
        """Return that there is nothing missing: this Python makes the environment."""
        return []

    def make(self, folder: Path) -> tuple[str, ...]:
        """Make the environment, and put the driver beside it."""
        run([sys.executable, "-m", "venv", str(folder / "environment")], self.name)
        python = str(folder / "environment" / "bin" / "python")
        run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *self.requirements],
            self.name,
        )
        shutil.copy(_HERE / "python" / f"{self.name}_driver.py", folder / "driver.py")
        shutil.copy(_HERE / "python" / "lab.py", folder)
        return python, str(folder / "driver.py")


_ALL: tuple[Recipe, ...] = (
    Java("jade", "JADE 4.3"),
    Java("jason", "Jason 3.2.1"),
    Python("mango", "mango 2.4.0", ("mango-agents==2.4.0",)),
)
RECIPES = {recipe.name: recipe for recipe in _ALL}
"""The drivers that come with the laboratory, by name."""


def run(command: Sequence[str], name: str) -> None:
    """Run a program that makes a driver.

    Args:
        command: the program and its arguments.
        name: the driver's, for sentences.

    Raises:
        DriverError: it fails, with what it has said.
    """
    program = Path(command[0]).name
    try:
        subprocess.run(  # noqa: S603 -- a list of arguments of our own
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=True,
            timeout=_SECONDS,
        )
    except subprocess.CalledProcessError as error:
        raise DriverError(f"{name} cannot be installed: {program} says: {_reason(error.output)}") from error
    except subprocess.TimeoutExpired as error:
        raise DriverError(
            f"{name} cannot be installed: {program} took more than {_SECONDS} s; is the network slow?"
        ) from error


def _reason(output: bytes) -> str:
    """Return the first line that says what is wrong, or the last line that says anything."""
    lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
    wrong = [line for line in lines if line.casefold().lstrip("[").startswith("error")]
    return (wrong or lines[-1:] or ["nothing"])[0][:_LONGEST_LINE]


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise DriverError(f"`{name}` is not there; install it and try again")
    return found
