"""Checks of what is installed: Python, libraries, extras, and the XMPP server."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import suppress
from importlib import metadata
from typing import TYPE_CHECKING

from formicary.core.errors import ServerError
from formicary.doctor.finding import good, limited, missing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.doctor.finding import Finding

_OLDEST_PROSODY = (0, 12)
_SECONDS = 10.0  # for a program to print its version
# It may be preceded by "Prosody was unable to find lua-unbound", with advice.
_VERSION = re.compile(r"^Prosody (\d\S*|hg:\S+|trunk)", re.MULTILINE)
_PYTHON = re.compile(r"Programming Language :: Python :: (3\.\d+)")
_EXTRAS = {
    "accounts": ("ordinary XMPP accounts", (("aioxmpp", "slixmpp"), ("scramp",), ("dnspython",))),
    "bench": ("laboratory, `formicary bench`", (("jinja2",), ("numpy",), ("pyarrow",), ("scipy",))),
    "lab": ("sampling profiles", (("py-spy",),)),
}
"""The purpose of each extra, and its distributions: one of each."""


def python(distribution: str = "formicary") -> Finding:
    """Check whether Formicary is tested with this version of Python.

    Args:
        distribution: whose metadata lists the versions.
    """
    this = f"{sys.implementation.name} {'.'.join(map(str, sys.version_info[:3]))}"
    classifiers: list[str] = []
    with suppress(metadata.PackageNotFoundError):
        classifiers = metadata.metadata(distribution).get_all("Classifier", [])
    tried = [found[1] for text in classifiers if (found := _PYTHON.fullmatch(text))]
    if not tried:
        return limited("Python", f"{this}; unknown whether Formicary was tested with it")
    if sys.implementation.name == "cpython" and ".".join(map(str, sys.version_info[:2])) in tried:
        return good("Python", f"{this}, with which Formicary is tested")
    return limited(
        "Python", f"{this}, with which Formicary is not tested", f"use CPython {tried[0]} to {tried[-1]}"
    )


def libraries(distribution: str = "formicary") -> Finding:
    """Check whether Formicary's dependencies are installed.

    Args:
        distribution: whose dependencies to check.
    """
    try:
        needed = sorted(_needed(metadata.requires(distribution) or []))
    except metadata.PackageNotFoundError:
        return limited("libraries", f"{distribution} is not installed, so its dependencies are unknown")
    absent = [name for name in needed if _version(name) is None]
    if absent:
        return missing("libraries", f"not installed: {', '.join(absent)}", f"pip install {' '.join(absent)}")
    return good("libraries", f"all {len(needed)} required packages are installed")


def _needed(requirements: Iterable[str]) -> set[str]:
    """Return the names of the libraries required without extras on every system."""
    plain = (text for text in requirements if ";" not in text)
    return {re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0] for text in plain}


def uvloop() -> Finding:
    """Check for uvloop, the fast event loop."""
    version = _version("uvloop")
    if version is None:
        return limited("uvloop", "not installed: messages take 1.4 to 2 times as long", "pip install uvloop")
    return good("uvloop", version)


def extras() -> list[Finding]:
    """Check for optional dependencies."""
    found = []
    for name, (purpose, needed) in _EXTRAS.items():
        versions = [
            next((f"{each} {version}" for each in names if (version := _version(each))), None)
            for names in needed
        ]
        if None not in versions:
            found.append(good(f"extra {name}", ", ".join(filter(None, versions))))
        else:
            found.append(
                limited(f"extra {name}", f"not installed: no {purpose}", f'pip install "formicary[{name}]"')
            )
    return found


def prosody() -> Finding:
    """Check for the XMPP server; `prosody --version` would start it."""
    from formicary.server.process import find_program

    without = "containers meet without a server, and XMPP is not available"
    try:
        find_program("prosody")
        program = find_program("prosodyctl")
    except ServerError as error:
        sentence, _, step = str(error).partition("; ")
        return limited("Prosody", f"{sentence}: {without}", step)
    try:
        done = subprocess.run(  # noqa: S603 -- its own administration program, which starts nothing
            [program, "about"],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return limited(
            "Prosody", f"prosodyctl does not report its version ({error})", f"try: {program} about"
        )
    return _prosody_of(done.stdout, program)


def _prosody_of(said: str, program: str) -> Finding:
    found = _VERSION.search(said)
    if found is None:
        return limited("Prosody", "prosodyctl does not report its version", f"try: {program} about")
    numbers = tuple(int(number) for number in re.findall(r"\d+", found[1])[:2])
    if numbers and numbers < _OLDEST_PROSODY:
        oldest = ".".join(map(str, _OLDEST_PROSODY))
        return limited(
            "Prosody", f"version {found[1]} is too old for a managed server", f"install {oldest} or later"
        )
    return good("Prosody", found[1])


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
