"""A protocol of your own, as a table: one thinks of a number, the other one guesses it by halves."""

import asyncio

from formicary import Agent, Container
from formicary.protocols import Agree, Protocol, Say, responds

Guessing = Protocol(
    "guessing",
    [
        ("start", "initiator", "request", "invited"),
        ("invited", "participant", "agree", "guessing"),
        ("guessing", "initiator", "propose", "guessed"),
        ("guessed", "participant", "reject-proposal", "guessing"),
        ("guessed", "participant", "accept-proposal", "found"),
    ],
    timeouts=[("invited", "timeout", "late"), ("guessed", "timeout", "late")],
    ends=["found", "late"],
)


class Keeper(Agent):
    @responds(Guessing)
    def play(self, invitation):
        guess = yield Agree()
        while guess.body != "42":
            guess = yield Say("reject-proposal", "less" if int(guess.body) > 42 else "more")
        yield Say("accept-proposal")


async def main():
    async with Container("c1") as container:
        await container.start(Keeper("keeper"))
        low, high, guesses = 0, 100, 0
        async with container.converse(Guessing, "keeper", timeout=5) as talk:
            await talk.send("request")
            await talk.receive()
            while talk.state != "found":
                guess, guesses = (low + high) // 2, guesses + 1
                await talk.send("propose", str(guess))
                answer = await talk.receive()
                low, high = (low, guess) if answer.body == "less" else (guess, high)
        print(f"found {guess} with {guesses} guesses")


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   found 42 with 7 guesses
