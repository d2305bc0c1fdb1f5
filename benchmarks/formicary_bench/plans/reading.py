"""Read plans: what a run measures, or everything wrong with the file."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS, with_scope
from formicary_bench.files import toml_files
from formicary_bench.files.toml_files import guess, shown
from formicary_bench.results.summary.warm_up import OPTION as WARM_UP
from formicary_bench.results.summary.warm_up import read_rule
from formicary_bench.runner.planning.options import Options, subjects_named, with_preset
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.runner.planning.run_plan import of_several
from formicary_bench.subjects.registry import subjects
from formicary_bench.vocabulary.kinds import WrongError
from formicary_bench.vocabulary.parameters import ALWAYS, HOSTS, MOST_SEED, OWN, SHARED, VARIED, WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from formicary_bench.files.toml_files import TomlFile
    from formicary_bench.results.store.model import Option
    from formicary_bench.runner.planning.run_plan import RunPlan
    from formicary_bench.vocabulary.parameters import Parameter

MEASURE, EXPERIMENT = "measure", "experiment"
"""The table whose tables say what is measured, and the key of each of these that names the experiment."""

_OF_TABLES = with_scope(OWN, VARIED, ALWAYS, SHARED)
_HOSTS = with_scope(HOSTS)
_HOW = "add a table [measure.NAME] with its experiment for each measurement"
_WORDING = toml_files.FileWording(
    what="a plan",
    example="plan.toml",
    instead="specify the path of your plan, or create one with `formicary bench plan new FILE`",
    lists="experiments",
    lines='[measure.a] and experiment = "messaging/pairs"',
    how=_HOW,
)


def read(path: Path, hosts: Sequence[str] = ()) -> RunPlan:
    """Read a plan.

    Raises:
        UsageError: it cannot be read or is not valid; the message lists everything wrong.
    """
    file = toml_files.read(path, _WORDING)
    reader = _Reader(file, tuple(hosts))
    parts = reader.parts()
    file.refuse()
    asked: dict[str, Option] = {"plan": path.name, "seed": reader.seed}
    asked |= {"hosts": list(hosts)} if hosts else {}
    asked |= {} if reader.warm_up is None else {WARM_UP: reader.warm_up}
    run_plan = of_several(path.stem, parts, asked)
    return replace(run_plan, left_out=(*reader.left_out, *run_plan.left_out))


class HostsAsked(NamedTuple):
    """The hosts of a plan, as on the command line; None if it has none."""

    hosts: Path | None = None
    on: str | None = None
    servers: str | None = None
    launcher: str | None = None
    interface: str | None = None

    def or_else(self, other: HostsAsked) -> HostsAsked:
        """Return these hosts, completed with others."""
        return HostsAsked(
            self.hosts or other.hosts,
            self.on or other.on,
            self.servers or other.servers,
            self.launcher or other.launcher,
            self.interface or other.interface,
        )


def hosting_of(path: Path) -> HostsAsked:
    """Return the hosts of a plan.

    Errors are left to `read`; file names are relative to the plan's folder.

    Raises:
        UsageError: it cannot be read.
    """
    document = toml_files.read(path, _WORDING).document
    found = {}
    for key in document.keys() & _HOSTS.keys():
        with suppress(WrongError):
            found[key] = _HOSTS[key].from_file(document[key])
    hosts = path.parent / found["hosts"] if "hosts" in found else None
    on = ",".join(found["on"]) if "on" in found else None
    return HostsAsked(hosts, on, *(found.get(name) for name in ("servers", "launcher", "interface")))


class _Reader:
    """Turns a file into options, and collects what is wrong with it.

    Attributes:
        seed: the plan's, or a random one.
        warm_up: what is dropped as warm-up; as planned if None.
        left_out: sentences about what the plan names but cannot be measured.
    """

    def __init__(self, file: TomlFile, hosts: tuple[str, ...]) -> None:
        self._file = file
        self._hosts = hosts
        self.seed = secrets.randbelow(MOST_SEED + 1)
        self.warm_up: int | str | None = None
        self.left_out: list[str] = []

    def parts(self) -> list[Options]:
        """Return the requested part of each experiment; meaningless if anything is wrong."""
        document = self._file.document
        top = with_scope(SHARED, WHOLE, HOSTS)
        for key in document.keys() - {*top, MEASURE}:
            near = guess(key, [*top, MEASURE]) or f"; choose from {', '.join(top)} and tables [measure.NAME]"
            self._file.complain((key,), f"no such key{near}")
        shared = self._values(document, top, ())
        for one in _HOSTS.values():
            shared.pop(one.attribute, None)
        self.seed = shared.pop("seed", self.seed)
        self.warm_up = shared.pop("warm_up", None)
        tables = document.get(MEASURE, {})
        if not isinstance(tables, dict) or not tables:
            self._file.complain((MEASURE,), f"nothing is measured; {_HOW}")
            return []
        return list(self._tables(tables, shared))

    def _tables(self, tables: Mapping[str, Any], shared: Mapping[str, Any]) -> Iterator[Options]:
        planned = False
        for name, table in tables.items():
            if isinstance(table, dict):
                for options in self._part((MEASURE, name), table, shared):
                    planned = True
                    yield options
            else:
                self._file.complain((MEASURE, name), f"{shown(table)} is not a table; {_HOW}")
        if not planned and not self._file.has_problems:
            self._file.complain((), "nothing in it can be measured")

    def _part(
        self, where: tuple[str, ...], table: Mapping[str, Any], shared: Mapping[str, Any]
    ) -> Iterator[Options]:
        """Yield the part that a table requests, if it can be measured."""
        experiment = self._experiment(where, table)
        declared = {one.name: one for one in EXPERIMENTS[experiment].own} if experiment else {}
        own = self._values(table, {**_OF_TABLES, **declared}, where)
        varied = EXPERIMENTS[experiment].options if experiment else tuple(_OF_TABLES)
        takes = [name for name, one in _OF_TABLES.items() if one.scope in {ALWAYS, SHARED} or name in varied]
        for key in table.keys() & _OF_TABLES.keys():
            if key not in takes:
                self._file.complain((*where, key), f"{experiment} has none; it takes {', '.join(takes)}")
                own.pop(_OF_TABLES[key].attribute, None)
        if isinstance(self.warm_up, int) and "rounds" in own:
            self._file.complain((*where, "rounds"), f"{WARM_UP} already sets it; remove one of them")
        if not experiment:
            return
        fields = {one.attribute for one in _OF_TABLES.values() if one.scope == OWN}
        sizes = {name: own.pop(name) for name in fields & own.keys()}
        options = Options(**{"repeat": 0, **shared, **own, "experiment": experiment, "sizes": sizes})
        options = with_preset(replace(options, hosts=self._hosts, seed=self.seed, warm_up=self.warm_up))
        try:
            make_plan(options)
        except UsageError as error:
            if "subjects" in shared and "subjects" not in own and _could(options):
                self.left_out.append(f"left out: {experiment}, which the plan's platforms cannot do")
            else:
                self._file.complain(where, str(error))
        else:
            yield options

    def _experiment(self, where: tuple[str, ...], table: Mapping[str, Any]) -> str:
        """Return the name of a table's experiment; empty if it has none."""
        if EXPERIMENT not in table:
            self._file.complain(
                where, 'the experiment is missing; add one, such as experiment = "messaging/pairs"'
            )
            return ""
        name = table[EXPERIMENT]
        if not isinstance(name, str) or name not in EXPERIMENTS:
            near = guess(name, EXPERIMENTS) if isinstance(name, str) else ""
            self._file.complain(
                (*where, EXPERIMENT),
                f"{shown(name)} is not an experiment{near or '; list all with: formicary bench list'}",
            )
            return ""
        return name

    def _values(
        self, table: Mapping[str, Any], known: Mapping[str, Parameter], where: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return the values of a table's keys by field, without those that are wrong."""
        found = {}
        for key, value in table.items():
            if one := known.get(key):
                try:
                    found[one.attribute] = _value(one, value)
                except (WrongError, UsageError) as error:
                    self._file.complain((*where, key), str(error))
            elif where and key != EXPERIMENT:
                near = guess(key, [*known, EXPERIMENT]) or f"; choose from {EXPERIMENT}, {', '.join(known)}"
                self._file.complain((*where, key), f"no such key{near}")
        return found


def _value(parameter: Parameter, given: Any) -> Any:
    """Return the value of a key for the options; raises WrongError or UsageError if it is not valid."""
    value = parameter.from_file(given)
    if parameter.name == "platform":
        return subjects_named(value)
    return read_rule(value) if parameter.name == WARM_UP else value


def _could(options: Options) -> bool:
    """Return whether nothing is measured only because a platform is missing."""
    every = tuple(subject.name for subject in subjects() if subject.is_installed())
    try:
        make_plan(replace(options, subjects=every))
    except UsageError:
        return False
    return True
