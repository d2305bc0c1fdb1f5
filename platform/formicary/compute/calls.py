"""Encodes calls to a worker process, and their results.

Both go through pipes that only a container and its worker have. They are pickled, as in the process pools of
the standard library; nothing from another program is ever read here.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import stat
import sys
import threading
import traceback
from multiprocessing import connection, parent_process, resource_tracker
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

from formicary.compute.functions import cannot_be_sent, check_can_be_sent, name_of
from formicary.core.errors import ComputeError
from formicary.core.importing import SCRIPT, describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_STDERR = 2
_VALUE, _ERROR, _SENTENCE = "value", "error", "sentence"


# -- in the container ----------------------------------------------------------------------------------------


def packed(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    """Return a call as bytes.

    Raises:
        ComputeError: it cannot be sent to another process.
    """
    check_can_be_sent(function)
    try:
        return bytes(ForkingPickler.dumps((function, arguments)))
    except Exception as error:
        raise cannot_be_sent(function, describe_error(error)) from error


def unpacked(result: bytes, function: Callable[..., Any]) -> Any:
    """Return the function's result.

    Raises:
        ComputeError: it could not be called there, or its result could not be sent.
        BaseException: its exception, with the traceback in a note.
    """
    what, *content = _load(result)
    if what == _VALUE:
        return _loaded(content[0], function, "returned what")
    if what == _SENTENCE:
        raise ComputeError(content[0])
    error = _loaded(content[0], function, "raised an exception that")
    error.add_note(f"in a worker process:\n{content[1]}")
    raise error


def script_file() -> str | None:
    """Return the file of the script that `formicary run` runs; None in any other program."""
    return getattr(sys.modules.get(SCRIPT), "__file__", None)


def _loaded(content: bytes, function: Callable[..., Any], does: str) -> Any:
    try:
        return _load(content)
    except Exception as error:
        raise ComputeError(
            f"{name_of(function)} {does} cannot be unpickled in its container "
            f"({describe_error(error)}); an exception class must pass all arguments of its __init__ "
            "to super().__init__()"
        ) from error


# -- in the worker process -----------------------------------------------------------------------------------


def begin(script: str | None) -> None:
    """Prepare a worker process, which only its container ends, and which ends with that.

    Args:
        script: the file of the script that `formicary run` runs, whose functions may be called.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _keep_pipes()
    threading.Thread(target=_end_with_parent, name="ends with its container", daemon=True).start()
    if script is not None:
        spec = importlib.util.spec_from_file_location(SCRIPT, script)
        assert spec is not None  # the container has run it
        assert spec.loader is not None
        sys.path.insert(0, os.path.dirname(os.path.abspath(script)))  # noqa: PTH100, PTH120 -- no other need of pathlib
        sys.modules[SCRIPT] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


def _keep_pipes() -> None:
    """Keep processes that functions start from inheriting the pipes to the container.

    Such a process may outlive this one, and while any holds them, the container takes the worker for alive,
    and waits for its end. On Windows no process inherits them anyway.
    """
    if not hasattr(os, "register_at_fork"):
        return
    tracker = resource_tracker.getfd()  # shared by all processes
    pipes = [fd for fd in map(int, os.listdir("/dev/fd")) if fd > _STDERR and fd != tracker and _is_pipe(fd)]  # noqa: PTH208 -- no other need of pathlib
    for fd in pipes:
        os.set_inheritable(fd, False)
    os.register_at_fork(after_in_child=lambda: _let_go(pipes))


def _is_pipe(fd: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(fd).st_mode)
    except OSError:  # it was that of the listing itself
        return False


def _let_go(pipes: Sequence[int]) -> None:
    """Close pipes but keep their numbers in use, since their objects may close these again."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in pipes:
        os.dup2(nothing, fd, inheritable=False)
    os.close(nothing)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)  # even while it computes


def run_packed(call: bytes) -> bytes:
    """Call the function, and return the result as bytes for `unpacked`."""
    try:
        return _run(call)
    finally:  # it may be killed before it would do so itself
        sys.stdout.flush()
        sys.stderr.flush()


def _run(call: bytes) -> bytes:
    try:
        function, arguments = _load(call)
    except Exception as error:  # noqa: BLE001 -- its module may raise anything
        return _dump(
            (_SENTENCE, f"a worker process cannot unpickle the function or its arguments: {_text(error)}")
        )
    try:
        value = function(*arguments)
    except BaseException as error:  # noqa: BLE001 -- it is raised in the container
        return _packed_error(error, function)
    try:
        return _dump((_VALUE, _dump(value)))
    except Exception as error:  # noqa: BLE001 -- the value's classes may raise anything
        sentence = f"{name_of(function)} returned {type(value).__name__}, which cannot be sent back"
        return _dump((_SENTENCE, f"{sentence}: {_text(error)}"))


def _packed_error(error: BaseException, function: Callable[..., Any]) -> bytes:
    text = "".join(traceback.format_exception(error)).rstrip()
    try:
        return _dump((_ERROR, _dump(error), text))
    except Exception:  # noqa: BLE001 -- the exception's class may raise anything
        sentence = f"{name_of(function)} raised {_text(error)}, and that exception cannot be sent back"
        return _dump((_SENTENCE, sentence))


def _text(error: BaseException) -> str:
    return describe_error(error)


def _dump(content: object) -> bytes:
    return bytes(ForkingPickler.dumps(content))


_load: Callable[[bytes], Any] = ForkingPickler.loads
