"""Which parts of which experiments a run takes. Pure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from formicary_bench.experiments import encryption
from formicary_bench.experiments.catalogue import ENCRYPTION, EXPERIMENTS, GROWTH, MEMORY, PAIRS, Part
from formicary_bench.experiments.directory.selection import A_MESSAGE
from formicary_bench.experiments.presets.presets import QUICK, sizes_of
from formicary_bench.experiments.selections.registry import SELECTIONS
from formicary_bench.vocabulary.names import DIRECTORY, is_cpu
from formicary_bench.vocabulary.placements import N_HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.experiments.catalogue import Experiment
    from formicary_bench.runner.planning.options import Options

_EXPERIMENTS = {experiment.name: experiment for experiment in EXPERIMENTS}


def parts_of(options: Options) -> Iterator[Part]:
    """Give the parts of experiments that a run takes."""
    if options.experiment in SELECTIONS:
        for part in SELECTIONS[options.experiment].parts:
            yield from _sized(part, options)
        return
    one = _EXPERIMENTS[options.experiment]
    parts = sizes_of(one, options.preset).parts if options.preset else ()
    if one is ENCRYPTION and options.preset != QUICK:
        has = {"has_pairs": options.pairs is not None, "has_payloads": options.payloads is not None}
        parts = encryption.chosen(parts or encryption.PARTS, **has)
    parts = parts or (_whole(one),)
    yield from (_freed(part, options) for part in parts)
    if one is MEMORY and options.growth:
        yield Part(GROWTH, loads=GROWTH.loads, payloads=GROWTH.payloads, placements=GROWTH.placements)
    if one.family == DIRECTORY and not is_cpu(one.name):
        beside = tuple(placement for placement in one.placements if placement != N_HOSTS)
        yield Part(PAIRS, A_MESSAGE.subjects, A_MESSAGE.loads, placements=beside)


def _whole(one: Experiment) -> Part:
    return Part(
        one,
        one.subjects,
        loads=one.loads,
        payloads=one.payloads,
        agents=one.agents,
        services=one.services,
        containers=one.containers,
        placements=one.placements,
        carriers=one.carriers,
    )


def _sized(part: Part, options: Options) -> Iterator[Part]:
    """Give a part of a selection in the sizes of the preset, if there is one.

    Where the selection names no subjects, they and the places are those of the preset, too.
    """
    if not options.preset or part is A_MESSAGE:
        yield part
        return
    sizes = sizes_of(part.experiment, options.preset)
    chosen = () if part.subjects else sizes.parts
    yield from (sizes.of(_freed(one, options)) for one in chosen or (part,))


def _freed(part: Part, options: Options) -> Part:
    """Return a part of a preset, which does not limit what somebody has named."""
    if options.subjects is not None:
        part = dataclasses.replace(part, subjects=part.experiment.subjects)
    if options.subjects or options.placements or options.spreads or options.routes or options.tls:
        part = dataclasses.replace(part, placements=part.experiment.placements)
    return part
