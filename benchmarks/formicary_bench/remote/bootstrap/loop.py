"""The exchange of a program on a host with its controller.

Requests come on standard input; answers, refusals and progress go to standard output, as lines of JSON as of
`formicary.processes`. When standard input ends, as with the SSH connection, so does the program, with all
that it has started.

For the standard library of Python 3.8: this module is sent to hosts where nothing is installed.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_LARGEST_OUTPUT = 20_000  # characters of a program's output, from its end

_current = [0]  # the number of the order that is being done


class FailedError(Exception):
    """An order failed; the message is a sentence without full stop, with what to do."""


def serve(tasks: Mapping[str, Callable[..., Any]]) -> None:
    """Perform the requests on standard input in turn; end the process when it ends."""
    with suppress(PermissionError):  # it leads a session already
        os.setsid()
    orders: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_work, args=(orders, tasks), daemon=True).start()
    for line in sys.stdin.buffer:
        orders.put(json.loads(line))
    os.killpg(0, signal.SIGKILL)  # with all that was started


def _work(orders: queue.Queue[dict[str, Any]], tasks: Mapping[str, Callable[..., Any]]) -> None:
    while True:
        request = orders.get()
        _current[0] = request["number"]
        order = request["order"]
        try:
            _say("answer", result=tasks[order["task"]](**order["arguments"]))
        except FailedError as error:
            _say("refusal", reason=str(error))
        except Exception as error:  # noqa: BLE001 -- whatever it is, the controller shall hear of it
            _say("refusal", reason=f"{type(error).__name__}: {error}")


def tell(sentence: str) -> None:
    """Report the progress of the current order."""
    _say("told", what=sentence)


def _say(kind: str, **what: Any) -> None:
    line = json.dumps({"type": kind, "number": _current[0], **what}) + "\n"
    with suppress(OSError):  # the controller is gone: so are we, in a moment
        sys.stdout.buffer.write(line.encode("ascii"))
        sys.stdout.buffer.flush()


def run(args: Sequence[str], seconds: float) -> tuple[int, str, str]:
    """Run a program, and return its exit code, output and errors; fail if it takes longer."""
    try:
        done = subprocess.run(  # noqa: S603 -- programs that our own modules name
            list(args), stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=seconds
        )
    except OSError as error:
        raise FailedError(f"{args[0]} cannot be started: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise FailedError(f"{args[0]} took longer than {seconds:g} s") from None
    return done.returncode, _text(done.stdout), _text(done.stderr)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")[-_LARGEST_OUTPUT:]
