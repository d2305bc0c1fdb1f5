"""Conversations with agents of JADE, either way round, over FIPA's own wire; JADE is that of its driver."""

import asyncio
import shutil
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.plugins.ports import unused_port

from formicary import Agent, Container, Gateway, Message
from formicary.errors import FailedError
from formicary.protocols import ContractNet, Propose, Refuse, responds
from formicary_bench.subjects.drivers.installed import Entry, entry_of

pytestmark = [pytest.mark.drivers, pytest.mark.gateway]
SOURCE = Path(__file__).parent / "java" / "Market.java"
# JADE uses the parser of Java itself, which later versions of Java do not allow by themselves.
EXPORTS = "--add-exports=java.xml/com.sun.org.apache.xerces.internal.jaxp=ALL-UNNAMED"


def jars():
    """Return the class path of JADE, which its driver has."""
    entry = entry_of("jade")
    if not isinstance(entry, Entry):
        pytest.skip("not installed: formicary bench platforms install jade")
    if shutil.which("javac") is None:
        pytest.skip("there is no javac: install a JDK")
    return entry.command[entry.command.index("-cp") + 1]


class Jade:
    """A platform of JADE in a process of its own."""

    def __init__(self, process, address):
        self.process = process
        self.address = address

    async def expect(self, words):
        """Return the rest of the next line for the test that begins with these words."""
        async for line in self.process.stdout:
            text = line.decode().strip()
            if text.startswith(f": {words}"):
                return text.removeprefix(f": {words}").strip()
        raise AssertionError(f"JADE has ended and not said {words!r}")

    async def do(self, command, words="started"):
        self.process.stdin.write(f"{command}\n".encode())
        return await self.expect(words)


@asynccontextmanager
async def jade(folder):
    path = jars()
    compiler = ["javac", "-nowarn", "-d", str(folder), "-cp", path, str(SOURCE)]
    compiling = await asyncio.create_subprocess_exec(*compiler, stderr=asyncio.subprocess.PIPE)
    _, said = await compiling.communicate()
    assert compiling.returncode == 0, said.decode()
    port = unused_port()
    process = await asyncio.create_subprocess_exec(
        *["java", EXPORTS, "-cp", f"{folder}:{path}", "Market", str(port), str(unused_port())],
        cwd=folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        market = Jade(process, f"http://127.0.0.1:{port}/acc")
        await market.expect("ready")
        yield market
    finally:
        process.stdin.close()
        await process.stdout.read()
        await process.wait()


@asynccontextmanager
async def opened(market):
    """A container with a gateway that knows a platform of JADE."""
    async with (
        Container("c1") as container,
        Gateway(container, port=0, peers={"jade-platform": market.address}) as gateway,
    ):
        yield container, gateway


class Seller(Agent):
    def __init__(self, name, price):
        super().__init__(name)
        self.price = price

    @responds(ContractNet)
    async def sell(self, call):
        if self.price is None:
            raise Refuse("sold out")
        answer = yield Propose(str(self.price))
        if answer.performative == "accept-proposal":
            yield f"{self.name} has sold {call.body}"


async def test_conversations_with_jade_either_way_round(tmp_path):
    async with jade(tmp_path) as market, opened(market) as (container, gateway):
        await ours_begin(container, market)
        await theirs_begin(container, market, gateway)


async def ours_begin(container, market):
    """A contract net of ours, with sellers of both platforms."""
    for command in ("sell Cheap 10", "sell Dear 30", "sell Out none"):
        await market.do(command)
    await container.start(Seller("own", 20))
    names = ["cheap%jade-platform", "dear%jade-platform", "out%jade-platform", "own"]
    async with container.contract_net([*names, "nobody%jade-platform"], "a piano", timeout=60) as net:
        bids = {bid.sender.partition("@")[0]: bid async for bid in net.bids}
        assert {name: bid.body for name, bid in bids.items()} == {
            "cheap%jade-platform": "10",
            "dear%jade-platform": "30",
            "own": "20",
        }
        result = await net.award(bids["cheap%jade-platform"])
    assert (result.performative, result.body) == ("inform", "Cheap has sold a piano")
    assert await market.expect("rejected") == "Dear"
    assert net.missing == ()
    assert [(each.sender, each.body) for each in net.refused.values()] == [
        (f"out%jade-platform@{container.domain}", "sold-out")
    ]
    (why,) = net.failed.values()
    assert "jade-platform cannot deliver the message to nobody@jade-platform" in str(why)


async def theirs_begin(container, market, gateway):
    """A contract net of JADE's, with sellers of both platforms; and one that is not there."""
    await container.start(Seller("best", 5))
    await container.start(Seller("refusing", None))
    names = ["best", "refusing", "own", "nobody"]
    called = " ".join(f"{name}@{container.domain} {gateway.address}" for name in names)
    await market.do(f"buy violin {called} Dear@jade-platform {market.address}")
    said = {await market.expect("") for _ in range(4)}
    assert said >= {"bought: best has sold violin", f"refuse of refusing@{container.domain}: sold out"}
    assert any(line.startswith("failure of ams@jade-platform") and "nobody" in line for line in said)
    assert gateway.refused >= 1


async def test_every_part_of_a_message_returns_from_jade(tmp_path):
    until = datetime.now(UTC).replace(microsecond=123_000) + timedelta(minutes=1)
    async with jade(tmp_path) as market, opened(market) as (container, _):
        await market.do("echo Echo")
        for body in ("plain", 'with "quotes", \\, (a (list)) and\nlines', "ä€😀", "", "x" * 100_000):
            message = Message(
                to="echo%jade-platform",
                body=body,
                performative="request",
                protocol="fipa-request",
                language="fipa-sl 0",
                ontology="12",
                encoding="a b",
                conversation_id="'(1)'",
                reply_by=until,
                metadata={"colour": "light red"},
            )
            answer = await container.conversations.ask(message, 60)
            assert answer.sender == f"echo%jade-platform@{container.domain}"
            expected = message.replace(to=answer.to, sender=answer.sender, performative="inform")
            assert answer.replace(in_reply_to=None, reply_with=None) == expected


async def test_jade_that_is_gone_is_a_failure_at_once(tmp_path):
    message = Message(to="echo%jade-platform", performative="request", protocol="fipa-request")
    async with jade(tmp_path) as market, opened(market) as (container, gateway):
        await market.do("echo Echo")
        assert (await container.conversations.ask(message, 60)).performative == "inform"
        market.process.kill()
        await market.process.wait()
        with pytest.raises(FailedError, match="is not there"):
            await container.conversations.ask(message, 60)
        assert gateway.sent == 1
