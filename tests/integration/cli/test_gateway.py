"""`formicary gateway`: agents of another platform, for all containers of a platform that runs."""

import asyncio
import contextlib
import re
import signal
import socket

import pytest
from tests.integration.cli.platforms import COMMAND, Lab
from tests.integration.gateway.conftest import Echo

from formicary import Container, Gateway, Message
from formicary.errors import FailedError

pytestmark = pytest.mark.gateway


@contextlib.asynccontextmanager
async def command(*arguments, standard_input=None):
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "gateway",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        if standard_input is not None:
            process.stdin.write(standard_input.encode())
        process.stdin.close()
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def test_agents_of_all_containers_and_of_another_platform_write_to_each_other():
    async with (
        Container("c1", platform="right.localhost") as right,
        Gateway(right, port=0) as far,
        Container("c1", listen="127.0.0.1") as main,
        Container("c2", join=main.join_address) as other,
    ):
        await right.start(echo := Echo())
        await other.start(Echo())
        options = ["--join", "-", "--port", "0", "--peer", f"right.localhost={far.address}"]
        async with command(*options, standard_input=main.join_address) as process:
            first = (await process.stderr.readline()).decode()
            assert first.startswith("gateway.lab.localhost: http://127.0.0.1:")
            far.know("lab.localhost", first.split()[1])
            assert "seller%jade-platform@gateway" in (await process.stderr.readline()).decode()
            for container in (main, other):
                question = Message(to="echo%c1.right.localhost@gateway", body="hi", performative="request")
                assert (await container.conversations.ask(question, 60)).body == "hi"
            assert {message.sender.partition("@")[0] for message in echo.got} == {
                "formicary-asker%c1.lab.localhost",
                "formicary-asker%c2.lab.localhost",
            }
            back = Message(to="echo%c2.lab.localhost", body="back", performative="request")
            assert (await right.conversations.ask(back, 60)).body == "back"
            with pytest.raises(FailedError, match="no agent named 'nobody' lives in container c2"):
                await right.conversations.ask(Message(to="nobody%c2.lab.localhost"), 60)
            process.send_signal(signal.SIGINT)
            rest = (await process.stderr.read()).decode()
            assert await process.wait() == 130
            assert re.search("sent [34], received 4, refused 0", rest)  # the last one may be under way


@pytest.fixture(scope="module")
def platform(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("platform"))
    with lab.run("--listen"):
        yield lab


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["--peer", "jade"], 2, "--peer must be PLATFORM=URL"),
        (["--peer", "jade=jade:7778"], 2, "is not a platform's address"),
        (["--listen-on", "localhost"], 2, "must listen at an IP address"),
        (["--port", "TAKEN"], 3, "choose another port"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(platform, arguments, code, why):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        arguments = [port if each == "TAKEN" else each for each in arguments]
        assert why in platform.refused("gateway", *arguments, code=code)


async def test_it_ends_with_a_sentence_when_the_platform_has_gone():
    async with Container("c1", listen="127.0.0.1") as main:
        address = main.join_address
        async with command("--join", "-", "--port", "0", standard_input=address) as process:
            await process.stderr.readline()
            await main.close()
            said = (await process.stderr.read()).decode()
            assert await process.wait() == 3
            assert "the platform's container c1 is gone" in said
