"""A state machine: each state is a behaviour, and only transitions that were added are allowed."""

import asyncio

from formicary import Agent, Container, FSMBehaviour, State


class Red(State):
    async def run(self):
        print("stop")
        self.set_next_state("green")


class Green(State):
    async def run(self):
        print("go")


async def main():
    machine = FSMBehaviour()
    machine.add_state("red", Red(), initial=True)
    machine.add_state("green", Green())
    machine.add_transition("red", "green")
    async with Container("c1") as container:
        light = Agent("light")
        light.add_behaviour(machine)
        await container.start(light)
        await machine.join()


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   stop
#   go
