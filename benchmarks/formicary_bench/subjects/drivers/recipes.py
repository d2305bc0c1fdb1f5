"""The recipes of the laboratory's drivers."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from formicary.core.scratch import scratch_folder
from formicary_bench.subjects.drivers import DriverError
from formicary_bench.subjects.drivers.programs import find, run

if TYPE_CHECKING:
    from collections.abc import Callable

JAR = "MADKIT_JAR"
"""The environment variable that names a jar in place of `--jar`."""

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Recipe:
    """The recipe of a driver; for subclasses.

    Attributes:
        name: the platform's name, with the way to run it if there are several.
        label: its name in charts and tables.
        version: the version that will be installed.
        run_as: how it is run, and why.
        source: the name of the driver's sources; that of the platform if empty.
        arguments: the driver's arguments.
    """

    name: str
    label: str
    version: str
    run_as: str
    source: str = field(default="", kw_only=True)
    arguments: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def how_to_install(self) -> str:
        """How to install it."""
        return f"install it with: formicary bench platforms install {self.name}"

    def missing(self) -> list[str]:
        """Return what this machine lacks to build and run it, each with what to do."""
        return []

    def make(self, folder: Path, show: Callable[[str], None]) -> tuple[str, ...]:
        """Build it in an empty folder that is never moved, and return the command that starts it.

        Raises:
            DriverError: it cannot be built.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Java(Recipe):
    """A driver in Java, built by Maven from the module of its sources' name in the folder `java`."""

    def missing(self) -> list[str]:
        """Return which of Java and Maven are missing."""
        programs = {"java": "Java (17 or later)", "mvn": "Maven (3.8 or later)"}
        return [
            f"{what}: install it, so that `{name}` runs"
            for name, what in programs.items()
            if not shutil.which(name)
        ]

    def make(self, folder: Path, show: Callable[[str], None]) -> tuple[str, ...]:
        """Build it with its dependencies."""
        module = self.source or self.name
        with scratch_folder() as scratch:
            source = Path(scratch, "java")
            shutil.copytree(_HERE / "java", source, ignore=shutil.ignore_patterns("target"))
            maven = [find("mvn"), "-B", "-f", str(source), "-pl", module, "-am", *self.properties(folder)]
            run([*maven, "package"], self.name, show)
            for jar in (source / module / "target").glob("*.jar"):
                shutil.copy(jar, folder)
        jars = str(folder / "*")  # Java itself finds all of them
        return find("java"), "-cp", jars, f"formicary.{module}.Driver", *self.arguments

    def properties(self, folder: Path) -> list[str]:
        """Return further properties for Maven, and copy what it does not fetch into the driver's folder.

        Raises:
            DriverError: something of that is missing.
        """
        del folder
        return []


@dataclass(frozen=True)
class JavaWithJar(Java):
    """A driver in Java of a platform that is in no registry.

    Attributes:
        holds: the name of a class in its jar.
        site: the site that offers its jar.
        jar: the user's copy.
    """

    holds: str = field(kw_only=True)
    site: str = field(kw_only=True)
    jar: Path | None = field(default=None, kw_only=True)

    @property
    def how_to_install(self) -> str:
        return f"get its jar from {self.site} (no registry has it), and {super().how_to_install} --jar FILE"

    def properties(self, folder: Path) -> list[str]:
        """Return the property for the user's jar, and copy it."""
        if self.jar is None:
            raise DriverError(
                f"{self.name} needs the jar of {self.label} {self.version}, which no registry has: "
                f"get it from {self.site}, and specify it with --jar FILE or the environment "
                f"variable {JAR}"
            )
        try:
            with ZipFile(self.jar) as opened:
                opened.getinfo(self.holds.replace(".", "/") + ".class")
        except (OSError, BadZipFile) as error:
            why = getattr(error, "strerror", None) or "it is not a jar"
            raise DriverError(f"{self.jar} cannot be read as the jar of {self.label} ({why})") from error
        except KeyError:
            raise DriverError(
                f"{self.jar} is not the jar of {self.label} {self.version}, because it does not "
                f"contain {self.holds}"
            ) from None
        kept = shutil.copy(self.jar, folder / "platform.jar")
        return [f"-Dplatform.jar={kept}"]


