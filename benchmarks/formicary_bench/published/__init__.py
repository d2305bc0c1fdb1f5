"""Figures that papers have published, to be shown beside ours. No value was read off a picture.

`alberola2010_cpu.csv`, `alberola2010_memory.csv` and `alberola2010_network.csv` are from Alberola, Such,
Garcia-Fornes, Espinosa and Botti, *A performance evaluation of three multiagent platforms*, Artificial
Intelligence Review 34 (2010): Tables 2 to 7 (CPU time of groups of threads in ms, mean and half of the 95%
interval over 100 repetitions), Table 8 (memory in KB), and Section 5.5 (what the text says of Fig. 17, in
kbit/s). Measured on two Pentium IV of 1.5 GHz with 256 MB and Fast Ethernet; JDK 1.5, Jade 3.3, MadKit 4.0,
AgentScape 0.8.1.

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

CPU_GROUP = "runtime"

SOURCE = "Alberola 2010"
MACHINE = (
    "two Pentium IV of 1.5 GHz with 256 MB and Fast Ethernet; JDK 1.5, Jade 3.3, MadKit 4.0, AgentScape 0.8.1"
)
"""What the paper measured on."""

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class CpuTime:
    """CPU time of a group of threads: a line of Tables 2 to 7.

    Attributes:
        table: the number of the table.
        platform: whose.
        host: A or B.
        group: as the paper names it: `jvm`, `mas`, `map`, `com` or `sds`.
        ms: the mean.
        ci95_ms: half of its 95% interval.
        percent: its share of the host's.
    """

    table: int
    platform: str
    host: str
    group: str
    ms: float
    ci95_ms: float
    percent: float


@dataclass(frozen=True)
class Memory:
    """Memory of a platform, with and without 100 idle agents: a line of Table 8, in bytes."""

    platform: str
    alone: float
    with_100_agents: float

    @property
    def each(self) -> float:
        """What one of the agents holds."""
        return (self.with_100_agents - self.alone) / 100


@dataclass(frozen=True)
class Throughput:
    """What the text says of the network's throughput: whose, what, kbit/s."""

    platform: str
    statement: str
    kbit_per_s: float


@dataclass(frozen=True)
class Rates:
    """Peak and sustained rate of a benchmark, per second: a part of a line of Dikaiakos's Table 8.

    Attributes:
        platform: whose.
        unit: what there are so many of.
        peak: the peak rate.
        sustained: the sustained rate.
    """

    platform: str
    unit: str
    peak: float
    sustained: float


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


def memory() -> list[Memory]:
    """Return Table 8."""
    found: dict[str, dict[str, float]] = {}
    for line in _lines("alberola2010_memory.csv"):
        found.setdefault(line["platform"], {})[line["state"]] = float(line["memory_kb"]) * 1024
    return [
        Memory(platform, states["platform"], states["platform+100-agents"])
        for platform, states in found.items()
    ]


def throughputs() -> list[Throughput]:
    """Return what Section 5.5 states."""
    return [
        Throughput(line["platform"], line["statement"], float(line["kbit_per_s"]))
        for line in _lines("alberola2010_network.csv")
    ]


def rates(benchmark: str) -> list[Rates]:
    """Return what Dikaiakos's Table 8 has of a benchmark, as it is called there; nothing of others."""
    return [
        Rates(line["platform"], line["unit"], float(line["peak_per_s"]), float(line["sustained_per_s"]))
        for line in _lines("dikaiakos2001_rates.csv")
        if line["benchmark"] == benchmark
    ]


@dataclass(frozen=True)
class ServiceTime:
    """What rounds of a service with a coordinator took: a cell of Frantz's Table 1.

    Attributes:
        rounds: how many.
        platform: whose.
        seconds: what all of them took.
    """

    rounds: int
    platform: str
    seconds: float


def service_times() -> list[ServiceTime]:
    """Return Frantz's Table 1, where it has a figure."""
    return [
        ServiceTime(int(line["rounds"]), line["platform"], float(line["seconds"]))
        for line in _lines("frantz2010_platforms.csv")
    ]


@dataclass(frozen=True)
class Deviation:
    """How unlike each other agents' swaps are: a cell of Frantz's Table 2.

    Attributes:
        agents: how many agents the grid has.
        platform: whose.
        swaps: the standard deviation.
    """

    agents: int
    platform: str
    swaps: float


def deviations() -> list[Deviation]:
    """Return Frantz's Table 2, where it has a figure."""
    return [
        Deviation(int(line["agents"]), line["framework"], float(line["swap_std_dev"]))
        for line in _lines("frantz2010_fairness.csv")
    ]


def _lines(name: str) -> list[dict[str, str]]:
    with (_HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
