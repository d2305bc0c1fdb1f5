"""Runs a program of `remote.bootstrap` on a host without Formicary: sends it over SSH, and asks it.

    async with helping(connection, "looking") as helper:
        facts = await helper.ask("look", folder="~/.local/share/formicary")

The program ends with the block, and with the connection.
"""

from __future__ import annotations

import asyncio
import shlex
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from formicary.core.quoting import printable
from formicary.processes.lines import encode
from formicary.processes.requests import Answer, Refusal, Request
from formicary_bench.remote.folders import from_home

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    import asyncssh

    from formicary_bench.remote import HostError
    from formicary_bench.remote.ssh import Connection

_BOOTSTRAP = Path(__file__).parent.parent / "bootstrap"
_SECONDS_TO_START = 20.0  # for a loaded host with a slow disk
_LONGEST_COMPLAINT = 10_000  # bytes
_NOT_FOUND, _NOT_RUNNABLE = 127, 126
_OLDEST = (3, 8)
_WITH = {"installing": ("loop", "folder", "looking")}  # the modules that a program uses
_WITH_ALL = ("loop", "folder")
_ANOTHER = "or name another one with `python` in the inventory"

# Reads the modules, and registers them under their names.
_BEGIN = """\
import sys
sys.stdout.write('{"type": "answer", "number": 0, "result": [%d, %d]}\\n' % sys.version_info[:2])
sys.stdout.flush()
if sys.version_info < (3, 8): sys.exit()
import json, types
package = sys.modules["formicary_bench.remote.bootstrap"] = types.ModuleType("bootstrap")
for name, text in json.loads(sys.stdin.buffer.readline()):
    module = sys.modules["formicary_bench.remote.bootstrap." + name] = types.ModuleType(name)
    exec(compile(text, name, "exec"), module.__dict__)
    setattr(package, name, module)
module.main()
"""


class Told(msgspec.Struct, frozen=True, tag="told"):
    """The progress of a request."""

    number: int
    what: str


_Said: TypeAlias = Answer[Any] | Refusal | Told


class Helper:
    """The controller's side of the program."""

    def __init__(self, connection: Connection, process: asyncssh.SSHClientProcess[bytes]) -> None:
        self._connection = connection
        self._process = process
        self._number = 0

    async def begin(self, module: str) -> None:
        """Send the program; raise a HostError if Python is missing there, or too old."""
        async with self._patience("start our program", _SECONDS_TO_START):
            version = tuple(await self._answer())
            if version < _OLDEST:
                raise self._too_old(version)
            self._write([[name, _text(name)] for name in (*_WITH.get(module, _WITH_ALL), module)])

    async def ask(
        self,
        task: str,
        arguments: Mapping[str, object] | None = None,
        *,
        seconds: float = 30.0,
        progress: Callable[[str], None] | None = None,
    ) -> Any:
        """Run a task there, and return its result.

        Raises:
            HostError: it fails or takes too long, or the connection is lost.
        """
        self._number += 1
        async with self._patience(f"answer ({task})", seconds):
            self._write(Request(self._number, {"task": task, "arguments": arguments or {}}))
            return await self._answer(progress)

    @asynccontextmanager
    async def _patience(self, what: str, seconds: float) -> AsyncIterator[None]:
        """Turn errors of the exchange into HostErrors."""
        import asyncssh

        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            cause = f"it does not {what} within {seconds:g} s"
            raise self._connection.error(f"{cause}; is it, or its disk, overloaded?") from None
        except (asyncssh.Error, OSError) as error:
            cause = f"the connection was lost while it had to {what} ({error})"
            raise self._connection.error(f"{cause}; try again") from None

    def _write(self, content: Any) -> None:
        self._process.stdin.write(encode(content) + b"\n")

    async def _answer(self, progress: Callable[[str], None] | None = None) -> Any:
        """Return the answer to the last order; skip output of a login shell."""
        while line := await self._process.stdout.readline():
            said = _understood(line)
            if said is None or said.number != self._number:
                continue
            if isinstance(said, Answer):
                return said.result
            if isinstance(said, Refusal):
                raise self._connection.error(printable(said.reason))
            if progress:
                progress(printable(said.what))
        raise await self._ended()

    async def _ended(self) -> HostError:
        """Return why the program has ended."""
        complaint = (await self._process.stderr.read(_LONGEST_COMPLAINT)).decode(errors="replace").strip()
        await self._process.wait_closed()
        if "Unknown option: -I" in complaint:
            return self._too_old((2,))
        if self._process.returncode in {_NOT_FOUND, _NOT_RUNNABLE}:
            cause = f"there is no Python called {self._connection.host.python}"
            return self._connection.error(f"{cause}; install Python 3.11 or later there, {_ANOTHER}")
        last = printable(complaint.rpartition("\n")[2]) or f"exit code {self._process.returncode}"
        return self._connection.error(
            f"Python there exited immediately ({last}); try it with `ssh`, {_ANOTHER}"
        )

    def _too_old(self, version: tuple[int, ...]) -> HostError:
        found = ".".join(map(str, version))
        cause = f"{self._connection.host.python} is Python {found} there"
        return self._connection.error(f"{cause}; install Python 3.11 or later there, {_ANOTHER}")


@asynccontextmanager
async def helping(connection: Connection, module: str) -> AsyncIterator[Helper]:
    """Start a program on a host until the end of the block; raise a HostError if it cannot be started."""
    import asyncssh

    command = shlex.join([from_home(connection.host.python), "-I", "-c", _BEGIN])
    try:
        process = await connection.ssh.create_process(command, encoding=None)
    except (asyncssh.Error, OSError) as error:
        raise connection.error(f"no program can be started there ({error}); try it with `ssh`") from None
    try:
        helper = Helper(connection, process)
        await helper.begin(module)
        yield helper
    finally:
        process.close()


def _text(name: str) -> str:
    return (_BOOTSTRAP / f"{name}.py").read_text(encoding="utf-8")


def _understood(line: bytes) -> _Said | None:
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        said: _Said = msgspec.json.decode(line, type=_Said)
        return said
    return None
