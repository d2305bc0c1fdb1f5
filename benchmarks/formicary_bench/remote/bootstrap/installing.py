"""Making the environment for measurements on a host: aside, and in place of the old one once it works.

For the standard library of Python 3.8: this module is sent to hosts where nothing is installed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from formicary_bench.remote.bootstrap import folder as ours
from formicary_bench.remote.bootstrap import looking, loop

_SECONDS_FOR_VENV = 60.0
_SECONDS_FOR_PIP = 600.0
_PART = ".part"  # how the name of a wheel ends that is still on its way
_PIECE = 1 << 20  # bytes
_held = ExitStack()  # the folder's lock, until the process ends


def look(folder: str, interpreter: str, question: str) -> dict[str, Any]:
    """Return what is needed to say what there is to do.

    Args:
        folder: where everything of ours is kept here.
        interpreter: the Python in which formicary is, or should be, installed.
        question: a program for it, which prints an object of JSON.
    """
    return {
        **looking.python(),
        "folder": looking.about_folder(folder),
        "formicary": looking.about_formicary(interpreter, question),
    }


def want(folder: str, wheels: dict[str, str]) -> dict[str, str]:
    """Return which wheels are not here yet, and the files into which they shall be written.

    Args:
        folder: where everything of ours is kept here; from now on nobody else prepares it.
        wheels: the SHA-256 of each, by its name.
    """
    path = Path(folder).expanduser().absolute()
    try:
        ours.claim(path)
        _held.enter_context(ours.lock(path))
    except ours.NotOursError as error:
        raise loop.FailedError(f"{error}; name another one with `folder` in the inventory") from None
    except ours.LockedError as error:
        raise loop.FailedError(f"{error}; wait until that has ended") from None
    _tidy(path, path / "environment")
    wanted = {}
    for name, digest in wheels.items():
        file = _place(path, name, digest)
        if not (file.exists() and _sha256(file) == digest):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            wanted[name] = str(file) + _PART
    return wanted


def _place(folder: Path, name: str, digest: str) -> Path:
    return folder / "wheels" / digest[:16] / Path(name).name


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while part := content.read(_PIECE):
            digest.update(part)
    return digest.hexdigest()


def install(
    folder: str, wheels: dict[str, str], pip: str, question: str, record: dict[str, Any]
) -> dict[str, Any]:
    """Make the environment, and put it in place of the old one.

    Args:
        folder: where everything of ours is kept here.
        wheels: the SHA-256 of each, by its name; all are here.
        pip: which of them installs the others.
        question: a program that says what is installed; its `digest` has to be that of the record.
        record: what to write down in the end, with the `digest` of the code.

    Returns:
        What the program has said.
    """
    path = Path(folder).expanduser().absolute()
    files = {name: _arrived(path, name, digest) for name, digest in wheels.items()}
    environment = path / f"environment-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        installer = files.pop(pip)
        _make(environment, installer, list(files.values()))
        said = _try(environment, question, record["code"])
    except BaseException:
        shutil.rmtree(str(environment), ignore_errors=True)
        raise
    _switch(path, environment, record)
    _tidy(path, environment)
    _remove_wheels_but(path, {file.parent for file in (*files.values(), installer)})
    return said


def _arrived(folder: Path, name: str, digest: str) -> Path:
    """Return a wheel that was here, or has come whole."""
    file = _place(folder, name, digest)
    part = file.with_name(file.name + _PART)
    if part.exists():
        if _sha256(part) != digest:
            raise loop.FailedError(f"{name} has not come whole; try again")
        part.replace(file)
    if not file.exists():
        raise loop.FailedError(
            f"{name} is not where SFTP should have put it; is its user in a folder of its own?"
        )
    return file


def _make(environment: Path, installer: Path, wheels: list[Path]) -> None:
    loop.tell("making an environment")
    # Without pip: that would need the module ensurepip, which Debian has in a package of its own.
    _run([sys.executable, "-I", "-m", "venv", "--without-pip", str(environment)], _SECONDS_FOR_VENV)
    loop.tell(f"installing {len(wheels)} packages")
    python = str(environment / "bin" / "python")
    quietly = ["--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--isolated"]
    quietly += ["--root-user-action=ignore"]
    install = [python, "-I", f"{installer}/pip", "install", *quietly, "--no-index", "--no-deps"]
    _run([*install, "--no-compile", *map(str, wheels)], _SECONDS_FOR_PIP)
    loop.tell("compiling them")  # with all cores, which pip would not; files that are no Python of today stay
    but_tests = ["-x", r"/tests/"]  # which packages bring along, and nobody runs here
    compile_all = [python, "-I", "-m", "compileall", "-q", "-j", "0", *but_tests, str(environment / "lib")]
    loop.run(compile_all, _SECONDS_FOR_PIP)


def _try(environment: Path, question: str, code: str) -> dict[str, Any]:
    loop.tell("trying it")
    said = looking.about_formicary(str(environment / "bin" / "python"), question)
    if said.get("digest") != code:
        raise loop.FailedError(f"what was installed does not work ({said.get('failed', 'other code')})")
    return said


def _run(args: list[str], seconds: float) -> None:
    code, output, complaints = loop.run(args, seconds)
    if code != 0:
        lines = (complaints.strip() or output.strip() or f"exit code {code}").splitlines()
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
        raise loop.FailedError(f"nothing could be installed there ({errors[0]}); is its disk full?")


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
    """Remove environments that are old, or were never complete, unless a measurement may use them."""
    if ours.is_in_use(folder):
        return
    for old in folder.glob("environment-*"):
        if old != environment.resolve():
            shutil.rmtree(str(old), ignore_errors=True)


def _remove_wheels_but(folder: Path, kept: set[Path]) -> None:
    for old in (folder / "wheels").iterdir():
        if old not in kept:
            shutil.rmtree(str(old), ignore_errors=True)


def main() -> None:
    """Answer until nobody asks any more."""
    loop.serve({"look": look, "want": want, "install": install})
