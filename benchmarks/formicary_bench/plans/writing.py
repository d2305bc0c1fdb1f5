"""Write new plans: commented files to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary.core.files import output_file
from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS, with_scope
from formicary_bench.files.refusals import writing
from formicary_bench.vocabulary.kinds import unknown
from formicary_bench.vocabulary.names import EVERYTHING
from formicary_bench.vocabulary.parameters import ALWAYS, HOSTS, SHARED, VARIED, WHOLE
from formicary_bench.vocabulary.places import HOSTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from formicary_bench.experiments.experiment import Experiment
    from formicary_bench.vocabulary.parameters import Parameter

_DEPEND = {"spread", "tls"}  # on where it is measured
_TOP = """\
# What a run measures.
#
#   formicary bench plan check {path}
#   formicary bench run --plan {path} --dry-run
#   formicary bench run --plan {path}
#
# Commented keys show defaults, or an example where the default depends on something else.
# These apply to all tables below that do not override them.
"""


def write(path: Path, names: Sequence[str]) -> list[str]:
    """Write a new plan, and return the names of its experiments.

    Args:
        path: the file; never overwritten.
        names: the experiments; all that need no hosts if empty.

    Raises:
        UsageError: an experiment does not exist, or the file does.
        FormicaryError: it cannot be written.
    """
    for name in names:
        if name not in {*EXPERIMENTS, EVERYTHING}:
            raise UsageError(unknown("experiment", name, EXPERIMENTS))
    everything = not names or EVERYTHING in names
    chosen = [one for one in EXPERIMENTS.values() if (_is_local(one) if everything else one.name in names)]
    if path.exists():
        raise UsageError(f"{path} already exists and is not overwritten: choose another file, or remove it")
    with writing(path, "choose another file"), output_file(path) as temporary:
        temporary.write_text("\n".join(_lines(path, chosen)) + "\n", encoding="utf-8", newline="\n")
    return [one.name for one in chosen]


def _is_local(experiment: Experiment) -> bool:
    return not set(experiment.placements) <= set(HOSTED)


def _lines(path: Path, chosen: Sequence[Experiment]) -> Iterator[str]:
    yield from _TOP.format(path=path).splitlines()
    for name, parameter in with_scope(SHARED, WHOLE, HOSTS).items():
        mark = "" if name == "preset" else "# "
        yield f"{mark}{name} = {parameter.toml()}  # {parameter.remark}"
    for one in chosen:
        yield ""
        yield f"[measure.{one.name.replace('/', '-')}]  # {one.what}; {one.source}"
        yield f'experiment = "{one.name}"'
        for parameter in (*one.own, *with_scope(VARIED, ALWAYS).values()):
            if parameter.scope != VARIED or parameter.name in one.varies:
                yield f"# {parameter.name} = {parameter.toml(_usual(one, parameter))}  # {parameter.remark}"


def _usual(one: Experiment, parameter: Parameter) -> list[Any] | None:
    """Return an experiment's default for a parameter, as TOML; None if that depends."""
    found = {**vars(one), **one.sizes}.get(parameter.attribute)
    if not isinstance(found, tuple) or parameter.name in _DEPEND:
        return None
    values = [value for value in found if value not in HOSTED and value != parameter.absent]
    return parameter.for_manifest(tuple(values)) if values else None
