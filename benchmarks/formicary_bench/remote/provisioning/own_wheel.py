"""The wheel of Formicary itself, made from the code that runs here, be it installed or a checkout."""

from __future__ import annotations

import hashlib
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

import formicary
import formicary_bench
from formicary_bench.remote.errors import HostError
from formicary_bench.remote.provisioning.wheels import Entry, pack

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGES = (formicary, formicary_bench)
_WHEEL = "Wheel-Version: 1.0\nGenerator: formicary\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_ENTRY_POINTS = b"""\
[console_scripts]
formicary = formicary.__main__:main

[formicary.commands]
bench = formicary_bench.cli:app
hosts = formicary_bench.cli.hosts:app
lab = formicary_bench.cli.lab:app
"""


def make(folder: Path) -> Path:
    """Make the wheel; one that is in the folder already is taken as it is.

    Raises:
        HostError: nothing says what Formicary depends on.
        OSError: the wheel cannot be written.
    """
    name = f"formicary-{formicary.__version__}"
    target = folder / f"{name}-py3-none-any.whl"
    if not target.exists():
        pack(target, f"{name}.dist-info", [*_files(), *_metadata(f"{name}.dist-info")])
    return target


def identity() -> str:
    """Return what is different as soon as anything in the wheel is."""
    digest = hashlib.sha256("\n".join(requirements()).encode())
    for entry in sorted(_files(), key=lambda entry: entry.name):
        content = entry.read()
        digest.update(f"{entry.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def requirements() -> list[str]:
    """Return what Formicary depends on, also with extras, as the lines of a wheel's metadata.

    Raises:
        HostError: nothing says it.
    """
    project = _project()
    if project is None:
        return list(_installed().requires or [])
    optional = project.get("optional-dependencies", {})
    return [
        *project["dependencies"],
        *(_only_with(extra, line) for extra, lines in optional.items() for line in lines),
    ]


def _only_with(extra: str, line: str) -> str:
    requirement, _, condition = line.partition(";")
    condition = f"({condition.strip()}) and " if condition else ""
    return f"{requirement.strip()}; {condition}extra == '{extra}'"


def _project() -> dict[str, Any] | None:
    """Return what the sources say of the project, if the code that runs here is in a checkout of them."""
    try:
        text = (_root(formicary).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
        project: dict[str, Any] = tomllib.loads(text).get("project", {})
    except (OSError, ValueError):
        return None
    return project if project.get("name") == "formicary" else None


def _installed() -> Any:
    try:
        return distribution("formicary")
    except PackageNotFoundError:
        raise HostError(
            "what Formicary depends on is not known here, so it cannot be sent to hosts; "
            'install it: pip install "formicary[lab]"'
        ) from None


def _root(package: Any) -> Path:
    return Path(package.__file__).resolve().parent


def _files() -> Iterator[Entry]:
    for package in _PACKAGES:
        root = _root(package)
        for path in root.rglob("*"):
            within = path.relative_to(root.parent)
            if path.is_file() and "__pycache__" not in within.parts and not path.name.startswith("."):
                yield Entry(within.as_posix(), path)


def _metadata(dist_info: str) -> Iterator[Entry]:
    lines = ["Metadata-Version: 2.1", "Name: formicary", f"Version: {formicary.__version__}"]
    lines += ["Requires-Python: >=3.11", *(f"Requires-Dist: {line}" for line in requirements())]
    yield Entry(f"{dist_info}/METADATA", "\n".join([*lines, ""]).encode())
    yield Entry(f"{dist_info}/WHEEL", _WHEEL.encode())
    yield Entry(f"{dist_info}/entry_points.txt", _ENTRY_POINTS)
