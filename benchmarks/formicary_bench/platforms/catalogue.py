"""Which platforms there are, and what each of them can do."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

SAME, APART = "same-container", "two-containers"
"""The placements: both agents of a pair in one process, or in two."""


@dataclass(frozen=True)
class Subject:
    """Something that is measured.

    Attributes:
        platform: `formicary`, another platform, or a baseline.
        module: where its parts are.
        routes: what carries its messages, by placement.
        kind: of our agents, `behaviours` or `micro`.
        creates: whether it can play a part in `create`.
        package: what must be installed beside us, if anything.
    """

    platform: str
    module: str
    routes: dict[str, str]
    kind: str = ""
    creates: bool = False
    package: str = ""

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return f"{self.platform}-{self.kind}" if self.kind else self.platform

    def is_installed(self) -> bool:
        """Say whether it can be used here."""
        return not self.package or find_spec(self.package) is not None


_HERE = "formicary_bench.platforms."

SUBJECTS = (
    Subject(
        "formicary",
        _HERE + "behaviours",
        {SAME: "in-process", APART: "prosody"},
        kind="behaviours",
        creates=True,
    ),
    Subject("formicary", _HERE + "micro", {SAME: "in-process"}, kind="micro", creates=True),
    Subject("tasks", _HERE + "tasks", {SAME: "in-process"}, creates=True),
    Subject("callbacks", _HERE + "callbacks", {SAME: "in-process"}),
    Subject("tcp", _HERE + "tcp", {APART: "tcp"}),
    Subject("spade", _HERE + "spade", {APART: "prosody"}, package="spade"),
)


def subject_of(platform: str, kind: str) -> Subject:
    """Return the subject of a configuration."""
    return next(subject for subject in SUBJECTS if (subject.platform, subject.kind) == (platform, kind))
