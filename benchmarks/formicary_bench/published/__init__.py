"""Figures published in papers, to be shown beside ours. No value was read off a picture.

`alberola2010_cpu.csv`, `alberola2010_memory.csv` and `alberola2010_network.csv` are from Alberola, Such,
Garcia-Fornes, Espinosa and Botti, *A performance evaluation of three multiagent platforms*, Artificial
Intelligence Review 34 (2010): Tables 2 to 7 (CPU time of groups of threads in ms, mean and half of the 95%
interval over 100 repetitions), Table 8 (memory in KB), and Section 5.5 (what the text says of Fig. 17, in
kbit/s). Measured on two Pentium IV of 1.5 GHz with 256 MB and Fast Ethernet; JDK 1.5, Jade 3.3, MadKit 4.0,
AgentScape 0.8.1.

`alberola2010_platforms.csv` is Table 1 of the same paper: which platform has which features. Its marks are
garbled in our text: `yes` is what resembles a tick, `no` a dash, and `?` an empty cell, or a single stroke
that could be either.

`dikaiakos2001_rates.csv` is from Dikaiakos, Kyriakou and Samaras, *Benchmarking mobile-agent systems*,
University of Cyprus 2001: Table 8 (peak and sustained rates per second). Measured on Pentium III of 500 MHz
with 64 MB and Fast Ethernet; JRE 1.1.7, Concordia 1.1.4, Aglets 1.0.3, Voyager 3.1.

`frantz2010_platforms.csv` and `frantz2010_fairness.csv` are from Frantz, Nowostawski and Purvis, *Multi-agent
platforms and asynchronous message passing*, University of Otago 2010: Table 1 (seconds for some rounds of a
service with a coordinator) and Table 2 (standard deviation of the swaps of agents on a grid, until the first
has made 1000). Measured on a Core 2 Quad of 2.66 GHz with 3.25 GB; J2SE 1.6.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from formicary_bench.vocabulary.names import OF_A_SERVICE, OF_FAIRNESS, OF_LOOPS, OF_MEMORY, ON_THE_WIRE

if TYPE_CHECKING:
    from collections.abc import Mapping

CPU_GROUP = "runtime"

SOURCE = "Alberola 2010"
MACHINE = (
    "two Pentium IV of 1.5 GHz with 256 MB and Fast Ethernet; JDK 1.5, Jade 3.3, MadKit 4.0, AgentScape 0.8.1"
)
"""The paper's machines."""

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class CpuTime:
    """CPU time of a group of threads: a line of Tables 2 to 7.

    Attributes:
        table: the number of the table.
        platform: the platform.
        host: A or B.
        group: the paper's name of it: `jvm`, `mas`, `map`, `com` or `sds`.
        ms: the mean.
        ci95_ms: half of its 95% interval.
        percent: its share of the host's CPU time.
    """

    table: int
    platform: str
    host: str
    group: str
    ms: float
    ci95_ms: float
    percent: float


@dataclass(frozen=True)
class Printed:
    """A line of a paper's table.

    Attributes:
        who: the platform.
        at: what the line is about, such as the number of rounds.
        texts: its figures as printed, by the headings of our metrics.
        values: its figures in our units.
    """

    who: str
    at: str
    texts: Mapping[str, str]
    values: Mapping[str, float]


@dataclass(frozen=True)
class Table:
    """A paper's table of figures, to be shown beside ours.

    Attributes:
        paper: the paper.
        where: the table, or the section.
        file: the file in this folder.
        who: the column with the platform.
        at: the column with what a line is about.
        figures: by column, the heading of our metric, the printed unit, and that unit in ours.
        only: the column that assigns lines to experiments; empty if all belong to one.
        remark: a remark for readers.
    """

    paper: str
    where: str
    file: str
    who: str
    at: str
    figures: Mapping[str, tuple[str, str, float]]
    only: str = ""
    remark: str = ""

    def lines(self, of: str = "") -> list[Printed]:
        """Return its lines, or those of one experiment."""
        return [
            Printed(
                line[self.who],
                line[self.at].replace("-", " ").replace("+", " with "),
                {head: f"{line[column]}{unit}" for column, (head, unit, _) in self.figures.items()},
                {head: float(line[column]) * scale for column, (head, _, scale) in self.figures.items()},
            )
            for line in _lines(self.file)
            if not self.only or line[self.only] == of
        ]


FEATURES = f"{SOURCE}, Table 1"
"""The table of platforms by features."""

_FEATURES = {
    "platform": "Platform",
    "language": "Language",
    "open_source": "O.S.",
    "fipa": "FIPA",
    "security": "Sec.",
    "organizations": "Org.",
    "communication": "Comm.",
}
"""Its headings, by columns of the file."""

_OURS = ("Formicary", "Python", "yes", "yes", "yes", "yes", "Sockets/XMPP/http")
"""Formicary's line: FIPA's protocols, directory and gateway; TLS and secrets; groups and roles."""


def features() -> list[dict[str, str]]:
    """Return that table, a line for each platform, with Formicary's at the end."""
    marks = {"yes": "✓", "no": "-"}
    lines = [*_lines("alberola2010_platforms.csv"), dict(zip(_FEATURES, _OURS, strict=True))]
    return [
        {heading: marks.get(line[column], line[column]) for column, heading in _FEATURES.items()}
        for line in lines
    ]


TABLES = {
    OF_MEMORY: Table(
        SOURCE,
        "Table 8",
        "alberola2010_memory.csv",
        "platform",
        "state",
        {"memory_kb": ("holds", " KB", 1024.0)},
        remark="The paper's are of objects in the Java heap, as JADE's are here, after a collection; what "
        "Python traces is nearest to that.",
    ),
    ON_THE_WIRE: Table(
        SOURCE,
        "Section 5.5",
        "alberola2010_network.csv",
        "platform",
        "statement",
        {"kbit_per_s": ("on the wire", " kbit/s", 1000.0)},
        remark="The size of its messages is not said: compare how figures grow with the pairs.",
    ),
    OF_LOOPS: Table(
        "Dikaiakos 2001",
        "Table 8",
        "dikaiakos2001_rates.csv",
        "platform",
        "unit",
        {"peak_per_s": ("peak/s", "", 1.0), "sustained_per_s": ("sustained/s", "", 1.0)},
        only="benchmark",
    ),
    OF_A_SERVICE: Table(
        "Frantz 2010",
        "Table 1",
        "frantz2010_platforms.csv",
        "platform",
        "rounds",
        {"seconds": ("total time", " s", 1.0)},
    ),
    OF_FAIRNESS: Table(
        "Frantz 2010",
        "Table 2",
        "frantz2010_fairness.csv",
        "framework",
        "agents",
        {"swap_std_dev": ("deviation", "", 1.0)},
        remark="It grows with the root of the swaps: the paper's are until an agent has made 1000.",
    ),
}
"""The tables by the names that experiments declare."""


def cpu_times(table: int) -> list[CpuTime]:
    """Return the lines of one of Tables 2 to 7."""
    return [
        CpuTime(
            table,
            line["platform"],
            line["host"],
            line["group"],
            float(line["cpu_ms"]),
            float(line["ci95_ms"]),
            float(line["percent"]),
        )
        for line in _lines("alberola2010_cpu.csv")
        if int(line["table"]) == table
    ]


def _lines(name: str) -> list[dict[str, str]]:
    with (_HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
