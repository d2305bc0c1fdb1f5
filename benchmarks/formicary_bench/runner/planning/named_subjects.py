"""Which subjects are named: a platform's name stands for all of its kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.registry import subjects
from formicary_bench.vocabulary.kinds import unknown

if TYPE_CHECKING:
    from collections.abc import Sequence


def subjects_named(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the subjects that are meant; `formicary` means all kinds of our agents.

    Raises:
        UsageError: there is none of a name, or it is not installed.
    """
    every = subjects()
    known = {subject.name: subject for subject in every}
    families = {subject.platform for subject in every} - set(known)
    for name in names:
        if name not in {*families, *known, *RECIPES}:
            raise UsageError(unknown("platform", name, [*families, *known, *RECIPES]))
        if name in RECIPES and name not in known:
            raise UsageError(f"{name} is not installed; {RECIPES[name].how_to_install}")
    chosen = [s for s in every if s.name in names or (s.platform in names and not s.hidden)]
    for subject in chosen:
        if not subject.is_installed():
            raise UsageError(
                f"{subject.name} is not installed; install it with: "
                f"pip install 'formicary[{subject.extra or subject.package}]'"
            )
    return tuple(subject.name for subject in chosen)
