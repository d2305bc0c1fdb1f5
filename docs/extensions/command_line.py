"""Writes what `--help` says into the page about the commands, at each line `<!-- help: COMMAND -->`."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import typer.main

from formicary import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACE = re.compile(r"^<!-- help: (formicary[\w -]*) -->$", re.MULTILINE)
_MARKUP = re.compile(r"(?<!\\)\[/?(bold|dim|italic)\]")
_OPTION = re.compile(r"(`[^`]*`)|(?<![\w-])(--[a-z][\w-]*)")
_COMMON = {"--account", "--account-server", "--as", "--insecure", "--join", "--main", "--tls"} | {
    "--password-file",
    "--platform",
    "--server",
}


@cache
def leaves() -> tuple[tuple[str, Any], ...]:
    """Give each command that does something, with its full name."""
    return tuple(_leaves("formicary", typer.main.get_command(cli.app)))


def _leaves(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    command = command.load() if hasattr(command, "load") else command
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name in command.list_commands(None):
        yield from _leaves(f"{path} {name}", command.get_command(None, name))


def helped(name: str) -> str:
    """Return the help of a command, and of those below it, in Markdown."""
    found = [(path, command) for path, command in leaves() if path == name or path.startswith(f"{name} ")]
    return "\n\n".join(_part(path, command, with_title=path != name) for path, command in found)


def _part(path: str, command: Any, *, with_title: bool) -> str:
    parts = [f"### {path}"] if with_title else []
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    typed = " ".join([path, *map(_typed, arguments), *(["[OPTIONS]"] if options else [])])
    parts += [f"```\n{typed}\n```", _text(command.help or "")]
    asks = any("--as" in each.opts for each in options)  # a platform that runs
    rows = [
        f"| {_names(each)} | {_cell(each)} |"
        for each in [*arguments, *options]
        if each.name != "help" and not (asks and _COMMON.intersection(each.opts))
    ]
    if asks:
        rows.append("| `--join`, `--server`, ... | Which [platform](#a-running-platform). |")
    if rows:
        parts.append("\n".join(["| | |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def _typed(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()).strip("[].")
    name += "..." if argument.nargs != 1 else ""
    return name if argument.required else f"[{name}]"


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_typed(parameter).strip('[]')}`"
    return ", ".join(f"`{each}`" for each in [*parameter.opts, *parameter.secondary_opts])


def _cell(parameter: Any) -> str:
    text = " ".join(_text(parameter.help or "").split()).replace("|", "\\|")
    default = parameter.default
    if isinstance(default, bool) or default is None or default in ("", ()) or callable(default):
        return text
    return f"{text} By default `{getattr(default, 'value', default)}`."


def _text(marked: str) -> str:
    plain = _MARKUP.sub("", inspect.cleandoc(marked)).replace("\\[", "[").replace("\b", "")
    return _OPTION.sub(lambda found: found[1] or f"`{found[2]}`", plain)


def _fill_in(_: Any, __: str, source: list[str]) -> None:
    source[0] = PLACE.sub(lambda found: helped(found[1]), source[0])


def setup(app: Any) -> dict[str, bool]:
    """Have Sphinx fill the page in."""
    app.connect("source-read", _fill_in)
    return {"parallel_read_safe": True}
