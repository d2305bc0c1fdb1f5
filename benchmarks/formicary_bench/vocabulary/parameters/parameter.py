"""What a parameter of a run is, and how an experiment declares those of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, Self, get_type_hints

import msgspec

if TYPE_CHECKING:
    from formicary_bench.vocabulary.kinds import Kind


class HasParameters(Protocol):
    """A configuration, or a row: whatever has values of parameters."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The values, by the fields of the parameters."""


_USUAL = "the experiment's"

MOST_SEED = 2**32 - 1

OWN, VARIED, ALWAYS, SHARED, WHOLE, HOSTS = "own", "varied", "always", "shared", "whole", "hosts"
"""Who has a parameter: experiments that declare it; experiments that vary it; all; all, and a plan for all of
its experiments; a plan and never one of its experiments; or whoever measures over hosts, which are no part of
an experiment."""

HOW_MUCH = "Workload"
"""The part of the help that has the parameters of experiments."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """Something of a run that can be asked for.

    Attributes:
        name: on the command line and in plans.
        kind: which values it takes.
        field: of `Options` that has it, or of the parameters of a configuration; called as it if empty.
        unit: what so many of it are, where it is a number.
        panel: in which part of the help it is.
        metavar: what stands for a value there.
        help: what it says there.
        default: what is taken there if it is not given.
        comment: what it says in a new plan; as in the help if empty.
        example: a value, as in TOML.
        scope: who has it.
        column: its heading in tables; the unit, or the name, if empty.
        in_label: whether each of its values makes a series of its own, and not a point of one.
        usual: the value that labels omit.
        is_layout: whether it says how agents are laid out: baselines, which have none, are held against all.
        base: the value that all others are held against.
        few: how large it is at most in the preset `quick`, of an experiment's own values.
        absent: the value that stands for its not being there.
    """

    name: str
    kind: Kind
    field: str = ""
    unit: str = ""
    panel: str = HOW_MUCH
    metavar: str = "N,..."
    help: str
    default: str = _USUAL
    comment: str = ""
    example: Any
    scope: str = VARIED
    column: str = ""
    in_label: bool = False
    usual: Any = None
    is_layout: bool = False
    base: Any = None
    few: int = 0
    absent: Any = None

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
        """The field of options, or of the parameters of a configuration."""
        return self.field or self.keyword

    @property
    def heading(self) -> str:
        """What it is called in tables."""
        return self.column or self.unit or self.name

    @property
    def remark(self) -> str:
        """What it says in a new plan."""
        return self.comment or self.help[0].lower() + self.help[1:].rstrip(".")

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

    def said(self, value: Any) -> str:
        """Format a value with its unit."""
        if not self.unit:
            return self.kind.word(value)
        unit = self.unit.removesuffix("s") if value == 1 and "/" not in self.unit else self.unit
        return f"{value} {unit}"

    def for_manifest(self, value: Any) -> Any:
        """Return a value as manifests have it."""
        if isinstance(value, tuple):
            return [self.for_manifest(one) for one in value]
        return self.kind.word(value) if self.kind.has_words else value


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """What an experiment measures so much of: a subclass has a field for each parameter of its own.

    A field is annotated with the `Parameter` that asks for it. One that is not follows from the others, or is
    the same everywhere: as it is declared.
    """

    @classmethod
    def of(cls, configuration: HasParameters) -> Self:
        """Return what a configuration has of these; what it does not have is as declared.

        Raises:
            msgspec.ValidationError: One of them is of another type.
        """
        return msgspec.convert(configuration.parameters, cls)


@cache
def declared_by(parameters: type[Parameters]) -> tuple[Parameter, ...]:
    """Return the parameters that a class declares, in its order, those of its base classes first."""
    return tuple(
        replace(one, field=field, scope=OWN)
        for field, hint in get_type_hints(parameters, include_extras=True).items()
        for one in getattr(hint, "__metadata__", ())
        if isinstance(one, Parameter)
    )


@cache
def fixed_by(parameters: type[Parameters]) -> dict[str, Any]:
    """Return what is the same everywhere: the fields with a value that nobody can ask for."""
    asked = {one.attribute for one in declared_by(parameters)}
    fields = msgspec.structs.fields(parameters)
    return {
        one.name: one.default
        for one in fields
        if one.name not in asked and one.default not in {0, "", (0, 0, 0)}
    }
