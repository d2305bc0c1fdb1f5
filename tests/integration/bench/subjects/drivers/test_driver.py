"""The conversation with a driver's process, whatever it does."""

import sys

import pytest
from tests.integration.bench.subjects.drivers.conftest import GOOD, bad

from formicary.processes.messages import Ready
from formicary_bench.subjects.drivers import DriverError
from formicary_bench.subjects.drivers.driver import started
from formicary_bench.subjects.drivers.protocol import Hello, Prepare

ORDERS = Prepare(
    experiment="messaging/pairs",
    placement="same-container",
    role="both",
    pairs=1,
    receivers=1,
    payload_bytes=1,
    rounds=(0, 1, 0),
    seed=1,
    listen="127.0.0.1",
    peer="",
    times="",
    server=None,
)


@pytest.fixture
def greeted(tmp_path):
    async def greet(command, seconds=60.0):
        async with started("it", command, str(tmp_path)) as driver:
            return await driver.hear(Hello, seconds)

    return greet


async def test_a_driver_says_hello_and_ends_when_told(tmp_path):
    async with started("it", GOOD, str(tmp_path)) as driver:
        hello = await driver.hear(Hello)
        await driver.end()
    assert (hello.name, hello.version, hello.most_pairs) == ("good", "1.0", 50)
    assert hello.placements == ("same-container", "two-containers", "two-hosts")


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("ends-at-once", "it ended with exit code 1; its last words: no licence was found"),
        ("talks", "it violated the driver protocol: 'Welcome to the platform!'"),
        ("never-ends-its-line", "it sent a line of more than 1048576 bytes"),
        ("is-newer", "it violated the driver protocol: .*protocol"),
    ],
)
async def test_what_is_no_hello_is_said_in_one_sentence(mode, said, greeted):
    with pytest.raises(DriverError, match=said) as raised:
        await greeted(bad(mode))
    assert "\n" not in str(raised.value)


async def test_a_driver_that_says_nothing_is_ended(greeted):
    with pytest.raises(DriverError, match=r"it did not send hello within 0\.2 s, and was ended"):
        await greeted(bad("says-nothing"), 0.2)


async def test_a_driver_that_only_reports_progress_is_ended(tmp_path, greeted):
    script = tmp_path / "busy.py"
    script.write_text('while True: print(\'{"type": "progress", "done": 1}\', flush=True)')
    with pytest.raises(DriverError, match="did not send hello"):
        await greeted((sys.executable, str(script)), 0.2)


async def test_a_driver_that_prepares_for_ever_is_ended(tmp_path):
    async with started("it", bad("prepares-for-ever"), str(tmp_path)) as driver:
        await driver.hear(Hello)
        await driver.say(ORDERS)
        with pytest.raises(DriverError, match=r"it did not send ready within 0\.2 s, and was ended"):
            await driver.hear(Ready, 0.2)


async def test_a_program_that_is_not_there(tmp_path, greeted):
    with pytest.raises(DriverError, match=r"it cannot be started: .*nowhere.* formicary bench platforms"):
        await greeted((str(tmp_path / "nowhere"),))


async def test_a_driver_that_does_not_end_is_ended(tmp_path):
    async with started("it", bad("stays"), str(tmp_path)) as driver:
        await driver.hear(Hello)
        with pytest.raises(DriverError, match=r"it did not exit within 0\.2 s"):
            await driver.end(0.2)


async def test_a_driver_that_ends_badly_says_so(tmp_path):
    async with started("it", bad("ends-badly"), str(tmp_path)) as driver:
        await driver.hear(Hello)
        with pytest.raises(
            DriverError, match="it ended with exit code 1; its last words: could not clean up"
        ):
            await driver.end()


async def test_what_comes_after_its_end_is_missed(tmp_path):
    async with started("it", GOOD, str(tmp_path)) as driver:
        await driver.hear(Hello)
        await driver.end()
        with pytest.raises(DriverError, match="it ended with exit code 0"):
            await driver.hear(Ready)
