"""A PostgreSQL server: a given one, or our own in a temporary folder if PostgreSQL is installed.

Ours listens only at a socket in that folder, which nobody else may enter. PostgreSQL does not run as root; if
we do, it uses the account `postgres` of its packages.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from formicary.core.scratch import scratch_folder
from formicary.errors import FormicaryError
from formicary.processes.child import ended_with_us

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

GIVEN = "FORMICARY_POSTGRESQL"
"""The environment variable that names a server, as in `postgresql://me@database.example/shops`."""

_ACCOUNT = "postgres"
_DEBIAN = Path("/usr/lib/postgresql")  # where its programs are, if not on PATH
_SECONDS_TO_START, _SECONDS_TO_END = 30.0, 10.0
_SECONDS_BETWEEN_LOOKS = 0.02


@asynccontextmanager
async def server() -> AsyncIterator[str]:
    """Run a server for the block, and yield its address.

    Raises:
        FormicaryError: it is missing or does not start.
    """
    if given := os.environ.get(GIVEN):
        yield given
        return
    programs, account = _programs(), _account()
    with scratch_folder() as scratch:
        if account:
            shutil.chown(scratch, account["user"], account["group"])
        about = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT, "cwd": scratch, **account}
        # The socket's folder is the only way in, so no password is needed.
        setting_up = [
            *(str(programs / "initdb"), "-D", str(scratch / "data"), "-U", _ACCOUNT, "-A", "trust"),
            *("-E", "UTF8", "--locale=C", "--no-sync"),
        ]
        made: subprocess.CompletedProcess[bytes] = await asyncio.to_thread(
            lambda: subprocess.run(setting_up, check=False, stdout=subprocess.PIPE, **about)  # noqa: S603 -- our own
        )
        if made.returncode:
            raise FormicaryError(f"cannot set up PostgreSQL; initdb says: {_last(made.stdout)}")
        with (scratch / "log").open("wb") as log:
            process = subprocess.Popen(  # noqa: ASYNC220, S603 -- uvloop's cannot change the account
                _command(programs / "postgres", scratch), stdout=log, **about
            )
        try:
            await _answers(process, scratch)
            yield f"postgresql://{_ACCOUNT}@/postgres?host={quote(str(scratch))}"
        finally:
            await asyncio.to_thread(_end, process)


def _command(program: Path, scratch: Path) -> list[str]:
    command = [
        *(str(program), "-D", str(scratch / "data"), "-k", str(scratch)),
        *("-c", "listen_addresses=", "-c", "max_connections=200"),
    ]
    return ended_with_us(command, by="INT")


def _programs() -> Path:
    """Return the folder with the programs of PostgreSQL.

    Raises:
        FormicaryError: it is not installed.
    """
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else sorted(_DEBIAN.glob("*/bin"))
    for folder in reversed(folders):
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise FormicaryError(
        "PostgreSQL is not installed; install it (on Debian: sudo apt-get install postgresql), or "
        f"set a server in the environment variable {GIVEN}, such as "
        "postgresql://me@database.example/shops"
    )


def _account() -> dict[str, Any]:
    """Return the account for its programs: ours unless that is root.

    Raises:
        FormicaryError: we are root, and its account does not exist.
    """
    if os.geteuid():
        return {}
    try:
        known = pwd.getpwnam(_ACCOUNT)
    except KeyError:
        raise FormicaryError(
            f"PostgreSQL does not run as root, and there is no account {_ACCOUNT}; run this as "
            f"another user, or set a server in the environment variable {GIVEN}"
        ) from None
    return {"user": known.pw_uid, "group": known.pw_gid, "extra_groups": []}


async def _answers(process: subprocess.Popen[bytes], scratch: Path) -> None:
    """Wait until the server accepts connections.

    Raises:
        FormicaryError: it does not.
    """
    import asyncpg

    try:
        async with asyncio.timeout(_SECONDS_TO_START):
            while process.poll() is None:
                try:
                    connection = await asyncpg.connect(host=str(scratch), user=_ACCOUNT, database="postgres")
                except (OSError, asyncpg.CannotConnectNowError):
                    await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
                else:
                    await connection.close()
                    return
            why = "it has ended"
    except TimeoutError:
        why = f"it took more than {_SECONDS_TO_START:g} s"
    says = _last((scratch / "log").read_bytes())
    raise FormicaryError(f"PostgreSQL does not start ({why}); it says: {says}")


def _last(output: bytes) -> str:
    """Return the last line of a program's output."""
    return (output.decode(errors="replace").strip().splitlines() or ["nothing"])[-1]


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)  # connections are closed
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
