"""What a parameter of a run is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

    from formicary_bench.vocabulary.kinds import Kind

_OWN = "the experiment's"

MOST_SEED = 2**32 - 1

VARIED, ALWAYS, SHARED, WHOLE, HOSTS = "varied", "always", "shared", "whole", "hosts"
"""Who has a parameter: experiments that vary it; all; all, and a plan for all of its experiments; a plan and
never one of its experiments; or whoever measures over hosts, which are no part of an experiment."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """Something of a run that can be asked for.

    Attributes:
        name: on the command line and in plans.
        kind: which values it takes.
        field: of options, experiments and what is taken of them; called as the parameter if empty.
        column: of a configuration that has its value; none if empty.
        unit: what so many of it are, where it is a number.
        panel: in which part of the help it is; its module's.
        metavar: what stands for a value there.
        help: what it says there.
        default: what is taken there if it is not given.
        comment: what it says in a new plan.
        example: a value, as in TOML.
        scope: who has it.
    """

    name: str
    kind: Kind
    field: str = ""
    column: str = ""
    unit: str = ""
    panel: str = ""
    metavar: str = ""
    help: str
    default: str = _OWN
    comment: str
    example: Any
    scope: str = VARIED

    @property
    def option(self) -> str:
        """The option of the command line."""
        return f"--{self.name}"

    @property
    def keyword(self) -> str:
        """The name that code has for it."""
        return self.name.replace("-", "_")

    @property
    def attribute(self) -> str:
        """The field of options, experiments and what is taken of them."""
        return self.field or self.keyword

    def is_of(self, varies: Collection[str]) -> bool:
        """Say whether an experiment has it that varies these."""
        return self.scope in {ALWAYS, SHARED} or self.name in varies

    def from_words(self, text: str) -> Any:
        """Return the value of what was typed; raises UsageError if there is none."""
        example = self.example[0] if self.kind.several else self.example
        return self.kind.from_words(self.option, text, self.kind.word(self.kind.one(example)))

    def from_file(self, given: Any) -> Any:
        """Return the value of what a plan has; raises WrongError if there is none."""
        return self.kind.from_file(given, f"{self.name} = {self.toml()}")

    def toml(self, values: Any = None) -> str:
        """Return values, or the example, as TOML."""
        return json.dumps(self.example if values is None else values)

    def typed(self, value: Any) -> str:
        """Return the option with a value, as it is typed."""
        return f"{self.option} {self.kind.word(value)}"

    def for_manifest(self, value: Any) -> Any:
        """Return a value as manifests have it."""
        if isinstance(value, tuple):
            return [self.for_manifest(one) for one in value]
        return self.kind.word(value) if self.kind.has_words else value
