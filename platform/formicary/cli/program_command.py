"""A command that runs a program: separates the command's own options from the program's arguments."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from typer.core import TyperCommand

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLOSE: Final = 0.85  # similarity at which an unknown option is considered a typo, as `--lisen`


class ProgramCommand(TyperCommand):
    """A command that passes arguments to the program in FILE.

    The command's options may also follow FILE. The program's arguments begin at the first argument after FILE
    that is not such an option, or that the program's source mentions; at the latest after `--`.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; the last parameter gets the program's arguments."""
        own, program = self._split(ctx, args)
        return super().parse_args(ctx, [*own, "--", *program] if program else own)

    def _split(self, ctx: Any, args: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the command's own arguments, and FILE with the program's."""
        values = {opt: _value_count(each) for each in self.get_params(ctx) for opt in _spellings(each)}
        own: list[str] = []
        program: list[str] = []
        source = ""
        at = 0
        while at < len(args):
            name, has_value, _ = args[at].partition("=")
            if args[at] == "--":
                return own, [*program, *args[at + 1 :]]
            if name in values:
                end = at + 1 + (0 if has_value else values[name])
                own += args[at:end]
                at = end
            elif program:
                if not _is_named(name, source) and get_close_matches(name, values, cutoff=_CLOSE):
                    own.append(name)  # a typo, which is refused
                return own, [*program, *args[at:]]
            elif name.startswith("-"):  # an unknown option, which is refused
                own.append(args[at])
                at += 1
            else:
                program.append(args[at])
                source = _source(args[at])
                values = {opt: count for opt, count in values.items() if not _is_named(opt, source)}
                at += 1
        return own, program


def _source(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):  # reported when it is run
        return ""


def _is_named(option: str, source: str) -> bool:
    return f'"{option}"' in source or f"'{option}'" in source


def _spellings(parameter: Any) -> list[str]:
    return [each for each in (*parameter.opts, *parameter.secondary_opts) if each.startswith("-")]


def _value_count(parameter: Any) -> int:
    return 0 if parameter.is_flag or parameter.count else 1
