"""All subjects: those that come with the laboratory, and other platforms with a driver on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.subjects.baselines import catalogue as baselines
from formicary_bench.subjects.drivers.catalogue import driven
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.ours import catalogue as ours
from formicary_bench.subjects.variants import catalogue as variants

if TYPE_CHECKING:
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration

SUBJECTS = (*ours.SUBJECTS, *variants.SUBJECTS, *baselines.SUBJECTS)
"""All that come with the laboratory; `subjects` has those with a driver as well."""

_KNOWN = {(subject.platform, subject.kind): subject for subject in SUBJECTS}


def subjects() -> tuple[Subject, ...]:
    """Return all that can be measured: what comes with the laboratory, and what has a driver here."""
    return (*SUBJECTS, *driven())


def subject_of(platform: str, kind: str) -> Subject:
    """Return the subject of a configuration.

    Raises:
        UsageError: there is none here; its driver has been removed, say.
    """
    subject = _KNOWN.get((platform, kind)) or next((one for one in driven() if one.name == platform), None)
    if subject is None:
        raise UsageError(f"the platform {platform} is not installed here; see: formicary bench platforms")
    return subject


def has_driver(configuration: Configuration) -> bool:
    """Say whether a configuration's platform has a driver, installed or not: it is none of `SUBJECTS`."""
    return (configuration.platform, configuration.kind) not in _KNOWN


def label_of(platform: str, kind: str) -> str:
    """Return what charts and tables call a subject, installed or not; empty if it is not known."""
    if platform in RECIPES:
        return RECIPES[platform].label
    return _KNOWN[platform, kind].label if (platform, kind) in _KNOWN else ""
