"""Test support for agents: virtual time, `until_idle`, containers without a server.

`run_virtual(main())` is `asyncio.run` in virtual time: a test of an agent that waits for an hour takes
milliseconds, and is reproducible. `await until_idle()` continues when nothing else can run. A `MemoryNetwork`
joins containers of one process::

    async def main() -> None:
        network = MemoryNetwork()
        async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
            await c1.start(EchoAgent("echo"))
            await c2.start(asker)  # it sends to echo@c1
            await until_idle()
            assert asker.get("answer") == "hello"

    run_virtual(main())

`with recorded(path):` around it saves a recording if the test fails; `pytest_plugin` does so for all tests of
a run.
"""

from formicary.testing.network import MemoryNetwork
from formicary.testing.recorded import recorded
from formicary.testing.virtual_clock import NothingLeftError, VirtualClockLoop, run_virtual, until_idle

CPU_GROUP = "platform"

__all__ = ["MemoryNetwork", "NothingLeftError", "VirtualClockLoop", "recorded", "run_virtual", "until_idle"]
