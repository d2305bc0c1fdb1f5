from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager

import pytest
from tests.plugins.paths import ROOT
from tests.plugins.ports import unused_port

from formicary.server import ServerAddress
from formicary.server.configuration import STANZA_LIMIT

TEMPLATE = ROOT / "deploy" / "prosody" / "prosody.cfg.lua"
PLATFORM = "lab.example"
SECRET = "a-secret-of-enough-characters"
SECONDS_TO_START = 60


class Server:
    """A Prosody from the template, in a folder.

    Args:
        folder: gets everything that it writes.
        containers: names that may connect.
    """

    def __init__(self, folder, containers):
        self.folder, self.port = folder, unused_port()
        self.secret = folder / "secret"
        self.secret.write_text(f"{SECRET}\n")
        self.secret.chmod(0o600)
        self.config = folder / "prosody.cfg.lua"
        as_root = "run_as_root = true\n" if os.geteuid() == 0 else ""
        self.config.write_text(as_root + TEMPLATE.read_text(encoding="utf-8"))
        self.environment = {
            **os.environ,
            "FORMICARY_PLATFORM": PLATFORM,
            "FORMICARY_CONTAINERS": containers,
            "FORMICARY_SECRET_FILE": str(self.secret),
            "FORMICARY_PORT": str(self.port),
            "FORMICARY_DATA": str(folder),
        }

    @property
    def address(self):
        return ServerAddress("127.0.0.1", self.port, SECRET, PLATFORM, STANZA_LIMIT)

    def start(self):
        """Start it as the image does."""
        with (self.folder / "log").open("w") as log:
            return subprocess.Popen(
                [shutil.which("prosody"), "--config", str(self.config), "-F"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    @contextmanager
    def running(self):
        """Have it as long as the block lasts; give its process."""
        process = self.start()
        try:
            self._wait(process)
            yield process
        finally:
            process.terminate()
            process.wait()

    def said(self):
        return (self.folder / "log").read_text()

    def _wait(self, process):
        deadline = time.monotonic() + SECONDS_TO_START
        while True:
            assert process.poll() is None, self.said()
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                assert time.monotonic() < deadline, self.said()
                time.sleep(0.01)


@pytest.fixture
def make_server(tmp_path):
    """Make a server of the template that is not started yet."""
    folder = tmp_path / "server"
    folder.mkdir()

    def make(containers="c1,c2"):
        return Server(folder, containers)

    return make
