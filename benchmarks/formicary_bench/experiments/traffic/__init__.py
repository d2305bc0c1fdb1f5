"""Agents that make traffic, over the cores of a machine: Pérez-Carro 2013, Sections 3.2.2 and 4.2 to 4.5.

- `ring`, `massive_reception`, `pool_size`, `speed_up`: the experiments; `plan`: their sizes
- `patterns`: who sends to whom; `agents`: who does; `players`: their processes
- `report`: how it is shown
"""

from __future__ import annotations

from formicary_bench.experiments.experiment import PEREZ_CARRO, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.vocabulary.modes import SYNCHRONOUS
from formicary_bench.vocabulary.placements import SAME

CPU_GROUP = "agents"

AGENTS = (8, 16, 32, 64, 128, 256)
"""How many agents, or senders, there are in the paper."""

SYNCHRONOUSLY = f"formicary-{SYNCHRONOUS}"
"""Our agents, whose behaviours all do one cycle before any does its next."""

_HERE = "formicary_bench.experiments.traffic"
_TEN = 10  # executions of each configuration there
_FEW = 10
_OURS_ALONE = Take(subjects=(OURS,), placements=(SAME,))


def traffic(
    name: str,
    title: str,
    what: str,
    source: str,
    figures: tuple[int, ...],
    *,
    pairs: tuple[int, ...] = AGENTS,
    containers: tuple[int, ...] = (1, 2),
    short: tuple[int, ...] = (2,),
    varies: tuple[str, ...] = (),
    subjects: tuple[str, ...] = (OURS, SYNCHRONOUSLY, "tasks"),
) -> Experiment:
    """Return an experiment of the family.

    Args:
        name: as of `Experiment`, as are title, what, source, pairs, containers and subjects.
        title: as it.
        what: as it.
        source: as it.
        figures: which figures of the paper it repeats; none if empty.
        pairs: as it.
        containers: as it.
        short: numbers of containers of a short run.
        varies: what it varies besides that others of the family do, too.
        subjects: as it.
    """
    return Experiment(
        name=name,
        title=title,
        what=what,
        source=f"Pérez-Carro 2013, {source}",
        repeats=Repeats(PEREZ_CARRO, lambda _: set(figures)) if figures else None,
        varies=("pairs", *varies, "containers", "cores", "payload", "rounds"),
        pairs=pairs,
        payloads=(100,),
        containers=containers,
        placements=(SAME,),
        subjects=subjects,
        exchange=name,
        quick=Preset(pairs=(_FEW,), containers=short, parts=(_OURS_ALONE,)),
        paper=Preset(pairs=pairs, repeat=_TEN),
        plan=Loaded(f"{_HERE}.plan:plan_traffic"),
        played_by=f"{_HERE}.players",
        report=Loaded(f"{_HERE}.report:REPORT"),
    )
