"""Groups of commands that load only the module of the typed command."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from formicary.cli.output import complain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType


_Mistake: Any = typer.BadParameter.__bases__[0]  # click's UsageError, which Typer does not export


class LazyCommand(TyperCommand):
    """A command or a group, listed in its parent's help and loaded when used.

    Args:
        name: the typed name.
        place: its function, or the Typer of a group: `package.module:NAME`.
        summary: the first sentence of its help; if a group has none, its module is loaded for the parent's
            help, too.
        epilog: the name, in the same module, of the text below a function's help. If the module has a `KIND`,
            that is the command's class.

    Attributes:
        after_loading: called once the typed command has been loaded, before it runs.
    """

    after_loading: ClassVar[Callable[[], None] | None] = None

    def __init__(self, name: str, place: str, summary: str = "", epilog: str = "EPILOG") -> None:
        super().__init__(name, help=summary)
        self._place = place
        self._epilog = epilog

    def load(self) -> Any:
        """Return a new instance of the command."""
        module, found = self._find()
        if isinstance(found, typer.Typer):
            command: Any = typer.main.get_group(found)
            command.name = self.name
            return command
        alone = typer.Typer(add_completion=False)
        kind = getattr(module, "KIND", TyperCommand)
        alone.command(name=self.name, cls=kind, epilog=getattr(module, self._epilog))(found)
        return typer.main.get_command(alone)

    def complete_help(self) -> None:
        """Fill in a group's summary and panel from its Typer, if it has none yet."""
        if not self.help:
            group = self._find()[1]
            self.help, self.rich_help_panel = group.info.help, group.rich_help_panel

    def _find(self) -> tuple[ModuleType, Any]:
        module_name, _, attribute = self._place.partition(":")
        module = import_module(module_name)
        return module, getattr(module, attribute)

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        """Load the command, and parse its arguments."""
        command = self.load()
        if LazyCommand.after_loading is not None:
            LazyCommand.after_loading()
        return command.make_context(*arguments, **settings)


def in_panel(title: str, *commands: LazyCommand) -> tuple[LazyCommand, ...]:
    """Put commands into a panel of their group's help, and return them."""
    for command in commands:
        command.rich_help_panel = title
    return commands


@contextmanager
def _in_a_sentence() -> Iterator[None]:
    try:
        yield
    except _Mistake as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        from formicary.cli.mistakes import sentence

        complain(sentence(error))
        raise typer.Exit(error.exit_code) from None


class _PlainGroup(TyperGroup):
    """A group that reports errors in the command line as sentences, for itself and its commands."""

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        with _in_a_sentence():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: Any) -> Any:
        with _in_a_sentence():
            return super().invoke(ctx)


def group_of(
    commands: Iterable[LazyCommand], more: Callable[[], Iterable[LazyCommand]] = tuple
) -> type[TyperGroup]:
    """Return a class of groups for a Typer's argument `cls`.

    Args:
        commands: the group's commands, in the order of its help.
        more: returns further commands; called when `commands` does not have the one asked for.
    """
    known = {command.name or "": command for command in commands}

    class Group(_PlainGroup):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            self.commands.update(known)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name not in self.commands:
                self._complete()
            return super().get_command(ctx, cmd_name)

        def list_commands(self, ctx: Any) -> list[str]:
            self._complete()
            for command in self.commands.values():
                if isinstance(command, LazyCommand):
                    command.complete_help()
            return super().list_commands(ctx)

        def _complete(self) -> None:
            for command in more():
                self.commands.setdefault(command.name or "", command)

        def format_help(self, ctx: Any, formatter: Any) -> None:
            del formatter
            from formicary.cli.group_help import show

            show(self, ctx)

    return Group
