"""The directory and the list of members when processes are killed, stand still, or are started again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sqlite3
import sys

import pytest
from tests.plugins.paths import ROOT

from formicary import Container, Services
from formicary.directory.central.store import Store
from formicary.errors import StoreError
from formicary.server import ManagedServer

POLL = 0.2  # s: all are asked each time
WAIT = 150  # s: what takes longest is silence, with a platform's container that is away

pytestmark = pytest.mark.timeout(300)
WITH_A_SERVER = pytest.mark.server
AS_OTHERS = pytest.mark.full("each design is there in the other tests of restarts")


class Process:
    """A member in a process of its own."""

    def __init__(self, name, options):
        self.name = name
        self.options = options
        self.address = None
        self._turn = asyncio.Lock()

    async def start(self):
        command = [sys.executable, "-m", "tests.integration.directory.member", self.name]
        self.process = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        is_open, self.address = await self._exchange(self.options)
        assert is_open, self.address
        return self

    async def _exchange(self, what):
        async with self._turn:
            self.process.stdin.write(json.dumps(what).encode() + b"\n")
            line = await self.process.stdout.readline()
        return json.loads(line) if line else [False, "it has ended"]

    async def __call__(self, method, *arguments, **more):
        """Have it do something; return what comes of it, or what went wrong as text."""
        is_done, result = await self._exchange([method, arguments, more])
        assert is_done, result
        return result

    async def fails(self, method, *arguments, **more):
        is_done, result = await self._exchange([method, arguments, more])
        assert not is_done, result
        return result

    def signal(self, which):
        self.process.send_signal(which)

    async def kill(self):
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def close(self):
        self.process.stdin.close()
        return await self.process.wait()


async def eventually(expected, *askings):
    """Wait until all answer as expected."""
    async with asyncio.timeout(WAIT):
        while True:
            answers = [await asking() for asking in askings]
            if all(answer == expected for answer in answers):
                return
            await asyncio.sleep(POLL)


async def agree(*processes):
    """Wait until all have the same members, as many as they are."""
    async with asyncio.timeout(WAIT):
        while True:
            known = [await process("members") for process in processes]
            if all(each == known[0] and len(each) == len(processes) for each in known):
                return
            await asyncio.sleep(POLL)


def finding(*processes, **query):
    """Return what has each search."""
    return [lambda each=each: each("find", **query) for each in processes]


def seen(*processes):
    return [lambda each=each: each("seen") for each in processes]


@pytest.fixture
def server():
    with ManagedServer() as running:
        yield running


@pytest.fixture
def start():
    """Start members, the first as the platform's container."""

    @contextlib.asynccontextmanager
    async def start_all(*names, server=None, directory, directory_file=None):
        started = []
        try:
            for name in names:
                if server is not None:
                    way = {"server": str(server.folder.path), "network": {"route": "xmpp"}}
                elif not started:
                    way = {"listen": "127.0.0.1"}
                else:
                    way = {"join": started[0].address}
                file = directory_file if name == "c1" else None
                services = {"directory": directory, "directory_file": file}
                started.append(await Process(name, {**way, "services": services}).start())
            await agree(*started)
            yield started
        finally:
            for process in started:
                process.signal(signal.SIGCONT) if process.process.returncode is None else None
                await process.kill()

    return start_all


@pytest.fixture(params=["direct", pytest.param("server", marks=WITH_A_SERVER)])
def way(request):
    """Give what containers meet at."""
    if request.param == "direct":
        return {}
    return {"server": request.getfixturevalue("server")}


@pytest.mark.grid
@pytest.mark.parametrize("design", ["replica", "central"])
async def test_a_member_that_is_killed_is_gone_everywhere_with_all_that_it_offered(start, way, design):
    async with start("c1", "c2", "c3", directory=design, **way) as (c1, c2, c3):
        for process in (c1, c2, c3):
            await process("start", "bob", "printer")
            await process("watch")
        everything = ["bob@c1/printer", "bob@c2/printer", "bob@c3/printer"]
        await eventually(everything, *finding(c1, c2, c3), *seen(c1, c2, c3))
        await c3.kill()
        await agree(c1, c2)
        await eventually(everything[:2], *finding(c1, c2), *seen(c1, c2))
        await c3.start()
        await c3("start", "carol", "scanner")
        await agree(c1, c2, c3)
        await eventually([*everything[:2], "carol@c3/scanner"], *finding(c1, c2, c3), *seen(c1, c2))


@pytest.mark.parametrize("design", ["replica", pytest.param("central", marks=AS_OTHERS)])
async def test_a_member_that_stands_still_is_gone_for_a_time(start, design):
    async with start("c1", "c2", "c3", directory=design) as (c1, c2, c3):
        await c1("start", "alice", "printer")
        await c3("start", "bob", "printer")
        await c3("watch")
        await eventually(["alice@c1/printer", "bob@c3/printer"], *finding(c1, c2, c3), *seen(c3))
        c3.signal(signal.SIGSTOP)
        await agree(c1, c2)
        await eventually(["alice@c1/printer"], *finding(c1, c2))
        await c1("register", "alice", "scanner")
        c3.signal(signal.SIGCONT)
        await agree(c1, c2, c3)
        everything = ["alice@c1/printer", "alice@c1/scanner", "bob@c3/printer"]
        await eventually(everything, *finding(c1, c2, c3), *seen(c3))


