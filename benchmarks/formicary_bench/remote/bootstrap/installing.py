"""The environment for measurements on a host: made beside the old one, which it replaces once it works.

For the standard library of Python 3.8: this module is sent to hosts where nothing is installed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tarfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from formicary_bench.remote.bootstrap import folder as ours
from formicary_bench.remote.bootstrap import looking, loop

_SECONDS_FOR_VENV = 60.0
_SECONDS_TO_COMPILE = 600.0
_PART = ".part"  # the suffix of an archive that is being sent
_KEPT = "packages"  # the folder of archives
_PIECE = 1 << 20  # bytes
_NAMES = (
    *("environment", "environment-*", "environment.new", _KEPT, "wheels", ours.LOCK),
    *(ours.RECORD, f"{ours.RECORD}.new", "running", ours.SCRATCH, ours.MARKER),
)
_held = ExitStack()  # the folder's lock, until the process ends


def look(folder: str, interpreter: str, question: str) -> dict[str, Any]:
    """Return the state of the folder, and of the Python where formicary is, or should be, installed.

    Args:
        folder: our folder.
        interpreter: that Python.
        question: a program for it, which prints an object of JSON.
    """
    return {
        **looking.python(),
        "folder": looking.about_folder(folder),
        "formicary": looking.about_formicary(interpreter, question),
    }


def want(folder: str, archives: dict[str, str]) -> dict[str, str]:
    """Return which archives are missing here, with the files to write them to; locks the folder.

    Args:
        folder: our folder.
        archives: the SHA-256 of each, by its name.
    """
    path = Path(folder).expanduser().absolute()
    ours.claim(path)
    _held.enter_context(ours.lock(path))
    _tidy(path, path / "environment")
    (path / _KEPT).mkdir(mode=0o700, exist_ok=True)
    files = {name: path / _KEPT / Path(name).name for name in archives}
    for old in set((path / _KEPT).iterdir()) - set(files.values()):
        old.unlink()
    return {
        name: str(file) + _PART
        for name, file in files.items()
        if not (file.exists() and _sha256(file) == archives[name])
    }


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while part := content.read(_PIECE):
            digest.update(part)
    return digest.hexdigest()


def install(folder: str, archives: dict[str, str], question: str, record: dict[str, Any]) -> dict[str, Any]:
    """Make the environment, replace the old one by it, and return what `question` prints.

    Args:
        folder: our folder.
        archives: the SHA-256 of each, by its name; all were sent.
        question: a program that describes what is installed, with the `digest` of its code.
        record: what to record, with the expected digest as `code`.
    """
    path = Path(folder).expanduser().absolute()
    files = [_arrived(path, name, digest) for name, digest in archives.items()]
    environment = path / f"environment-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        _make(environment, files)
        said = _try(environment, question, record["code"])
    except BaseException:
        shutil.rmtree(str(environment), ignore_errors=True)
        raise
    _switch(path, environment, record)
    _tidy(path, environment)
    return said


def _arrived(folder: Path, name: str, digest: str) -> Path:
    """Return an archive that was here, or was sent completely."""
    file = folder / _KEPT / Path(name).name
    part = file.with_name(file.name + _PART)
    if part.exists():
        if _sha256(part) != digest:
            raise loop.FailedError(f"{name} has not come whole; try again")
        part.replace(file)
    if not file.exists():
        raise loop.FailedError(
            f"{name} is not where SFTP should have put it; does SFTP confine this user to a folder?"
        )
    return file


def _make(environment: Path, archives: list[Path]) -> None:
    loop.tell("making an environment")
    # Without pip: that would need the module ensurepip, which Debian has in a package of its own.
    venv = [sys.executable, "-I", "-m", "venv", "--without-pip", str(environment)]
    code, output, complaints = loop.run(venv, _SECONDS_FOR_VENV)
    if code != 0:
        lines = (complaints.strip() or output.strip() or f"exit code {code}").splitlines()
        raise loop.FailedError(f"nothing could be installed there ({lines[-1]}); is its disk full?")
    loop.tell("unpacking")
    for file in archives:
        try:
            with tarfile.open(str(file), "r:gz") as archive:
                archive.extractall(str(environment))  # noqa: S202 -- made by the controller, and whole
        except (OSError, EOFError, tarfile.TarError) as error:
            raise loop.FailedError(f"nothing could be installed there ({error}); is its disk full?") from None
    loop.tell("compiling")  # with all cores; files for other versions of Python are left
    python, but_tests = str(environment / "bin" / "python"), ["-x", r"/tests/"]  # which nobody runs here
    compile_all = [python, "-I", "-m", "compileall", "-q", "-j", "0", *but_tests, str(environment / "lib")]
    loop.run(compile_all, _SECONDS_TO_COMPILE)


def _try(environment: Path, question: str, code: str) -> dict[str, Any]:
    loop.tell("trying it")
    said = looking.about_formicary(str(environment / "bin" / "python"), question)
    if said.get("digest") != code:
        raise loop.FailedError(f"what was installed does not work ({said.get('failed', 'other code')})")
    return said


def _switch(folder: Path, environment: Path, record: dict[str, Any]) -> None:
    draft = folder / "environment.new"
    with suppress(FileNotFoundError):
        draft.unlink()
    draft.symlink_to(environment.name)
    draft.replace(folder / "environment")
    file = folder / f"{ours.RECORD}.new"
    file.write_text(json.dumps({**record, "environment": environment.name}) + "\n", encoding="utf-8")
    file.replace(folder / ours.RECORD)


def _tidy(folder: Path, environment: Path) -> None:
    """Remove old and incomplete environments, unless a measurement may use them."""
    if ours.is_in_use(folder):
        return
    for old in folder.glob("environment-*"):
        if old != environment.resolve():
            shutil.rmtree(str(old), ignore_errors=True)


def clean(folder: str) -> dict[str, Any]:
    """End our processes, and remove our files.

    Returns:
        The `folder`, the command lines of `ended` processes, the bytes `freed`, and the names of files `kept`
        because they are not ours.
    """
    path = Path(folder).expanduser().absolute()
    if not path.is_dir() or not any(path.iterdir()):
        with suppress(OSError):
            path.rmdir()
        return {"folder": str(path), "ended": [], "freed": 0, "kept": []}
    if not ours.is_ours(path):
        raise loop.FailedError(
            f"the folder {path} is not ours, so nothing was removed; correct `folder` in the inventory"
        )
    with ours.lock(path):
        return {"folder": str(path), **_clean(path)}


def _clean(folder: Path) -> dict[str, Any]:
    ended = _end(folder)
    if ours.is_in_use(folder):
        said = f"a measurement on another host uses {folder} as well, so it was not removed"
        raise loop.FailedError(f"{said}; wait until that has ended")
    freed = sum(_remove(each) for pattern in _NAMES for each in folder.glob(pattern))
    kept = sorted(each.name for each in folder.iterdir())
    if not kept:
        folder.rmdir()
    return {"ended": ended, "freed": freed, "kept": kept}


def _end(folder: Path) -> list[str]:
    ended = []
    for pid, command in ours.left(folder).items():
        loop.tell(f"ending process {pid}")
        if not ours.end(folder, pid):
            raise loop.FailedError(f"process {pid} ({command}) does not end; end it there: kill -9 {pid}")
        ended.append(command)
    return ended


def _remove(path: Path) -> int:
    """Remove a file, a link or a folder, and return its size in bytes."""
    if path.is_symlink() or not path.is_dir():
        size = path.lstat().st_size
        path.unlink()
        return size
    size = sum(each.lstat().st_size for each in path.rglob("*") if not each.is_dir())
    shutil.rmtree(str(path))
    return size


def main() -> None:
    """Answer until standard input ends."""
    loop.serve({"look": look, "want": want, "install": install, "clean": clean})
