"""The inventory of a lab, its hosts.toml: how this machine reaches its hosts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from formicary_bench.netlab.lab import INTERFACE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.netlab.folder import LabFolder
    from formicary_bench.netlab.lab import Lab

GROUP = "lab"
"""The group of all hosts of a lab."""

_ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", 0x7F: "\\u007f"} | {n: f"\\u{n:04x}" for n in range(32)}


def inventory(lab: Lab, folder: LabFolder) -> str:
    """Return the text of the file."""
    return "\n".join(_lines(lab, folder)) + "\n"


def _lines(lab: Lab, folder: LabFolder) -> Iterator[str]:
    yield "# The hosts of a lab on one machine: `formicary hosts lab up` has made them and this file, and"
    yield f"# `formicary hosts lab down{folder.option}` removes them and this file."
    yield ""
    yield "[defaults]"
    yield 'user = "root"'
    yield f"key = {quoted(str(folder.key))}"
    yield f"known_hosts = {quoted(str(folder.known_hosts))}"
    yield "# What is installed here is there already: the hosts share this machine's files."
    yield from _environment()
    yield f"groups = [{quoted(GROUP)}]"
    yield "# The interface whose traffic is measured."
    yield f"interface = {quoted(INTERFACE)}"
    for host in lab.hosts:
        yield ""
        yield f"[hosts.{host.name}]"
        yield f"address = {quoted(host.address)}"
        yield "# Where its containers and servers listen for the other hosts."
        yield f"listen = {quoted(host.address)}"


def _environment() -> Iterator[str]:
    if (Path(sys.prefix) / "bin" / "python").exists():
        yield f"venv = {quoted(sys.prefix)}"
    else:  # the system's own Python, which may have `python3` alone
        yield f"python = {quoted(sys.executable)}"


def quoted(text: str) -> str:
    """Return a text as TOML has it."""
    return f'"{text.translate(_ESCAPES)}"'
