"""Explains errors in the command line in a sentence, where Typer would print a box."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

# The expected kind of value, by the prefix of pydantic's error type.
_KINDS = {"int_": "a whole number", "float_": "a number", "bool_": "yes or no", "finite_": "a number"}
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


def sentence(error: Any) -> str:
    """Return the sentence for an error, whose class is recognized by name, since Typer does not export it."""
    command = error.ctx.command_path if error.ctx is not None else "formicary"
    message, more = error.message.rstrip("."), f": see `{command} -h`"
    kind = type(error).__name__
    if kind == "BadParameter":
        said, more = _about_value(_name_of(error.param), error), ""
    elif kind == "BadOptionUsage":
        said, more = f"{error.option_name} {'takes no' if 'not take' in message else 'needs a'} value", ""
    elif kind == "MissingParameter":
        said = f"`{command}` needs {_name_of(error.param)}"
    elif kind == "NoSuchOption":
        said = f"`{command}` has no option {error.option_name}"
        if near := get_close_matches(error.option_name, error.possibilities or (), n=1, cutoff=0.5):
            more = f"; did you mean {near[0]}?"
    elif message.startswith("No such command "):
        name, mark, meant = message.removeprefix("No such command ").partition(". Did you mean ")
        said = f"`{command}` has no command {name}"
        if mark:
            more = f"; did you mean {meant}"
    elif message.startswith("Got unexpected extra argument"):
        rest = message.partition(" (")[2].removesuffix(")")
        said = f"unexpected argument for `{command}`: {rest!r}"
    else:
        said = f"`{command}`: {message[:1].lower()}{message[1:]}"
    return said + more


def _name_of(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    return str(parameter.opts[-1])


def _about_value(name: str, error: Any) -> str:
    found: list[Any] = getattr(error.__cause__, "errors", list)()
    if not found:
        return f"{name}: {error.message.rstrip('.')}"
    kind, given = found[0]["type"], found[0]["input"]
    said = found[0]["msg"].removeprefix("Value error, ").rstrip(".")
    wanted = next((what for begin, what in _KINDS.items() if kind.startswith(begin)), None)
    if kind in _BOUNDS:
        words, key = _BOUNDS[kind]
        wanted = f"{words} {found[0]['ctx'][key]:g}"
    elif " is not one of " in said:
        wanted = f"one of {said.partition(' is not one of ')[2]}"
    return (
        f"{name} cannot be {given!r}: {said}" if wanted is None else f"{name} must be {wanted}, not {given!r}"
    )