@dataclass(frozen=True)
class Python(Recipe):
    """A driver in Python, `python/SOURCE_driver.py`, with its own environment.

    Attributes:
        requirements: requirements for pip.
    """

    requirements: tuple[str, ...]

    def make(self, folder: Path, show: Callable[[str], None]) -> tuple[str, ...]:
        """Create the environment, and copy the driver beside it."""
        run([sys.executable, "-m", "venv", str(folder / "environment")], self.name, show)
        python = str(folder / "environment" / "bin" / "python")
        pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
        run([*pip, *self.requirements], self.name, show)
        shutil.copy(_HERE / "python" / f"{self.source or self.name}_driver.py", folder / "driver.py")
        shutil.copy(_HERE / "python" / "lab.py", folder)
        return python, str(folder / "driver.py"), *self.arguments


_MANGO = ("mango-agents[fastjson]==2.4.0",)
_ALL: tuple[Recipe, ...] = (
    Java(
        "jade",
        "JADE",
        "4.3",
        "One agent is one thread, as always in JADE. It remembers where agents are reached for as many as "
        "there are here (jade_core_messaging_MessagingService_cachesize): by itself for 100, and those of "
        "more than 50 pairs are looked up anew for each message. Its agents lock what JADE notes without a "
        "lock as they block and are woken: else they may miss what comes just then, and a run hangs. The "
        "directory is the directory facilitator of its main container, used by DFService; each service is "
        "registered under another name, as an agent has only one entry there. It takes no part in "
        "messaging/encryption: JADE's TLS (JICPSPeer) listens at all addresses of a machine, whichever it is "
        "given, and without key stores it has only anonymous suites, which Java refuses.",
    ),
    Java(
        "jason",
        "Jason",
        "3.2.1",
        "Jason's own infrastructure as it is by itself, which has a thread for each agent.",
    ),
    Java(
        "jason-pool",
        "Jason, pool",
        "3.2.1",
        "Jason's own infrastructure with a pool, as `infrastructure: Local(pool,2)` in a project: all "
        "agents take turns on as many threads as there are processors, or as `--containers` in "
        "traffic/pool-size, each for up to five reasoning "
        "cycles, which is the default. Its manual advises that where there are many more agents than "
        "processors.",
        source="jason",
        arguments=("pool",),
    ),
    Java(
        "jason-synchronous",
        "Jason, synchronous",
        "3.2.1",
        "Jason's own infrastructure in its synchronous mode, as `executionControl: "
        "jason.control.ExecutionControl` in a project: each agent has a thread, and all make one reasoning "
        "cycle before any makes the next.",
        source="jason",
        arguments=("synchronous",),
    ),
    Java(
        "jetlang",
        "Jetlang",
        "0.2.23",
        "A fiber and a channel for each agent, on a pool with a thread for each processor.",
    ),
    Java(
        "kilim",
        "Kilim",
        "2.0.1",
        "A task and a mailbox for each agent, with Kilim's own scheduler. Its classes are woven when they "
        "are built, by a newer ASM than Kilim's own, which reads no classes of Java 17.",
    ),
    JavaWithJar(
        "madkit",
        "MaDKit",
        "5",
        "MaDKit 5: one agent is one thread, as always for agents that wait in waitNextMessage; they find "
        "each other by roles of one group, and answer by sendReply. Logging is off, as it is without a "
        "desktop. Between kernels MaDKit finds others by broadcasts in the network, so it is measured in "
        "one process only.",
        holds="madkit.kernel.Madkit",
        site="https://www.madkit.net",
    ),
    Python(
        "mango",
        "mango",
        "2.4.0",
        "TCP containers, and agents that answer in handle_message by schedule_instant_message, as in "
        "mango's tutorial. Within a container messages are neither copied nor encoded, which is the "
        "default. The loop is asyncio's own: mango's TCP containers do not work on uvloop.",
        _MANGO,
    ),
    Python(
        "mango-lean",
        "mango, lean",
        "2.4.0",
        "As mango, but with the fewest layers that its interface permits: handle_message makes a task of "
        "asyncio of the agent's send_message, past mango's scheduler, which takes most of the time "
        "otherwise; and between processes the codec is FastJSON.",
        _MANGO,
        source="mango",
        arguments=("lean",),
    ),
    Java(
        "pekko",
        "Pekko",
        "1.1.5",
        "Typed actors of one actor system, with the configuration that Pekko has by itself: a fork-join "
        "pool of at least 8 threads, five messages of an actor at a time. Messages are records that are "
        "handed over by reference. There for reference: actors without what agents have besides.",
    ),
    Python(
        "spade",
        "SPADE",
        "4.1.4",
        "Stock agents, run by spade.run, which takes uvloop. Behaviours wait in receive with a timeout, "
        "as in its documentation. Messages to agents of the same process are handed over by SPADE itself.",
        ("spade==4.1.4", "greenlet>=3"),  # its greenlet is not declared
    ),
)
RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in _ALL}
"""The laboratory's drivers, by name."""
