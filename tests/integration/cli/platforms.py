"""Platforms that tests of commands look at: processes of `formicary run`, and commands that look at them."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import signal
import subprocess
import sys
import time
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from unittest import mock

from formicary.cli import guest_session, main
from formicary.core.importing import SCRIPT
from formicary.management.requests import router
from formicary.transport.direct import endpoint

COMMAND = [sys.executable, "-c", "from formicary.cli import main; main()"]

RUN = [*COMMAND, "run"]

PATIENTLY = """
from formicary.cli import guest_session, main
from formicary.management.requests import router
from formicary.transport.direct import endpoint

guest_session._PATIENCE = router.TIMEOUT = endpoint._OPENING_TIMEOUT = 60.0
main()
"""
ASK = [sys.executable, "-c", PATIENTLY]
"""As `COMMAND`, for who asks a platform that answers, however long that takes on a busy machine."""

ECHO = """
from formicary import Agent, CyclicBehaviour

class Echo(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.send(message.make_reply(body=message.body))

echo = Agent("echo")
echo.add_behaviour(Echo())
"""

SHOP = """
import asyncio, pathlib, time
from formicary import Agent, MicroAgent, OneShotBehaviour, PeriodicBehaviour

class Doze(PeriodicBehaviour):
    async def run(self):
        time.sleep(0.6)

class Dozer(Agent):
    async def setup(self):
        self.add_behaviour(Doze(1))

class Print(OneShotBehaviour):
    async def run(self):
        raise ValueError("out of \\x1b[31mpaper\\nfor ever")

class Jammed(Agent):
    async def setup(self):
        self.add_behaviour(Print())

class Printer(Agent):
    def __init__(self, name, dpi=600, **others):
        super().__init__(name)
        self.properties = {"dpi": dpi, "formats": ["pdf", "ps"], **others}

    async def setup(self):
        await self.directory.register("printer", properties=self.properties, protocols=["fipa-request"])

class Shop(Agent):
    async def setup(self):
        for name in "flowers", "printer":
            await self.directory.register("shop", name=name)

class Rude(Agent):
    async def setup(self):
        says = {"wish": "two\\nlines", "colour": "\\x1b[31mred", "way": "\\x9b2J\\u202eback"}
        await self.directory.register("[red]rude", properties=says)

class Cell(MicroAgent):
    def handle(self, message):
        pass

class Tourist(Agent):
    pass

class Careful(Agent):
    async def before_move(self, destination):
        while not pathlib.Path(self.name).exists():
            await asyncio.sleep(0.05)

class Host(Agent):
    async def setup(self):
        await self.groups.create("market", community="shop")
        await self.groups.create("staff")

class Peddler(Agent):
    async def setup(self):
        await self.directory.register("peddler")
        await self.groups.request_role("market", "seller", community="shop")

class Broken(Agent):
    async def setup(self):
        raise ValueError("out of paper")
"""
STAFF = "from shop import Cell, Printer\nlaser, cell = Printer('laser'), Cell('cell')\n"


def call(*arguments, given=""):
    """Run a command in this process: a fresh one takes much longer to start than to ask."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    known = [each for each in logging.root.manager.loggerDict.values() if isinstance(each, logging.Logger)]
    levels = {logger: logger.level for logger in known}
    script = sys.modules.pop(SCRIPT, None)  # it is what workers for `compute` import
    with (
        mock.patch.object(logging.root, "handlers", []),  # the command has one of its own then
        mock.patch.object(sys, "path", [*sys.path]),
        mock.patch.object(sys, "argv", []),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()))),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = ended.code or 0
        finally:
            for logger, level in levels.items():
                logger.setLevel(level)
            sys.modules.pop(SCRIPT, None)
            if script is not None:
                sys.modules[SCRIPT] = script
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


class Lab:
    """A folder with the scripts, and with the state of whatever runs.

    Args:
        path: the folder.

    Attributes:
        command: by which commands run that ask in processes of their own.
    """

    def __init__(self, path):
        self.path = path
        self.command = ASK
        (path / "shop.py").write_text(SHOP, encoding="utf-8")
        (path / "staff.py").write_text(STAFF, encoding="utf-8")
        self.own_environment = {
            "XDG_STATE_HOME": str(path / "state"),
            "PYTHONPATH": str(path),
            "COLUMNS": "40",
        }

    @property
    def options(self):
        return {"cwd": self.path, "env": {**os.environ, **self.own_environment}, "text": True}

    @contextmanager
    def run(self, *arguments, warnings=0):
        """Have a container as long as the block lasts; give its process."""
        command = [*COMMAND, "run", "staff.py", "--allow-create", "shop", "--accept", "shop", *arguments]
        with subprocess.Popen(command, stderr=subprocess.PIPE, **self.options) as process:
            try:
                said = [process.stderr.readline() for _ in range(warnings + 1)]
                assert "press Ctrl-C to stop" in said[-1]
                if "--listen" in arguments:
                    assert "from another terminal" in process.stderr.readline()
                yield process
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGCONT)
                    process.send_signal(signal.SIGTERM)
                    process.communicate()

    def ask(self, *arguments):
        """Run a command to its end, which is patient; in this process, unless a coroutine asks."""
        if asyncio._get_running_loop() is not None:
            return self.typed(*arguments)
        with (
            mock.patch.dict(os.environ, self.own_environment),
            mock.patch.object(guest_session, "_PATIENCE", 60.0),
            mock.patch.object(router, "TIMEOUT", 60.0),
            mock.patch.object(endpoint, "_OPENING_TIMEOUT", 60.0),
            chdir(self.path),
        ):
            return call(*arguments)

    def typed(self, *arguments):
        """Run a command to its end in a process of its own."""
        command = [*self.command, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, check=False, **self.options)

    def start(self, *arguments):
        """Start a command, whose output is read."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([*self.command, *arguments], **pipes, **self.options)

    def said(self, *arguments):
        """Give what a command prints that goes well."""
        done = self.ask(*arguments)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    def refused(self, *arguments, code):
        """Give the one sentence that a command says that does not go well."""
        done = self.ask(*arguments)
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
        assert done.stderr.startswith("formicary: ")
        assert done.stderr.count("\n") == 1
        return done.stderr

    def until(self, true):
        """Wait until something is so; a test that waits for ever is ended by its timeout."""
        while not true():
            time.sleep(0.05)
