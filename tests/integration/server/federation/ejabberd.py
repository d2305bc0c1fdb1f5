"""An ejabberd in a temporary folder, configured as deploy/ejabberd has it and started by Erlang itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from tests.plugins.paths import ROOT
from tests.plugins.ports import unused_port

from formicary.server import ServerAddress
from formicary.server.configuration import STANZA_LIMIT

PROGRAM = Path("/usr/sbin/ejabberdctl")  # by which one sees that it is installed
TEMPLATE = ROOT / "deploy" / "ejabberd" / "ejabberd.yml"
LIBRARIES = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"]
SECONDS_TO_START = 150
SECRET = "a-secret"


class Ejabberd:
    """An ejabberd that can be run.

    Without `ejabberdctl`: that insists on its own user. Without a node's name: then there is no epmd, and
    nothing of Erlang's own listens.

    Args:
        folder: gets everything that it writes.
        listen: where it listens for other servers.
    """

    def __init__(self, folder, listen="127.0.0.1"):
        self.folder = folder
        self.ports = {"5347": unused_port(), "5348": unused_port()}
        self.listen = listen
        self.config = folder / "ejabberd.yml"
        self.log = folder / "ejabberd.log"

    def write(self, s2s_port):
        """Write the template's configuration, with the test's own places in it."""
        text = TEMPLATE.read_text(encoding="utf-8")
        places = {
            "/etc/ejabberd/formicary": self.folder,
            "192.0.2.2": self.listen,
            "SECRET": SECRET,
            "port: 5269": f"port: {s2s_port}",
            **{f"port: {given}": f"port: {port}" for given, port in self.ports.items()},
        }
        for given, own in places.items():
            assert given in text
            text = text.replace(given, str(own))
        self.config.write_text(text)
        self.config.chmod(0o600)

    @property
    def address(self):
        return ServerAddress("127.0.0.1", self.ports["5347"], SECRET, "lab.example", STANZA_LIMIT)

    @property
    def tls_address(self):
        port, certificate = self.ports["5348"], self.folder / "lab.example.crt"
        return ServerAddress("127.0.0.1", port, SECRET, "lab.example", STANZA_LIMIT, certificate=certificate)

    @contextmanager
    def running(self, popen=subprocess.Popen):
        """Run it as long as the block lasts; `popen` may start it elsewhere."""
        environment = {
            **os.environ,
            "EJABBERD_CONFIG_PATH": str(self.config),
            "EJABBERD_LOG_PATH": str(self.log),
            "ERL_CRASH_DUMP_BYTES": "0",
            "ERL_LIBS": ":".join(path for path in LIBRARIES if Path(path).is_dir()),
            "HOME": str(self.folder),
        }
        spool = f'"{self.folder}/spool"'
        command = [shutil.which("erl"), "-noinput", "-mnesia", "dir", spool, "-s", "ejabberd"]
        with (self.folder / "output").open("w") as output:
            process = popen(
                command,
                env=environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            self._wait(process)
            yield process
        finally:
            process.kill()  # it would take a second to say goodbye
            process.wait()

    def _wait(self, process):
        deadline = time.monotonic() + SECONDS_TO_START
        while not (self.log.exists() and self.log.read_text().count("Start accepting T") == 3):
            assert process.poll() is None, (self.folder / "output").read_text()
            assert time.monotonic() < deadline, (self.folder / "output").read_text()
            time.sleep(0.02)
