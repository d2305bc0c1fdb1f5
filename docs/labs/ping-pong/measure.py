"""What a question with its answer costs, near and far."""

from formicary import Container, LocalPlatform
from formicary_bench.labs.measuring import EchoAgent, Measurement, time_of_asking


async def one_process(seconds):
    async with Container("c1") as container:
        await container.start(EchoAgent("echo"))
        return await time_of_asking(container, "echo", seconds)


async def two_processes(seconds, body="hello"):
    async with LocalPlatform(containers=1) as platform:
        await platform.start(EchoAgent, "echo")
        return await time_of_asking(platform.container, "echo", seconds, body)


async def long_body(seconds):
    return await two_processes(seconds, "x" * 100_000)


MEASUREMENT = Measurement(
    "How long does a question with its answer take?",
    "µs",
    {
        "in one process": one_process,
        "between two processes": two_processes,
        "between two processes, 100 000 characters": long_body,
    },
)
