"""Runs the gate in a clone and a home that have been used before.

    python3 -m tests.used

They have a run in `runs/`, a server, a platform, an inventory, a script and an installed driver. A test that
sees any of these when it should not fails here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.plugins.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PLATFORM = """
from formicary import MicroAgent

class Echo(MicroAgent):
    def handle(self, message):
        self.send_nowait(message.make_reply(body=message.body))

echo = Echo("echo")
"""
RUN = ("bench", "messaging/pairs", "--pairs", "1", "--placement", "same-container")


def main() -> int:
    """Use everything once, run the gate, and return its exit code."""
    with tempfile.TemporaryDirectory(prefix="formicary-used-") as folder:
        clone, home = Path(folder, "clone"), Path(folder, "home")
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment["HOME"] = str(home)
        # Keep pip's cache: with another home everything would be downloaded again.
        environment.setdefault("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip"))
        bootstrap = (sys.executable, "deploy/bootstrap.py")
        subprocess.run([*bootstrap, *RUN], cwd=clone, env=environment, check=True)
        with everything_used(clone, environment):
            return subprocess.run([*bootstrap, "test"], cwd=clone, env=environment, check=False).returncode


@contextmanager
def everything_used(clone: Path, environment: dict[str, str]) -> Iterator[None]:
    """Provide a server, an inventory, a driver and a platform until the block ends."""

    def formicary(*arguments: str) -> list[str]:
        return [str(clone / ".venv" / "bin" / "formicary"), *arguments]

    def run(*arguments: str) -> None:
        subprocess.run(formicary(*arguments), cwd=clone, env=environment, check=True)

    (clone / "hosts.toml").write_text('[hosts.lab-1]\naddress = "lab-1.invalid"\n', encoding="utf-8")
    (clone / "shop.py").write_text(PLATFORM, encoding="utf-8")
    run("bench", "platforms", "install", "mango")
    run("server", "start")
    listening = formicary("run", "shop.py", "--name", "c1", "--listen")
    try:
        with subprocess.Popen(listening, cwd=clone, env=environment) as platform:
            yield
            platform.terminate()
    finally:
        run("server", "stop")


if __name__ == "__main__":
    sys.exit(main())
