"""The declaration of a parameter, and of the own parameters of an experiment."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, Self, get_type_hints

import msgspec

if TYPE_CHECKING:
    from formicary_bench.vocabulary.kinds import Kind


class HasParameters(Protocol):
    """A configuration or a row: anything with values of parameters."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The values by field."""


_USUAL = "the experiment's"

MOST_SEED = 2**32 - 1

OWN, VARIED, ALWAYS, SHARED, WHOLE, HOSTS = "own", "varied", "always", "shared", "whole", "hosts"
"""The scopes of parameters: experiments that declare it; experiments that vary it; all experiments; all, and
a plan for all of its experiments; a whole plan only; or measurements over hosts, which are not part of an
experiment."""

HOW_MUCH = "Workload"
"""The panel of the help with the experiments' parameters."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of a run.

    Attributes:
        name: its name on the command line and in plans.
        kind: the kind of its values.
        field: its field in `Options` or in the parameters of a configuration; its name if empty.
        unit: the unit of its values, if they are numbers.
        elsewhere: the unit for other platforms, if it differs.
        panel: the panel of the help that it is in.
        metavar: the placeholder of a value in the help.
        help: its help.
        default: the default shown in the help.
        comment: its comment in a new plan; the help if empty.
        example: a value, as in TOML.
        scope: which experiments have it.
        column: its heading in tables; the unit or the name if empty.
        in_label: whether each of its values makes a series of its own, rather than a point of one.
        usual: the value that labels omit.
        is_layout: whether it lays out agents; baselines, which have none, are compared with all its values.
        base: the value that all others are compared with.
        few: its largest value in the preset `quick`.
        absent: the value that stands for its absence.
    """

    name: str
    kind: Kind
    field: str = ""
    unit: str = ""
    elsewhere: str = ""
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
        return f"--{self.name}"

    @property
    def keyword(self) -> str:
        """Its name in code."""
        return self.name.replace("-", "_")

    @property
    def attribute(self) -> str:
        """Its field in options or in the parameters of a configuration."""
        return self.field or self.keyword

    @property
    def heading(self) -> str:
        return self.column or self.unit or self.name

    @property
    def remark(self) -> str:
        """Its comment in a new plan."""
        return self.comment or self.help[0].lower() + self.help[1:].rstrip(".")

    def from_words(self, text: str) -> Any:
        """Return the value typed on the command line; raises UsageError if it is invalid."""
        example = self.example[0] if self.kind.several else self.example
        return self.kind.from_words(self.option, text, self.kind.word(self.kind.one(example)))

    def from_file(self, given: Any) -> Any:
        """Return the value given in a plan; raises WrongError if it is invalid."""
        return self.kind.from_file(given, f"{self.name} = {self.toml()}")

    def toml(self, values: Any = None) -> str:
        """Return values, or the example, as TOML."""
        return json.dumps(self.example if values is None else values)

    def typed(self, value: Any) -> str:
        """Return the option with a value, as typed on the command line."""
        return f"{self.option} {self.kind.word(value)}"

    def said(self, value: Any) -> str:
        if not self.unit:
            return self.kind.word(value)
        unit = self.unit.removesuffix("s") if value == 1 and "/" not in self.unit else self.unit
        return f"{value} {unit}"

    def for_manifest(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return [self.for_manifest(one) for one in value]
        return self.kind.word(value) if self.kind.has_words else value


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """The own parameters of an experiment: a subclass has a field for each.

    A field is annotated with its `Parameter`. A field without one follows from the others, or is the same
    everywhere.
    """

    @classmethod
    def of(cls, configuration: HasParameters) -> Self:
        """Return these parameters of a configuration; those it lacks have their defaults.

        Raises:
            msgspec.ValidationError: one of them has the wrong type.
        """
        return msgspec.convert(configuration.parameters, cls)


@cache
def declared_by(parameters: type[Parameters]) -> tuple[Parameter, ...]:
    """Return the parameters that a class declares, in order, those of its base classes first."""
    return tuple(
        replace(one, field=field, scope=OWN)
        for field, hint in get_type_hints(parameters, include_extras=True).items()
        for one in getattr(hint, "__metadata__", ())
        if isinstance(one, Parameter)
    )


@cache
def fixed_by(parameters: type[Parameters]) -> dict[str, Any]:
    """Return the fields that are the same everywhere, with their values."""
    asked = {one.attribute for one in declared_by(parameters)}
    fields = msgspec.structs.fields(parameters)
    return {
        one.name: one.default
        for one in fields
        if one.name not in asked and one.default not in {0, "", (0, 0, 0)}
    }
