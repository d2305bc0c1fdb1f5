"""What is loaded when a program starts: nothing that it may never need."""

from __future__ import annotations

import subprocess
import sys


def loaded(program, *arguments):
    """Return the modules that a fresh process has at the end of a program, and those of asyncio alone."""
    command = [sys.executable, "-c", f"{program}\nimport sys; print('\\n', *sys.modules)", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(done.stdout.splitlines()[-1].split())


def test_the_platform_loads_little_besides_asyncio_and_msgspec():
    others = loaded("import formicary") - loaded("import asyncio, msgspec")
    beside = {name for name in others if name.partition(".")[0] not in {"formicary", "_bisect", "bisect"}}
    assert beside == set()


def test_the_platform_loads_only_what_agents_of_one_container_need():
    rooms = {name.split(".")[1] for name in loaded("import formicary") if name.startswith("formicary.")}
    assert rooms == {"core", "container"}
