"""A student's program: loaded, or a sentence about why not; and the line in which it broke."""

from __future__ import annotations

import ast
import difflib
import linecache
import logging
import re
import sys
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from formicary.children.script import find_own_loop
from formicary.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import FrameType, TracebackType


_PLACE = re.compile(r"\((?P<file>[^()]+\.py):(?P<line>\d+), in [^()]*\)$")


class Broken(FormicaryError):  # noqa: N818 -- what must hold is broken, as a promise is
    """Something that must hold in a scenario does not.

    Args:
        sentence: what is wrong.
        about: the names of the agents whose messages show it; all if empty.
        conversation: the conversation that shows it; all if empty.
    """

    def __init__(self, sentence: str, *, about: Iterable[str] = (), conversation: str = "") -> None:
        super().__init__(sentence)
        self.about = tuple(about)
        self.conversation = conversation


def quoted(path: Path, line: int) -> str:
    """Return a line of a program for a sentence: `program.py, line 7: x = int(body)`."""
    code = linecache.getline(str(path), line).strip()
    return f"{path.name}, line {line}: {code}" if code else f"{path.name}, line {line}"


def line_of_error(error: BaseException, path: Path) -> int | None:
    """Return the innermost line of a program that an exception came through; None if it is not from there."""
    lines = [line for file, line in _trace(error.__traceback__) if file == str(path)]
    return lines[-1] if lines else None


def running_line(path: Path, frame: FrameType | None) -> int | None:
    """Return the line of a program that a thread is running; None if it runs none."""
    frames = [frame, *sys._current_frames().values()]  # noqa: SLF001 -- documented, and there is no other way
    for innermost in frames:
        each = innermost
        while each is not None:
            if each.f_code.co_filename == str(path):
                return each.f_lineno
            each = each.f_back
    return None


def with_code(failure: str, path: Path) -> str:
    """Append the source line that an agent's failure names.

    Args:
        failure: such as `ping/Ask: ValueError: ... (program.py:12, in run)`.
        path: the program.
    """
    found = _PLACE.search(failure)
    if found is None or found["file"] != path.name:
        return failure
    return f"{failure[: found.start()].rstrip()} ({quoted(path, int(found['line']))})"


def what_failed(error: BaseException, path: Path) -> str:
    """Return an exception's message, and the line of a program that it came through."""
    line = line_of_error(error, path)
    where = f" ({quoted(path, line)})" if line else ""
    if isinstance(error, Broken):
        return str(error)
    if isinstance(error, SystemExit):
        return f"the program ends its process with sys.exit(){where}; end agents with stop()"
    own = "" if line else " while your program was checked"
    return f"{type(error).__name__}: {error}{own}{where}"


def _trace(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next


@contextmanager
def unlogged() -> Iterator[None]:
    """Silence the log: outcomes say what a program does to containers."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)


FILE = "program.py"
"""The name of a student's program."""

MODULE = "program"
"""Its `__name__` while it is checked; not `__main__`, so that its own main program does not run."""


class Program:
    """A student's program, whose names are attributes."""

    def __init__(self, module: ModuleType, path: Path) -> None:
        self._module = module
        self.path = path

    def __getattr__(self, name: str) -> Any:
        """Return the object with this name in the program.

        Raises:
            Broken: there is none.
        """
        try:
            return getattr(self._module, name)
        except AttributeError:
            own = [each for each, value in vars(self._module).items() if _is_own(value)]
            close = difflib.get_close_matches(name, own, 1, 0.5)
            meant = f"; did you mean {close[0]}?" if close else ""
            raise Broken(f"{self.path.name} has no {name}, which the lab needs{meant}") from None

    def put(self, name: str, value: object) -> None:
        """Replace the object with this name in the program."""
        setattr(self._module, name, value)

    def make(self, kind: str, *arguments: Any) -> Any:
        """Create an object of one of its classes.

        Raises:
            Broken: there is no such class, it takes other arguments, or it raises an exception.
        """
        try:
            return getattr(self, kind)(*arguments)
        except (FormicaryError, SystemExit):
            raise
        except Exception as error:
            called = f"{kind}({', '.join(map(repr, arguments))})"
            line = line_of_error(error, self.path)
            where = f" ({quoted(self.path, line)})" if line else ""
            raise Broken(f"{called} cannot be created: {type(error).__name__}: {error}{where}") from error


def load(path: Path) -> Program:
    """Run a student's program, up to its own main program, and return it.

    Args:
        path: its file. It can import modules beside it, unless Python has one of that name.

    Raises:
        Broken: it cannot be read or run.
    """
    try:
        tree = ast.parse(path.read_bytes(), str(path))
        if (line := find_own_loop(tree)) is not None:
            raise Broken(
                f"{path.name} runs its own program when it is imported; "
                f'put it under `if __name__ == "__main__":` ({quoted(path, line)})'
            )
        code = compile(tree, str(path), "exec", dont_inherit=True)
    except OSError as error:
        raise Broken(f"{path} cannot be read ({error.strerror})") from error
    except SyntaxError as error:
        raise Broken(f"{path.name} is not Python: {error.msg} ({quoted(path, error.lineno or 1)})") from error
    except ValueError as error:  # a null byte, before Python 3.12
        raise Broken(f"{path.name} is not Python: {error}") from error
    module = ModuleType(MODULE)
    module.__file__ = str(path)
    sys.modules[MODULE] = module  # dataclasses, for one, look their module up
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        exec(code, vars(module))  # noqa: S102 -- to run it is what a check is for
    except (Exception, SystemExit) as error:
        raise Broken(_what_failed(path, error)) from error
    return Program(module, path)


def _what_failed(path: Path, error: BaseException) -> str:
    where = quoted(path, line_of_error(error, path) or 1)
    if isinstance(error, SystemExit):
        return f'{path.name} ends when it is imported; put that under `if __name__ == "__main__":` ({where})'
    return f"{path.name} cannot be loaded: {type(error).__name__}: {error} ({where})"


def _is_own(value: object) -> bool:
    return getattr(value, "__module__", None) == MODULE
