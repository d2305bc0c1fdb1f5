"""All subjects, with what each can do and what is missing to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.subjects.drivers.installed import Broken, installed
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.drivers.settling import CRITERION
from formicary_bench.subjects.registry import SUBJECTS, subject_of
from formicary_bench.vocabulary.routes import XMPP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.subjects.subject import Subject


WARM = f"when it is warm: after {CRITERION}"
COLD = "cold: its driver makes one round per process"
"""When a platform with a driver is measured."""


class Listed(msgspec.Struct, frozen=True):
    """A subject, as it is listed.

    Attributes:
        name: as on the command line.
        version: of another platform with a driver; empty for ours and for baselines.
        runtime: what it runs on, as its driver says.
        experiments: what it can do; unknown, and empty, of what is not installed.
        placements: where its agents can be, likewise.
        most_pairs: the most pairs at once; 0 where there is no limit.
        most_bytes: the largest body of a message; 0 where there is no limit.
        run_as: how it is run and why so, where it has a driver that comes with the laboratory.
        warm_up: when it is measured, where it has a driver.
        missing: what is missing to run it, each with what to do; empty if it can be run.
        notes: what is missing to run a part of it.
        is_installed: whether nothing has to be fetched or built; if not, the last of `missing` says how.
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
    """Return all subjects: ours and the baselines, then those with a driver."""
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
