"""The list of platforms as a table that fits on 80 columns, and one platform in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace
from rich import box
from rich.table import Table
from rich.text import Text

from formicary.core.quoting import printable
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.subjects.drivers.installed import Broken, installed
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.drivers.settling import CRITERION
from formicary_bench.subjects.registry import SUBJECTS, subject_of
from formicary_bench.vocabulary.places import APART, N_HOSTS, SAME, TWO_HOSTS, XMPP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from formicary_bench.subjects.subject import Subject


WARM = f"when it is warm: after {CRITERION}"
COLD = "cold: its driver makes one round per process"
"""When a platform with a driver is measured."""


class Listed(msgspec.Struct, frozen=True):
    """A subject as listed.

    Attributes:
        name: its name on the command line.
        version: the version of another platform; empty for ours and for baselines.
        runtime: its runtime, as reported by its driver.
        experiments: those that it can take part in; empty if it is not installed.
        placements: where its agents can be; empty if it is not installed.
        most_pairs: the most pairs at once; 0 for no limit.
        most_bytes: the largest body of a message; 0 for no limit.
        run_as: how it is run and why, if its driver comes with the laboratory.
        warm_up: when it is measured, if it has a driver.
        missing: what is missing to run it, each with what to do; empty if nothing is.
        notes: what is missing for a part of it.
        is_installed: whether it is installed; if not, the last of `missing` says how to install it.
    """

    name: str
    version: str = ""
    runtime: str = ""
    experiments: tuple[str, ...] = ()
    placements: tuple[str, ...] = ()
    most_pairs: int = 0
    most_bytes: int = 0
    run_as: str = ""
    warm_up: str = ""
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_installed: bool = True


def listed() -> list[Listed]:
    """Return all subjects: ours, the baselines, then those with a driver."""
    ours = [_listed(subject) for subject in SUBJECTS if not subject.hidden]
    there = list(_with_driver())
    names = {one.name for one in there}
    return [*ours, *there, *(one for one in _not_installed() if one.name not in names)]


def _listed(subject: Subject, version: str = "", runtime: str = "") -> Listed:
    missing = []
    if not subject.is_installed():
        missing.append(f"install it with: pip install 'formicary[{subject.extra or subject.package}]'")
    routes = {carrier.route for carriers in subject.carriers.values() for carrier in carriers}
    needs_server = (subject.accounts or XMPP in routes) and not _has_server()
    server = ["an XMPP server: install Prosody, see docs/server.md"] if needs_server else []
    is_all = subject.accounts or routes == {XMPP}
    return Listed(
        name=subject.name,
        version=version,
        runtime=runtime,
        experiments=tuple(one.name for one in EXPERIMENTS.values() if one.has(subject)),
        placements=tuple(subject.carriers),
        most_pairs=subject.most_pairs,
        most_bytes=subject.most_bytes,
        missing=(*missing, *(server if is_all else [])),
        notes=tuple([] if is_all else server),
    )


def _with_driver() -> Iterator[Listed]:
    for entry in installed():
        if isinstance(entry, Broken):
            yield Listed(entry.name, missing=(entry.why,))
        else:
            hello = entry.hello
            known = _listed(subject_of(hello.name, ""), hello.version, hello.runtime)
            recipe = RECIPES.get(hello.name)
            warm_up = WARM if hello.again else COLD
            yield replace(known, run_as=recipe.run_as if recipe else "", warm_up=warm_up)


def _not_installed() -> Iterator[Listed]:
    for recipe in RECIPES.values():
        missing = (*recipe.missing(), recipe.how_to_install)
        yield Listed(recipe.name, run_as=recipe.run_as, warm_up=WARM, missing=missing, is_installed=False)


def _has_server() -> bool:
    from formicary.errors import ServerError
    from formicary.server.process import find_program

    try:
        find_program("prosody")
    except ServerError:
        return False
    return True


_FEW = 1  # of a family, by name


def overview(rows: Sequence[Listed]) -> RenderableType:
    """Return a table with a line for each platform, and what is missing to run it."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="Details, and how to install one: formicary bench platforms show NAME",
        caption_justify="left",
    )
    for title in ("platform", "experiments", "processes", "missing"):
        table.add_column(title, overflow="fold")
    for row in rows:
        where = ", ".join(dict.fromkeys(_SHORT[placement] for placement in row.placements))
        table.add_row(
            _lines([f"{row.name} {row.version}".strip()]),
            _lines(["; ".join(in_short(row.experiments))]),
            where,
            _lines(lacks(row) if row.is_installed else [*row.missing[:-1], "not installed"]),
        )
    return table


def details(row: Listed) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    lines = {
        "platform": [f"{row.name} {row.version}".strip()],
        "runs on": [row.runtime] if row.runtime else [],
        "experiments": row.experiments,
        "placements": row.placements,
        "at most": [
            *([f"{row.most_pairs} pairs or senders"] if row.most_pairs else []),
            *([f"{row.most_bytes} bytes in a body"] if row.most_bytes else []),
        ],
        "is run": [row.run_as] if row.run_as else [],
        "is measured": [row.warm_up] if row.warm_up else [],
        "missing": lacks(row),
    }
    for title, values in lines.items():
        if values:
            table.add_row(Text(title, "bold"), _lines(values))
    return table


def _lines(texts: Sequence[str]) -> Text:
    """Return the lines of a cell; a driver's texts cannot break the table."""
    return Text("\n".join(map(printable, texts)))


def in_short(names: Sequence[str]) -> Iterator[str]:
    """Yield experiments in short: all of a family, how many of it, or a few names."""
    for family in dict.fromkeys(one.family for one in EXPERIMENTS.values()):
        every = [one.name for one in EXPERIMENTS.values() if one.family == family]
        can = [name for name in every if name in names]
        if len(can) == len(every) or (can and len(can) <= _FEW):
            yield family if can == every else ", ".join(can)
        elif can:
            yield f"{family}: {len(can)} of {len(every)}"
    known = set(EXPERIMENTS)
    yield from (name for name in names if name not in known)


def lacks(row: Listed) -> list[str]:
    """Return what is missing for a platform, or for a part of its abilities."""
    return [*row.missing, *(f"for some routes, {note}" for note in row.notes)]


_SHORT = {SAME: "1", APART: "2", TWO_HOSTS: "hosts", N_HOSTS: "hosts"}
