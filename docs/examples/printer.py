"""A request by FIPA's protocol: who takes part writes a function, and a refusal is an exception."""

import asyncio

from formicary import Agent, Container
from formicary.errors import RefusedError
from formicary.protocols import Refuse, Request, responds


class Printer(Agent):
    @responds(Request)
    async def print_it(self, message):
        if not message.body:
            raise Refuse("there is nothing to print")
        return f"printed {message.body}"


async def main():
    async with Container("c1") as container:
        await container.start(Printer("printer"))
        print((await container.request("printer", "report.pdf", timeout=5)).body)
        try:
            await container.request("printer", timeout=5)
        except RefusedError as error:
            print(error)


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   printed report.pdf
#   printer@c1.lab.localhost refused: there is nothing to print