@WITH_A_SERVER
@pytest.mark.parametrize(
    ("design", "has_file"),
    [("replica", False), pytest.param("central", False, marks=AS_OTHERS), ("central", True)],
)
async def test_the_platforms_container_takes_its_place_back(start, server, design, has_file, tmp_path):
    file = str(tmp_path / "directory.sqlite") if has_file else None
    async with start("c1", "c2", "c3", server=server, directory=design, directory_file=file) as all_:
        c1, c2, c3 = all_
        for process in all_:
            await process("start", "alice", "printer")
            await process("start", "bob", "printer")
        await c3("watch")
        everything = sorted(f"{name}@{each.name}/printer" for name in ("alice", "bob") for each in all_)
        await eventually(everything, *finding(*all_), *seen(c3))
        await c1.kill()
        assert await c2("ask", "alice@c3") == "hello"
        await eventually(2, lambda: members(c2), lambda: members(c3))
        await c2("stop", "bob")
        if design == "central":
            assert "DirectoryError: the directory cannot be reached" in await c3.fails(
                "register", "alice", "scanner"
            )
        else:
            await c3("register", "alice", "scanner")
        assert await c3("ask", "alice@c2") == "hello"
        await c1.start()
        await agree(*all_)
        await c1("start", "carol", "camera")
        expected = ["alice@c2/printer", "alice@c3/printer", "bob@c3/printer", "carol@c1/camera"]
        if design == "replica":
            expected.append("alice@c3/scanner")
        await eventually(sorted(expected), *finding(*all_), *seen(c3))
        if design == "central":
            await c3("register", "alice", "scanner")


async def members(process):
    return len(await process("members"))


@WITH_A_SERVER
@pytest.mark.parametrize("design", [pytest.param("replica", marks=AS_OTHERS), "central"])
async def test_a_server_that_is_started_again_loses_nothing(start, server, design):
    async with start("c1", "c2", "c3", server=server, directory=design) as all_:
        _, c2, c3 = all_
        await c2("start", "bob", "printer")
        await c3("watch")
        await eventually(["bob@c2/printer"], *finding(*all_), *seen(c3))
        server.kill()
        server.restart()
        await c2("start", "carol")
        await eventually([], *[lambda: registered(c2)])
        await agree(*all_)
        await eventually(["bob@c2/printer", "carol@c2/scanner"], *finding(*all_), *seen(c3))


async def registered(process):
    """Register, perhaps after some errors."""
    is_done, result = await process._exchange(["register", ["carol", "scanner"], {}])
    return [] if is_done or "AlreadyRegisteredError" in result else result


# -- the file ---------------------------------------------------------------------------------------------


async def test_when_the_disk_is_full_searches_go_on_and_so_does_writing_when_there_is_room(start, tmp_path):
    file = tmp_path / "directory.sqlite"
    async with start("c1", "c2", directory="central", directory_file=str(file)) as (c1, c2):
        await c2("start", "bob", "printer")
        await c2("start", "carol", "scanner")
        await c1("limit", file.stat().st_size + 100_000)
        full = await c2.fails("register_many", "bob", 1000, size=5000)
        assert full.startswith("DirectoryError: ")
        assert await c2("find", type="printer") == ["bob@c2/printer"]
        await c2("stop", "carol")
        await c1("unlimit")
        await eventually([], *finding(c1, c2, type="scanner"))
        await c2("register", "bob", "camera")
        assert await c1("find", type="camera") == ["bob@c2/camera"]
        found = await c1("find", type="many", max_results=10_000)
        await c1.kill()
    with contextlib.closing(Store(file)) as store:
        kept = [record.description for record in store.load() if hasattr(record, "description")]
    assert sorted(each.type for each in kept) == sorted(["printer", "camera"] + ["many"] * len(found))


def broken(file):
    file.write_bytes(b"no database" * 1000)


def newer(file):
    Store(file).close()
    with contextlib.closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA user_version = 1000")


def foreign(file):
    with contextlib.closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE else_ (id)")
        database.commit()


@pytest.mark.parametrize("make", [broken, newer, foreign])
async def test_a_file_that_cannot_be_used_is_refused_and_left_as_it_is(tmp_path, make):
    file = tmp_path / "directory.sqlite"
    make(file)
    before = file.read_bytes()
    container = Container(
        "c1", services=Services(directory="central", directory_file=file), listen="127.0.0.1"
    )
    with pytest.raises(StoreError) as raised:
        async with container:
            pass
    assert str(file) in str(raised.value)
    assert "\n" not in str(raised.value)
    assert file.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


async def test_a_file_that_another_process_has_is_refused(start, tmp_path):
    file = tmp_path / "directory.sqlite"
    async with start("c1", directory="central", directory_file=str(file)) as (c1,):
        await c1("start", "bob", "printer")
        with pytest.raises(AssertionError, match=r"StoreError: .* is in use by another process"):
            await (second := Process("c1", c1.options)).start()
        assert await second.process.wait() == StoreError.exit_code
        assert await c1("find") == ["bob@c1/printer"]
        with pytest.raises(StoreError, match="in use"):
            async with Container("c1", services=Services(directory="central", directory_file=file)):
                pass
