from __future__ import annotations

import asyncio
import contextlib
import sys

import pytest
from tests.integration.management.conftest import platform
from tests.plugins.paths import ROOT

__all__ = ["platform"]


@pytest.fixture
def workers():
    """Start processes with workers who join a container: `async with workers(container, "c4") as process`."""

    @contextlib.asynccontextmanager
    async def start_one(container, name, directory):
        command = [sys.executable, "-m", "tests.integration.groups.crew", name, directory]
        process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=asyncio.subprocess.PIPE)
        try:
            process.stdin.write(f"{container.join_address}\n".encode())
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    return start_one
