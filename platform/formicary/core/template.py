"""Templates: which messages a behaviour wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary.core.errors import InvalidMessageError
from formicary.core.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

_FIELDS = frozenset(Message.__struct_fields__) - {"metadata"}


class Template:
    """A condition on messages: every value that is given must be equal in the message.

    Compose with `&` (both), `|` (either) and `~` (not). A template without values matches every message. It
    is compiled into one Python expression, so that a match costs a fraction of a microsecond.

    Args:
        values: parameters of `Message`, each with the value to match; `to` also matches one of several
            receivers; `metadata` is a dict of which every entry must be in the message.

    Raises:
        InvalidMessageError: a parameter that messages do not have, or a name that is not full.
    """

    __slots__ = ("_expression", "_values", "_word", "fields", "match", "performative")

    match: Callable[[Message], bool]
    """Tells whether a message fits; a compiled function of one argument."""

    fields: frozenset[str]
    """The parameters that it looks at: of two messages that are equal in these, it takes both or none."""

    performative: str | None
    """The performative that it asks for, if that is all."""

    def __init__(self, **values: Any) -> None:
        unknown = values.keys() - _FIELDS - {"metadata"}
        if unknown:
            raise InvalidMessageError(
                f"a template cannot have {', '.join(sorted(unknown))}; "
                f"messages have {', '.join(sorted(_FIELDS))} and metadata"
            )
        _check_names(values)
        self.fields = frozenset(values)
        only = values.get("performative") if len(values) == 1 else None
        self.performative = only if type(only) is str else None
        terms: list[str] = []
        bound: list[Any] = []
        for field, value in values.items():
            if field == "metadata" and value is not None:
                if value:
                    terms.append("m.metadata is not None")
                for key, wanted in value.items():
                    terms.append(f"m.metadata.get({{{len(bound)}}}) == {{{len(bound) + 1}}}")
                    bound += [key, wanted]
            elif field == "to" and isinstance(value, str):
                terms.append(f"(m.to == {{{len(bound)}}} or {{{len(bound)}}} in m.receivers)")
                bound.append(value)
            else:
                terms.append(f"m.{field} == {{{len(bound)}}}")
                bound.append(value)
        self._compile("and", " and ".join(terms) or "True", bound)

    def _compile(self, word: str, expression: str, values: list[Any]) -> None:
        # The expression holds only our own text and the names v0, v1, ...: no value becomes code.
        self._word = word  # what the expression is joined by, on its outside
        self._expression = expression
        self._values = values
        names = {f"v{index}": value for index, value in enumerate(values)}
        source = expression.format(*names)
        self.match = eval(f"lambda m: {source}", names)  # noqa: S307 -- see above

    @classmethod
    def _composed(cls, word: str, expression: str, values: list[Any], fields: frozenset[str]) -> Template:
        template = cls.__new__(cls)
        template.fields = fields
        template.performative = None
        template._compile(word, expression, values)  # noqa: SLF001 -- one of this class
        return template

    def _joined(self, word: str, other: Template) -> Template:
        shift = len(self._values)
        places = [f"{{{shift + index}}}" for index in range(len(other._values))]
        left, right = self._part_of(word), other._part_of(word).format(*places)
        values, fields = self._values + other._values, self.fields | other.fields
        return Template._composed(word, f"{left} {word} {right}", values, fields)

    def _part_of(self, word: str) -> str:
        # Chains stay flat: Python refuses some hundred nested brackets.
        return self._expression if self._word == word else f"({self._expression})"

    def __and__(self, other: Template) -> Template:
        return self._joined("and", other)

    def __or__(self, other: Template) -> Template:
        return self._joined("or", other)

    def __invert__(self) -> Template:
        return Template._composed("not", f"not ({self._expression})", self._values, self.fields)

    def __repr__(self) -> str:
        return f"<Template {self._expression.format(*map(repr, self._values))}>"


def _check_names(values: dict[str, Any]) -> None:
    """Refuse short names: messages are delivered with full ones, so these would never match."""
    for field in ("to", "sender"):
        value = values.get(field)
        for name in value if isinstance(value, tuple) else (value,):
            host = str(name).partition("/")[0].partition("@")[2]
            if name is not None and host != "localhost" and "." not in host:
                raise InvalidMessageError(
                    f"a template's {field} is a full name, as messages are delivered with, not {name!r}; "
                    "write 'alice@c1.lab.localhost', say"
                )
