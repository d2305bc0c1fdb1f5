"""Templates, which select the messages that a behaviour receives."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from formicary.core.errors import InvalidMessageError
from formicary.core.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Tree: TypeAlias = "dict[str, Any] | tuple[str, list[Tree]]"

_LONGEST = 100  # characters of a performative that are compared

_FIELDS = frozenset(Message.__struct_fields__) - {"metadata"}


class Template:
    """A condition on messages: each value must be equal to the message's.

    Combine templates with `&` (and), `|` (or) and `~` (not). A template without values matches every message.
    It is compiled into one Python expression, so that a match takes a fraction of a microsecond.

    Args:
        values: the values to match, by parameter of `Message`. `to` also matches one of several receivers;
            `metadata` is a dict whose entries must all be in the message's.

    Raises:
        InvalidMessageError: messages have no such parameter, or a name is not a full name.
    """

    __slots__ = ("fields", "match", "performative", "tree")

    match: Callable[[Message], bool]
    """Returns whether a message matches; a compiled function of one argument."""

    fields: frozenset[str]
    """The parameters that it looks at: of two messages with equal values, it matches both or neither."""

    performative: str | None
    """The performative to match, if that is the only condition."""

    tree: Tree
    """Its structure: its values, or `"and"`, `"or"` or `"not"` with the trees of others."""

    def __init__(self, **values: Any) -> None:
        unknown = values.keys() - _FIELDS - {"metadata"}
        if unknown:
            raise InvalidMessageError(
                f"a template cannot match {', '.join(sorted(unknown))}; messages have "
                f"{', '.join(sorted(_FIELDS))} and metadata"
            )
        _check_names(values)
        self.fields = frozenset(values)
        only = values.get("performative") if len(values) == 1 else None
        self.performative = only if type(only) is str else None
        if values.get("metadata") is not None:
            values["metadata"] = dict(values["metadata"])
        self.tree = values
        self._compile()

    def _compile(self) -> None:
        # The expression holds only our own text and the names v0, v1, ...: no value becomes code.
        values: dict[str, Any] = {}

        def name(value: Any) -> str:
            values[f"v{len(values)}"] = value
            return f"v{len(values) - 1}"

        self.match = eval(f"lambda m: {_expression(self.tree, name)}", values)  # noqa: S307 -- see above

    def _joined(self, word: str, *others: Template) -> Template:
        parts: list[Tree] = []
        for template in (self, *others):
            match template.tree:
                case (str(own), list(inner)) if own == word != "not":
                    parts += inner  # chains stay flat: Python refuses some hundred nested brackets
                case tree:
                    parts.append(tree)
        template = Template.__new__(Template)
        template.fields = frozenset().union(*(each.fields for each in (self, *others)))
        template.performative = None
        template.tree = (word, parts)
        template._compile()  # noqa: SLF001 -- one of this class
        return template

    def __and__(self, other: Template) -> Template:
        return self._joined("and", other)

    def __or__(self, other: Template) -> Template:
        return self._joined("or", other)

    def __invert__(self) -> Template:
        return self._joined("not")

    def __repr__(self) -> str:
        return f"<Template {_expression(self.tree, repr)}>"


def _expression(tree: Tree, name: Callable[[Any], str], within: str = "") -> str:
    """Return the Python expression of a tree.

    Args:
        tree: the tree.
        name: returns how a value is written.
        within: the word of the surrounding expression; the result is bracketed if it differs.
    """
    if isinstance(tree, dict):
        word, terms = "and", _terms(tree, name)
    else:
        word = tree[0]
        terms = [_expression(part, name, word) for part in tree[1]]
    text = f"not {terms[0]}" if word == "not" else f" {word} ".join(terms) or "True"
    return f"({text})" if within not in {"", word} or within == "not" else text


def _terms(values: dict[str, Any], name: Callable[[Any], str]) -> list[str]:
    terms: list[str] = []
    for field, value in values.items():
        if field == "metadata" and value is not None:
            if value:
                terms.append("m.metadata is not None")
            terms += [f"m.metadata.get({name(key)}) == {name(wanted)}" for key, wanted in value.items()]
        elif field == "to" and isinstance(value, str):
            written = name(value)
            terms.append(f"(m.to == {written} or {written} in m.receivers)")
        else:
            terms.append(f"m.{field} == {name(value)}")
    return terms


def did_you_mean(performative: str | None, templates: Iterable[Template | None]) -> str:
    """Return a hint, as the rest of a sentence, if a template wants a similar performative."""
    wanted = set().union(*(_performatives(each.tree) for each in templates if type(each) is Template))
    return _nearest(performative, frozenset(wanted)) if performative and performative not in wanted else ""


def _performatives(tree: Tree) -> set[str]:
    if isinstance(tree, dict):
        wanted = tree.get("performative")
        return {wanted} if isinstance(wanted, str) else set()
    return set().union(*map(_performatives, tree[1]))


@lru_cache(maxsize=100)  # a misspelt performative is usually sent repeatedly
def _nearest(performative: str, wanted: frozenset[str]) -> str:
    from difflib import get_close_matches

    by_lower = {each.lower(): each for each in wanted}
    near = get_close_matches(performative[:_LONGEST].lower(), by_lower, n=1)
    return f": its performative is {performative!r}, did you mean {by_lower[near[0]]!r}?" if near else ""


def _check_names(values: dict[str, Any]) -> None:
    """Refuse short names: messages are delivered with full ones, so these would never match."""
    for field in ("to", "sender"):
        value = values.get(field)
        for name in value if isinstance(value, tuple) else (value,):
            host = str(name).partition("/")[0].partition("@")[2]
            if name is not None and host != "localhost" and "." not in host:
                raise InvalidMessageError(
                    f"a template's {field} must be a full name, not {name!r}; write "
                    "'alice@c1.lab.localhost', for example"
                )
