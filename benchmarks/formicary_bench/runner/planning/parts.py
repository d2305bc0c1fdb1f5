"""Which parts of which experiments a run takes. Pure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import Take
from formicary_bench.experiments.messaging import A_MESSAGE
from formicary_bench.experiments.presets import preset_of
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import SELECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.experiments.experiment import Experiment, Part
    from formicary_bench.runner.planning.options import Options


def parts_of(options: Options) -> Iterator[Part]:
    """Give the parts of experiments that a run takes."""
    if options.experiment in SELECTIONS:
        for part in SELECTIONS[options.experiment].parts:
            yield from _sized(part, options)
        return
    one = EXPERIMENTS[options.experiment]
    if one.takes:
        takes = one.takes.load()(options)
    else:
        takes = preset_of(one, options.preset).parts if options.preset else ()
    yield from (_freed(take.of(one), options) for take in takes or (_whole(one),))
    if one.beside:
        yield from one.beside.load()(one, options)


def _whole(one: Experiment) -> Take:
    return Take(subjects=one.subjects, placements=one.placements, carriers=one.carriers)


def _sized(part: Part, options: Options) -> Iterator[Part]:
    """Give a part of a selection in the sizes of the preset, if there is one.

    Where the selection names no subjects, they and the places are those of the preset, too.
    """
    if not options.preset or part == A_MESSAGE.of(part.experiment):
        yield part
        return
    preset = preset_of(part.experiment, options.preset)
    parts = [take.of(part.experiment) for take in preset.parts if not part.subjects] or [part]
    for one in parts:
        yield dataclasses.replace(_freed(one, options), sizes={**one.sizes, **preset.sizes})


def _freed(part: Part, options: Options) -> Part:
    """Return a part of a preset, which does not limit what somebody has named."""
    if options.subjects is not None:
        part = dataclasses.replace(part, subjects=())
    if options.subjects or options.placements or options.spreads or options.routes or options.tls:
        part = dataclasses.replace(part, placements=part.experiment.placements)
    return part
